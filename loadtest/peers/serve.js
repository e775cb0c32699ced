// `node serve.js PEER LENGTH [FOLDER]` serves a peer: its matches last LENGTH moves, and are kept in FOLDER where it can.
'use strict';
const [peer, length, folder] = process.argv.slice(2);
require(`./${peer}`).serve(Number(length), folder).then((port) => console.log(`listening on 127.0.0.1:${port}`));
