"""Dealing a game."""

from referee.core.seeding import Stream
from referee.games.art_decko.parts import ACTIONS, HAND, Parts, Power
from referee.games.art_decko.piles import counted, draw, shuffled
from referee.games.art_decko.state import NONE, UNPAID, Phase, State


def new_game(parts: Parts, seats: int, max_rounds: int, start_seat: int | None, seed: bytes) -> State:
    """Returns a game at its first decision; without `start_seat` the seed decides who begins.

    Of the shuffled paintings the last lie on top: the seats in order get theirs, then the galleries, gallery 1 first.
    """
    first = Stream(seed, "start").randrange(seats) if start_seat is None else start_seat
    paintings = bytearray(style for style in range(parts.width) for _ in range(parts.copies[style]))
    Stream(seed, "paintings").shuffle(paintings)
    decks = [_take(paintings, parts.start_paintings) + parts.start_gold for _ in range(seats)]
    galleries = bytearray(parts.width * parts.galleries)
    for gallery in range(parts.galleries):
        for style in _take(paintings, parts.full[seats]):
            galleries[style * parts.galleries + gallery] += 1
    costs, supply = _tokens(parts, seed)
    stack = bytearray(parts.first_power + power for power in Power for _ in range(parts.copies[-1]))
    Stream(seed, "bank").shuffle(stack)
    face_up = _take(stack, parts.face_up)
    tiles = bytearray(range(len(parts.tiles)))
    Stream(seed, "tiles").shuffle(tiles)
    state = State(
        seed=seed,
        seats=seats,
        max_rounds=max_rounds,
        capped=False,
        last_round=False,
        round=1,
        first=first,
        phase=Phase.ACTION,
        turn=first,
        actions=ACTIONS,
        used=0,
        discounts=0,
        invited=False,
        buying=NONE,
        painting=NONE,
        due=0,
        least=UNPAID,
        floor=0,
        hands=bytearray(seats * parts.kinds),
        kept=bytearray(seats * parts.kinds),
        pool=bytearray(count for deck in decks for count in counted(parts, deck)),  # [AD-R1]
        decks=[shuffled(deck, seed, seat, 0) for seat, deck in enumerate(decks)],
        discards=bytearray(seats * parts.kinds),
        shuffles=[1] * seats,
        aside=bytearray(parts.kinds),
        removed=bytearray(parts.kinds),
        galleries=galleries,
        costs=costs,
        supply=supply,
        paintings=bytes(paintings),
        bank=bytearray(face_up.count(parts.first_power + power) for power in Power),
        stack=bytes(stack),
        fives=parts.copies[parts.five_gold],
        market=bytearray(parts.width + 1),
        museum=bytearray(len(parts.exhibitions) * parts.spaces),
        markers=_markers(parts, seed),
        tiles=bytes(tiles[: len(parts.exhibitions)]),
        vp=[0] * seats,
        ribbons=bytearray([parts.ribbons]) * seats,
    )
    for seat in range(seats):
        draw(parts, state, seat, HAND, [])
    return state


def _take(cards: bytearray, count: int) -> bytes:
    """Takes so many cards from the end of a pile; returns the topmost first."""
    taken = bytes(reversed(cards[len(cards) - count :]))
    del cards[len(cards) - count :]
    return taken


def _tokens(parts: Parts, seed: bytes) -> tuple[bytearray, bytes]:
    """Returns the cost tokens of the galleries, and the supply."""
    orange = bytearray(parts.orange)
    orange.remove(parts.first_cost)
    Stream(seed, "tokens").shuffle(orange)
    drawn = _take(orange, parts.galleries - 1)
    return bytearray([parts.first_cost, *sorted(drawn)]), bytes(sorted(orange + parts.yellow))


def _markers(parts: Parts, seed: bytes) -> bytearray:
    """Returns how many markers of each kind lie in each exhibition."""
    markers = bytearray(kind for kind, copies in enumerate(parts.marker_copies) for _ in range(copies))
    Stream(seed, "markers").shuffle(markers)
    lying = bytearray()
    for _ in parts.exhibitions:
        taken = _take(markers, parts.spaces)
        lying += bytes(taken.count(kind) for kind in range(parts.markers))
    return lying
