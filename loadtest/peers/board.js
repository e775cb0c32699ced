// A match at which every peer is played alike: one move after the other, by seats that have seen the position.
'use strict';
const STALLED_MS = 30000;

class Board {
  // `move(seat, position)` sends a move of a seat that was shown a position in which it is to move.
  constructor(length, move) {
    Object.assign(this, { length, move, playing: false, positions: [null, null], mover: null, took: [] });
    this.end = new Promise((over, fail) => Object.assign(this, { over, fail }));
  }

  // Plays `length` moves; resolves to how many ms each took, until its player knew that it was played.
  play() {
    const still = () => this.fail(new Error(`a match stands still after ${this.took.length} of ${this.length} moves`));
    const alarm = setTimeout(still, STALLED_MS);
    this.playing = true;
    this.step();
    return this.end.finally(() => clearTimeout(alarm));
  }

  // A seat's client has been shown a position in which it is to move.
  asked(seat, position) {
    this.positions[seat] = position;
    this.step();
  }

  // The mover's client knows that its move is played.
  confirmed() {
    this.took.push(Number(process.hrtime.bigint() - this.sent) / 1e6);
    this.mover = null;
    this.step();
  }

  step() {
    if (!this.playing || this.mover !== null) return;
    if (this.took.length === this.length) {
      this.playing = false;
      this.over(this.took);
      return;
    }
    const seat = this.positions.findIndex((position) => position !== null);
    if (seat < 0) return;
    const position = this.positions[seat];
    this.positions[seat] = null;
    this.mover = seat;
    this.sent = process.hrtime.bigint();
    this.move(seat, position);
  }
}

module.exports = { Board };
