// `node drive.js PEER ADDRESS LENGTH [WAY]` plays matches of LENGTH moves, all of their players in this process.
//
// By standard input: "seat N" makes N matches and answers "seated"; "play" plays them all at once and answers with
// seconds, and ms of each move, as JSON. It ends with standard input.
'use strict';
const readline = require('node:readline');

const [peer, address, length, way] = process.argv.slice(2);
const { seat } = require(`./${peer}`).players(address, Number(length), way);
let matches = [];

async function play() {
  const start = process.hrtime.bigint();
  const took = await Promise.all(matches.map(({ board }) => board.play()));
  return JSON.stringify({ seconds: Number(process.hrtime.bigint() - start) / 1e9, took_ms: took.flat() });
}

async function obey(line) {
  const [word, count] = line.split(' ');
  if (word === 'play') return play();
  await Promise.all(matches.map(({ leave }) => leave()));
  matches = [];
  while (matches.length < Number(count)) matches.push(await seat());
  return 'seated';
}

async function main() {
  for await (const line of readline.createInterface({ input: process.stdin })) console.log(await obey(line));
  process.exit(0);
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
