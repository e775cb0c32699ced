"""Worlds that a viewer cannot rule out."""

from bisect import bisect
from collections.abc import Iterator, Sequence
from math import comb, prod
from operator import add
from typing import Final

from referee.core.seeding import SEED_BYTES, Random
from referee.games.art_decko.bonus import owned
from referee.games.art_decko.legal import moves_with
from referee.games.art_decko.parts import Parts
from referee.games.art_decko.payment import card_values
from referee.games.art_decko.piles import counted, listed
from referee.games.art_decko.state import NONE, Phase, State
from referee.games.art_decko.view import View

_TRIES: Final = 100  # draws, before solvent hands are taken for rare


def determinize(parts: Parts, view: View, rng: Random) -> State:
    """Deals every pool at random to hand and deck, shuffles painting deck and 3-gold stack, and takes a new seed."""
    hands, decks = bytearray(), list[bytes]()
    for seat in range(view.seats):
        hand, deck = _deal(parts, view, seat, rng)
        hands += hand
        decks.append(deck)
    paintings, stack = _undealt(parts, view)
    rng.shuffle(paintings)
    rng.shuffle(stack)
    return State(
        seed=rng.randbytes(SEED_BYTES),
        seats=view.seats,
        max_rounds=view.max_rounds,
        capped=view.capped,
        last_round=view.last_round,
        round=view.round,
        first=view.first,
        phase=view.phase,
        turn=view.turn,
        actions=view.actions,
        used=view.used,
        discounts=view.discounts,
        invited=view.invited,
        buying=view.buying,
        painting=view.painting,
        due=view.due,
        least=view.least,
        floor=view.floor,
        hands=hands,
        kept=bytearray(view.kept),
        pool=bytearray(view.pool),
        decks=decks,
        discards=bytearray(view.discards),
        shuffles=view.shuffles[:],
        aside=bytearray(view.aside),
        removed=bytearray(view.removed),
        galleries=bytearray(view.galleries),
        costs=bytearray(view.costs),
        supply=view.supply,
        paintings=bytes(paintings),
        bank=bytearray(view.bank),
        stack=bytes(stack),
        fives=view.fives,
        market=bytearray(view.market),
        museum=bytearray(view.museum),
        markers=bytearray(view.markers),
        tiles=view.tiles,
        vp=view.vp[:],
        ribbons=bytearray(view.ribbons),
    )


def _deal(parts: Parts, view: View, seat: int, rng: Random) -> tuple[bytes, bytes]:
    """Returns a hand and a deck [AD-R12]: what is kept and any draw of the right size from the pool, and the rest."""
    mine = slice(seat * parts.kinds, (seat + 1) * parts.kinds)
    kept, pool = view.kept[mine], view.pool[mine]
    if seat == view.seat:
        hand = view.hand
    elif seat == view.turn and view.phase in (Phase.INVITATION, Phase.PAYMENT):
        hand = _solvent_hand(parts, view, kept, pool, rng)
    else:
        hand = _any_hand(parts, kept, pool, view.hand_sizes[seat], rng)
    deck = listed(bytes(known + more - held for known, more, held in zip(kept, pool, hand, strict=True)))
    rng.shuffle(deck)
    return hand, bytes(deck)


def _any_hand(parts: Parts, kept: bytes, pool: bytes, size: int, rng: Random) -> bytes:
    cards = listed(pool)
    rng.shuffle(cards)
    return _sum(kept, counted(parts, cards[: size - sum(kept)]))


def _solvent_hand(parts: Parts, view: View, kept: bytes, pool: bytes, rng: Random) -> bytes:
    """Returns a hand of the seat on turn that can pay for what it has begun; draws that cannot are ruled out."""
    for _ in range(_TRIES):
        hand = _any_hand(parts, kept, pool, view.hand_sizes[view.turn], rng)
        if moves_with(parts, view, view.turn, hand):
            return hand
    return _rare_hand(parts, view, kept, pool, rng)


def _rare_hand(parts: Parts, view: View, kept: bytes, pool: bytes, rng: Random) -> bytes:
    """Returns a solvent hand, each as likely as among all draws, by trying out all of them.

    Cards that pay alike are one pile: first it is drawn how many come of each, as often as chance has it so.
    """
    values = card_values(parts, view.market)
    by_use = dict[tuple[int, bool], bytearray]()
    for kind in listed(pool):
        by_use.setdefault((values[kind], kind >= view.floor), bytearray()).append(kind)
    piles = list(by_use.values())
    sizes = [len(pile) for pile in piles]
    draws, ways = [], [0]
    for draw in _draws(sizes, view.hand_sizes[view.turn] - sum(kept)):
        if moves_with(parts, view, view.turn, _drawn(parts, kept, piles, draw)):
            draws.append(draw)
            ways.append(ways[-1] + prod(map(comb, sizes, draw)))
    chosen = draws[bisect(ways, rng.randrange(ways[-1])) - 1]
    for pile in piles:
        rng.shuffle(pile)
    return _drawn(parts, kept, piles, chosen)


def _drawn(parts: Parts, kept: bytes, piles: Sequence[bytearray], draw: Sequence[int]) -> bytes:
    """Returns a hand: what is kept, and so many cards from the top of each pile."""
    cards = b"".join(pile[:count] for pile, count in zip(piles, draw, strict=True))
    return _sum(kept, counted(parts, cards))


def _draws(sizes: Sequence[int], count: int) -> Iterator[tuple[int, ...]]:
    """Returns all ways to draw so many cards from piles of these sizes: how many from each."""
    if not sizes:
        if not count:
            yield ()
        return
    for first in range(min(sizes[0], count) + 1):
        for rest in _draws(sizes[1:], count - first):
            yield (first, *rest)


def _sum(cards: bytes, more: bytes) -> bytes:
    return bytes(map(add, cards, more))


def _undealt(parts: Parts, view: View) -> tuple[bytearray, bytearray]:
    """Returns the painting deck and the stack of 3-gold in canonical order: what is nowhere else."""
    left = [copies - gone for copies, gone in zip(parts.copies, view.removed, strict=True)]
    for seat in range(view.seats):
        left = [count - own for count, own in zip(left, owned(parts, view, seat), strict=True)]
    for style in range(parts.width):
        left[style] -= sum(view.galleries[style * parts.galleries : (style + 1) * parts.galleries])
    for code in filter(None, view.museum):
        left[parts.hanging(code)[1]] -= 1
    if view.painting != NONE:
        left[view.painting] -= 1
    for power, face_up in enumerate(view.bank):
        left[parts.first_power + power] -= face_up
    stack = bytes(parts.first_power) + bytes(left[parts.first_power :])
    return listed(bytes(left[: parts.width])), listed(stack)
