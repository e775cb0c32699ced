// A bot in JavaScript that reads the proto files as they are: `npm ci && node bot.js` plays all seats of its principal at
// random, over one stream.
//
// Its environment tells it where and as whom: CURATOR_REFEREE and CURATOR_TOKEN; with TLS, CURATOR_TLS and the files
// CURATOR_TLS_CA, CURATOR_TLS_CERT and CURATOR_TLS_KEY; for one match only, CURATOR_MATCH. It ends with standard input.
'use strict';
const { createHmac, randomBytes, randomUUID } = require('node:crypto');
const { readFileSync } = require('node:fs');
const path = require('node:path');
const grpc = require('@grpc/grpc-js');
const protoLoader = require('@grpc/proto-loader');

const PROTOS = path.join(__dirname, '..', '..', 'protos');
const OPTIONS = { 'grpc.keepalive_time_ms': 30000, 'grpc.max_reconnect_backoff_ms': 2000 };
const BROKEN = new Set([grpc.status.UNAVAILABLE, grpc.status.INTERNAL, grpc.status.CANCELLED]);

const definition = protoLoader.loadSync('artreferee/v1/service.proto', {
  includeDirs: [PROTOS], keepCase: true, longs: String, enums: String, defaults: true, arrays: true, oneofs: true,
});
const { RefereeService } = grpc.loadPackageDefinition(definition).artreferee.v1;

const env = process.env;
const metadata = new grpc.Metadata();
metadata.set('authorization', `Bearer ${env.CURATOR_TOKEN}`);
const referee = new RefereeService(env.CURATOR_REFEREE, credentials(), OPTIONS);

const unanswered = new Map(); // moves of which the outcome is not known, by request id
const unfinished = new Set(); // matches of which the end is not known
const seeds = new Map();

function credentials() {
  if (!env.CURATOR_TLS) return grpc.credentials.createInsecure();
  const files = [env.CURATOR_TLS_CA, env.CURATOR_TLS_KEY, env.CURATOR_TLS_CERT];
  return grpc.credentials.createSsl(...files.map((file) => (file ? readFileSync(file) : null)));
}

// Plays over one connection after the other: what it does not know the outcome of it sends again, under the same ids.
function play() {
  const stream = referee.Play(metadata, { waitForReady: true });
  stream.on('data', (response) => {
    const { asked, again } = heed(response);
    submit(stream, asked);
    if (again.length) setTimeout(() => submit(stream, again), 200);
  });
  stream.on('error', (error) => {
    if (!BROKEN.has(error.code)) {
      console.error(`the referee refuses: ${error.details}`);
      process.exit(1);
    }
  });
  stream.on('status', () => setTimeout(play, 100 + 900 * Math.random()));
  stream.write({ detail: 'DETAIL_IDS' });
  for (const matchId of unfinished) stream.write({ unfinished_match_ids: [matchId] });
  submit(stream, [...unanswered.keys()]);
}

function submit(stream, ids) {
  for (const id of ids) if (unanswered.has(id)) stream.write({ moves: [unanswered.get(id)] });
}

// Takes in what it is told; returns the request ids of moves to be sent, and of those to be sent again.
function heed(response) {
  const asked = [], again = [];
  for (const { request_id: id, refused } of response.outcomes) {
    if (refused && refused.retriable) again.push(id);
    else if (unanswered.delete(id) && refused) console.log(`refused: ${refused.text}`);
  }
  for (const match of response.seated) {
    unfinished.add(match.match_id);
    seeds.set(seatOf(match), match.bot_seed);
  }
  for (const match of response.asked) {
    if (isAnswered(match)) continue; // asked again by a new connection
    const move = answer(match);
    unanswered.set(move.request_id, move);
    asked.push(move.request_id);
  }
  for (const match of response.ended) {
    unfinished.delete(match.match_id);
    const place = match.result && match.result.seats[match.viewer_seat].rank;
    console.log(`match ${match.match_id}, seat ${match.viewer_seat}: place ${place}`);
    if (match.match_id === env.CURATOR_MATCH) process.exit(0);
  }
  return { asked, again };
}

function isAnswered(match) {
  return [...unanswered.values()].some((move) => move.match_id === match.match_id
    && move.seat === match.viewer_seat && move.decision_number === match.prompt.decision_number);
}

// Chooses: the view is in `match.view`, the moves are in `match.prompt`. With a bot seed it always chooses alike.
function answer(match) {
  const { decision_number: number, legal_count: count } = match.prompt;
  const seed = seeds.get(seatOf(match)) || randomBytes(32);
  const text = Buffer.alloc(8);
  text.writeUInt32BE(number, 4);
  const digest = createHmac('sha256', seed).update(text).digest();
  return {
    request_id: randomUUID(),
    match_id: match.match_id,
    seat: match.viewer_seat,
    decision_number: number,
    moves: [{ index: digest.readUInt32BE() % count }],
  };
}

function seatOf(match) {
  return `${match.match_id} ${match.viewer_seat}`;
}

process.stdin.on('end', () => process.exit(0)).resume(); // whoever started it wants it no more
play();
