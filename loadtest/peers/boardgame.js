// boardgame.io: its server and lobby as it comes, and its own clients over web sockets.
'use strict';
const cards = require('./cards');
const { Board } = require('./board');

// Both moves wait for the server (`client: false`), so that nothing counts that it has not confirmed.
function rules(length) {
  const act = ({ G, playerID }, card = null) => (cards.move(G, Number(playerID), card) ? undefined : 'INVALID_MOVE');
  return {
    name: 'cards',
    setup: ({ random }) => cards.deal((deck) => random.Shuffle(deck)),
    playerView: ({ G, playerID }) => cards.view(G, playerID === null ? null : Number(playerID)),
    turn: { minMoves: 1, maxMoves: 1 },
    moves: { draw: { move: act, client: false, redact: true }, play: { move: act, client: false } },
    endIf: ({ ctx }) => (ctx.turn > length ? { draw: true } : undefined),
  };
}

// Serves until it is ended; keeps matches in memory, or in files if there is a folder. Returns the port.
async function serve(length, folder) {
  const { Server, Origins, FlatFile } = require('boardgame.io/server');
  const db = folder ? new FlatFile({ dir: folder }) : undefined;
  const { appServer } = await Server({ games: [rules(length)], db, origins: [Origins.LOCALHOST] }).run({ port: 0 });
  return appServer.address().port;
}

// Players at a server; `seat` makes a match with two clients that are ready to play.
function players(address, length) {
  const { Client } = require('boardgame.io/client');
  const { SocketIO } = require('boardgame.io/multiplayer');
  const server = `http://${address}`;
  const game = rules(length);

  async function post(path, body) {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(server + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path} was answered by ${answer.status}`);
    return answer.json();
  }

  function client(matchID, playerID, credentials) {
    const multiplayer = SocketIO({ server, socketOpts: { transports: ['websocket'], forceNew: true } });
    return Client({ game, multiplayer, matchID, playerID, credentials, debug: false });
  }

  async function seat() {
    const { matchID } = await post('/games/cards/create', { numPlayers: 2 });
    const clients = [];
    for (const playerID of ['0', '1']) { // one after the other: files lose a seat of two that are taken at once
      const { playerCredentials } = await post(`/games/cards/${matchID}/join`, { playerID, playerName: playerID });
      clients.push(client(matchID, playerID, playerCredentials));
    }
    let before = 0;
    const board = new Board(length, (mover, state) => {
      before = state._stateID;
      const card = cards.choose(state.G.hands[mover]);
      if (card === null) clients[mover].moves.draw();
      else clients[mover].moves.play(card);
    });
    await Promise.all(clients.map((each, mine) => new Promise((ready) => {
      let asked = 0; // the newest turn that was this client's
      each.subscribe((state) => {
        if (!state || !state.isConnected) return;
        ready();
        if (board.mover === mine && state._stateID > before) board.confirmed();
        const { turn, currentPlayer, gameover } = state.ctx;
        if (gameover || currentPlayer !== String(mine) || turn <= asked) return;
        asked = turn;
        board.asked(mine, state);
      });
      each.start();
    })));
    return { board, leave: () => clients.forEach((each) => each.stop()) };
  }

  return { seat };
}

module.exports = { serve, players };
