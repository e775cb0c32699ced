"""Random play of many characters: one seldom discards, another buys whenever it can, a third exhibits."""

import random
from collections.abc import Sequence

from tests.games.art_decko.moves import Move

_WORDS = ("haggle", "acquire", "buy", "exhibit", "power", "discard", "done")


class Character:
    """Chooses first the sort of a move, some sorts more gladly than others, then any move of it."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._likes = {word: rng.choice((1, 1, 3, 20)) for word in _WORDS}

    def choose(self, moves: Sequence[Move]) -> Move:
        words = sorted({move[0] for move in moves})
        (word,) = self._rng.choices(words, [self._likes.get(word, 1) for word in words])
        return self._rng.choice([move for move in moves if move[0] == word])
