// A referee, by the proto files as they are: both seats of a match are principals of their own, each with a connection.
//
// By the way "play" a seat has a stream, which asks it and takes its moves; by "unary" it watches the match by a stream
// and moves by calls, as the simplest clients do.
'use strict';
const { randomBytes, createHash, randomUUID } = require('node:crypto');
const path = require('node:path');
const grpc = require('@grpc/grpc-js');
const protoLoader = require('@grpc/proto-loader');
const { Board } = require('./board');

const PROTOS = path.join(__dirname, '..', '..', 'protos');
const OPTIONS = { 'grpc.use_local_subchannel_pool': 1 };
const DETAIL = 'DETAIL_IDS';

const definition = protoLoader.loadSync('artreferee/v1/service.proto', {
  includeDirs: [PROTOS], keepCase: true, longs: String, enums: String, defaults: true, arrays: true, oneofs: true,
});
const { RefereeService } = grpc.loadPackageDefinition(definition).artreferee.v1;

// A principal with a connection of its own.
class Player {
  constructor(address) {
    const secret = randomBytes(32);
    this.hash = createHash('sha256').update(secret).digest();
    this.metadata = new grpc.Metadata();
    this.metadata.set('authorization', `Bearer ${secret.toString('base64url')}`);
    this.stub = new RefereeService(address, grpc.credentials.createInsecure(), OPTIONS);
  }

  call(method, request) {
    return new Promise((resolve, reject) => this.stub[method](request, this.metadata,
      (error, response) => (error ? reject(error) : resolve(response))));
  }
}

function answer(match) {
  const { decision_number, legal_ids: ids } = match.prompt;
  const id = ids[Math.floor(Math.random() * ids.length)];
  return {
    request_id: randomUUID(), match_id: match.match_id, seat: match.viewer_seat, decision_number, moves: [{ id }],
  };
}

// Each `way` resolves to what sends a move once the referee shows the match to the player at the seat.
const WAYS = {
  unary(player, matchId, seat, board) {
    const stream = player.stub.WatchMatch({ match_id: matchId, seat, detail: DETAIL }, player.metadata);
    let asked = -1;
    return new Promise((seated) => {
      stream.on('error', board.fail).on('data', ({ snapshot, update }) => {
        const match = snapshot || (update && update.match);
        if (match && match.prompt && match.prompt.decision_number > asked) {
          asked = match.prompt.decision_number;
          board.asked(seat, match);
        }
        seated((asks) => player.call('SubmitMove', { ...answer(asks), detail: 'DETAIL_NONE' })
          .then(() => board.confirmed(), board.fail));
      });
    });
  },

  play(player, matchId, seat, board) {
    const stream = player.stub.Play(player.metadata);
    return new Promise((seated) => {
      stream.on('error', board.fail).on('data', ({ outcomes, seated: places, asked }) => {
        for (const { refused } of outcomes) {
          if (refused) board.fail(new Error(refused.text));
          else board.confirmed();
        }
        for (const match of asked) board.asked(seat, match);
        if (places.length) seated((asks) => stream.write({ moves: [answer(asks)] }));
      });
      stream.write({ detail: DETAIL });
    });
  },
};

// Players at a referee; `seat` makes a match with two clients that are ready to play.
function players(address, length, way) {
  async function seat() {
    const pair = [new Player(address), new Player(address)];
    const seats = pair.map(({ hash }) => ({ principal_hash: hash }));
    const creation = { request_id: randomUUID(), ruleset: 'artsee', seats };
    const { match_id: matchId } = await pair[0].call('CreateMatch', creation);
    const senders = [];
    const board = new Board(length, (mover, match) => senders[mover](match));
    senders.push(...await Promise.all(pair.map((player, place) => WAYS[way](player, matchId, place, board))));
    return { board, leave: () => pair.forEach(({ stub }) => stub.close()) };
  }

  return { seat };
}

module.exports = { players };
