"""The state and the views of the ruleset in the words of the naive implementation."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from referee.games.art_decko.game import ArtDecko
from referee.games.art_decko.state import NONE, Phase, State
from referee.games.art_decko.view import View
from tests.games.art_decko.moves import GOLD, PLAIN, POWERS, WILD, Card, Move, layout
from tests.games.art_decko.naive import NaiveGame
from tests.games.art_decko.naive_scoring import places, points
from tests.games.art_decko.naive_table import BOX

STEPS: Final = {
    Phase.ACTION: "action",
    Phase.INVITATION: "invitation",
    Phase.PAYMENT: "payment",
    Phase.PROMOTE: "promotion",
    Phase.DEACCESSION: "removal",
    Phase.DISCARD: "discard",
    Phase.DISCARDING: "discard",
    Phase.OVER: "over",
}
Picture = dict[str, object]


class Words:
    """Tells what the numbers of a state mean, for the components in a box."""

    def __init__(self, game: ArtDecko, box: dict[str, Any] = BOX) -> None:
        self.game: Final = game
        self.styles: Final[list[str]] = box["cards"]["styles"]
        self.ratings: Final = [*self.styles, GOLD]
        self.markers: Final = [*self.styles, WILD]
        self.kinds: Final[list[Card]] = [*self.styles, *PLAIN, *POWERS]
        self.galleries: Final = len(box["galleries"]["rises"])
        self.exhibitions: Final[list[dict[str, Any]]] = box["exhibitions"]
        self.tiles: Final[list[dict[str, Any]]] = box["tiles"]
        self.moves: Final[tuple[Move, ...]] = tuple(layout(self.styles, self.galleries, len(self.exhibitions)))
        self.ids: Final = {move: number for number, move in enumerate(self.moves)}

    def picture(self, state: State) -> Picture:
        """All there is to see and not to see: what is public from a spectator's view, hands from their owners'."""
        seats, waiting = range(state.seats), list(self.game.to_act(state))
        return {
            **self.public(self.game.view(state, None)),
            "to act": waiting,
            "legal": {self.moves[move] for seat in waiting for move in self.game.legal_moves(state, seat)},
            "hands": [self.cards(self.game.view(state, seat).hand) for seat in seats],
            "decks": [[self.kinds[kind] for kind in deck] for deck in state.decks],
            "paintings": [self.styles[style] for style in state.paintings],
            "stack": [self.kinds[kind] for kind in state.stack],
            "result": self.result(state),
        }

    def public(self, view: View) -> Picture:
        """What a view shows to all."""
        return {
            "round": view.round,
            "first": view.first,
            "last round": view.last_round,
            "capped": view.capped,
            "max rounds": view.max_rounds,
            **self._turn(view),
            "hand sizes": list(view.hand_sizes),
            "deck sizes": list(view.deck_sizes),
            "discards": self.rows(view.discards),
            "kept": self.rows(view.kept),
            "pool": self.rows(view.pool),
            "shuffles": list(view.shuffles),
            "removed": self.cards(view.removed),
            "galleries": self._galleries(view),
            "tokens": list(view.costs),
            "supply": list(view.supply),
            "painting deck": view.paintings_left,
            "bank": Counter({power: count for power, count in zip(POWERS, view.bank, strict=True) if count}),
            "stack size": view.stack_size,
            "fives": view.fives,
            "ratings": dict(zip(self.ratings, view.market, strict=True)),
            "museum": self.museum(view.museum),
            "free markers": self._free_markers(view),
            "tiles": [self.tiles[tile] for tile in view.tiles],
            "vp": list(view.vp),
            "ribbons": list(view.ribbons),
        }

    def _turn(self, view: View) -> Picture:
        return {
            "turn": None if view.turn == NONE else view.turn,
            "step": STEPS[Phase(view.phase)],
            "actions": view.actions,
            "used": {place + 1 for place in range(self.galleries) if view.used >> place & 1},
            "discounts": view.discounts,
            "invited": view.invited,
            "buying": None if view.buying == NONE else self.moves[view.buying],
            "painting": None if view.painting == NONE else self.styles[view.painting],
            "due": view.due,
            "aside": self.cards(view.aside),
        }

    def cards(self, counts: Sequence[int]) -> Counter[Card]:
        return Counter({card: count for card, count in zip(self.kinds, counts, strict=True) if count})

    def rows(self, table: bytes | bytearray) -> list[Counter[Card]]:
        """A table of cards by seat."""
        width = len(self.kinds)
        return [self.cards(table[start : start + width]) for start in range(0, len(table), width)]

    def museum(self, codes: bytes | bytearray) -> list[list[tuple[int, str, str] | None]]:
        """What hangs on each space of each exhibition: owner, style and marker."""
        spaces = len(codes) // len(self.exhibitions)
        hung = [self._painting(code) if code else None for code in codes]
        return [hung[start : start + spaces] for start in range(0, len(hung), spaces)]

    def _painting(self, code: int) -> tuple[int, str, str]:
        rest, marker = divmod(code - 1, len(self.markers))
        owner, style = divmod(rest, len(self.styles))
        return owner, self.styles[style], self.markers[marker]

    def _galleries(self, view: View) -> list[Counter[Card]]:
        return [
            Counter(
                {
                    style: count
                    for style, count in zip(self.styles, view.galleries[place :: self.galleries], strict=True)
                    if count
                }
            )
            for place in range(self.galleries)
        ]

    def _free_markers(self, view: View) -> list[Counter[str]]:
        width = len(self.markers)
        rows = [view.markers[start : start + width] for start in range(0, len(view.markers), width)]
        return [Counter({kind: count for kind, count in zip(self.markers, row, strict=True) if count}) for row in rows]

    def result(self, state: State) -> object:
        result = self.game.result(state)
        return result and (list(result.scores), list(result.ranks), result.reason)


def naive_picture(naive: NaiveGame) -> Picture:
    """The same of the naive implementation."""
    players, turn = naive.players, naive.turn
    scores = [sum(earned) for earned in points(naive)]
    return {
        "round": naive.round,
        "first": naive.first,
        "last round": naive.last_round,
        "capped": naive.reason == "ROUND_CAP",
        "max rounds": naive.max_rounds,
        "turn": None if naive.reason else naive.seat,
        "step": "over" if naive.reason else turn.step,
        "actions": turn.actions,
        "used": turn.used,
        "discounts": turn.discounts,
        "invited": turn.invited,
        "buying": turn.buying,
        "painting": turn.painting,
        "due": turn.cost - sum(naive.value(card) for card in turn.paid) if turn.buying else 0,
        "aside": Counter(turn.aside),
        "hand sizes": [len(player.hand) for player in players],
        "deck sizes": [len(player.deck) for player in players],
        "discards": [Counter(player.discard) for player in players],
        "kept": [Counter(player.kept) for player in players],
        "pool": [Counter(player.pool) for player in players],
        "shuffles": [player.shuffles for player in players],
        "removed": Counter(naive.removed),
        "galleries": [Counter(gallery.paintings) for gallery in naive.galleries.values()],
        "tokens": [gallery.token for gallery in naive.galleries.values()],
        "supply": naive.supply,
        "painting deck": len(naive.paintings),
        "bank": Counter(naive.face_up),
        "stack size": len(naive.stack),
        "fives": len(naive.fives),
        "ratings": naive.ratings,
        "museum": [
            [(hung.owner, hung.style, hung.marker) for hung in exhibition.paintings]
            + [None] * (len(exhibition.spaces) - len(exhibition.paintings))
            for exhibition in naive.museum.values()
        ],
        "free markers": [Counter(exhibition.markers) for exhibition in naive.museum.values()],
        "tiles": [exhibition.tile for exhibition in naive.museum.values()],
        "vp": [player.vp for player in players],
        "ribbons": [player.ribbons for player in players],
        "to act": naive.to_act(),
        "legal": set() if naive.reason else naive.legal(),
        "hands": [Counter(player.hand) for player in players],
        "decks": [player.deck for player in players],
        "paintings": naive.paintings,
        "stack": naive.stack,
        "result": (scores, places(naive), naive.reason) if naive.reason else None,
    }
