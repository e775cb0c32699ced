// Colyseus: a room a match, over its web sockets and by its own client library. Nothing is stored.
//
// Deck and hands stay out of the synchronised state; whoever sits in the room is told its own view by a message.
'use strict';
const cards = require('./cards');
const { Board } = require('./board');

function shuffled(deck) {
  for (let place = deck.length - 1; place > 0; place -= 1) {
    const other = Math.floor(Math.random() * (place + 1));
    [deck[place], deck[other]] = [deck[other], deck[place]];
  }
  return deck;
}

// Serves until it is ended; returns the port.
async function serve(length) {
  const { Server, Room } = require('@colyseus/core');
  const { WebSocketTransport } = require('@colyseus/ws-transport');
  const { schema, t } = require('@colyseus/schema');
  const Table = schema({ turn: t.number(), deck: t.number(), played: t.array('number') }, 'Table');

  class Match extends Room {
    maxClients = 2;
    maxMessagesPerSecond = Infinity;

    onCreate() {
      this.game = cards.deal(shuffled);
      this.seats = [];
      this.state = new Table();
      this.state.turn = 0;
      this.state.deck = this.game.deck.length;
      this.onMessage('move', (client, card) => this.move(client, card));
    }

    onJoin(client) {
      this.seats.push(client.sessionId);
      if (this.seats.length === 2) this.tell();
    }

    move(client, card) {
      const seat = this.seats.indexOf(client.sessionId);
      if (this.state.turn >= length || seat !== this.state.turn % 2 || !cards.move(this.game, seat, card)) {
        client.send('refused');
        return;
      }
      this.state.turn += 1;
      this.state.deck = this.game.deck.length;
      if (card !== null) this.state.played.push(card);
      this.tell();
    }

    tell() {
      for (const client of this.clients) {
        const view = cards.view(this.game, this.seats.indexOf(client.sessionId));
        client.send('position', { turn: this.state.turn, view });
      }
    }
  }

  const transport = new WebSocketTransport();
  const server = new Server({ transport, greet: false });
  server.define('match', Match);
  await server.listen(0, '127.0.0.1');
  return transport.server.address().port;
}

// Players at a server; `seat` makes a match with two clients that are ready to play.
function players(address, length) {
  const { Client } = require('@colyseus/sdk');
  const sdk = new Client(`http://${address}`);

  async function seat() {
    const rooms = [];
    const board = new Board(length, (mover, { view }) => rooms[mover].send('move', cards.choose(view.hands[mover])));

    function sit(room) {
      const mine = rooms.push(room) - 1;
      room.onMessage('refused', () => board.fail(new Error('a move was refused')));
      return new Promise((seated) => room.onMessage('position', (position) => {
        seated();
        if (board.mover === mine) board.confirmed();
        if (position.turn < length && position.turn % 2 === mine) board.asked(mine, position);
      }));
    }

    const host = await sdk.create('match');
    const seated = [sit(host)];
    seated.push(sit(await sdk.joinById(host.roomId)));
    await Promise.all(seated);
    return { board, leave: () => Promise.all(rooms.map((room) => room.leave())) };
  }

  return { seat };
}

module.exports = { serve, players };
