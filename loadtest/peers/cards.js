// The game that the peers serve: two players with hidden hands, who in turn draw a card or play one.
'use strict';
const CARDS = 60;
const HAND = 5;

function deal(shuffled) {
  const deck = shuffled([...Array(CARDS).keys()]);
  return { deck, hands: [deck.splice(0, HAND), deck.splice(0, HAND)], played: [] };
}

// Draws a card, or plays `card` from the hand; tells whether that was legal.
function move(game, seat, card) {
  const hand = game.hands[seat];
  if (card === null) return game.deck.length > 0 && hand.push(game.deck.pop()) > 0;
  const place = hand.indexOf(card);
  if (place < 0) return false;
  hand.splice(place, 1);
  game.played.push(card);
  return true;
}

// What a seat may know: its own hand, and how many cards the other one has.
function view(game, viewer) {
  const hands = game.hands.map((hand, seat) => (seat === viewer ? hand : hand.length));
  return { deck: game.deck.length, hands, played: game.played };
}

// A card that keeps hands at about their first size; null is to draw.
function choose(hand) {
  return hand.length > HAND ? hand[Math.floor(Math.random() * hand.length)] : null;
}

module.exports = { deal, move, view, choose };
