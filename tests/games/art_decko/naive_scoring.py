"""The final scoring of the naive Art Decko."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tests.games.art_decko.moves import GOLD
from tests.games.art_decko.naive_table import NUMBERS, Exhibition

if TYPE_CHECKING:
    from tests.games.art_decko.naive import NaiveGame


def points(game: NaiveGame) -> list[tuple[int, int, int, int]]:
    """VP taken, of paintings, of gold, of bonus tiles."""
    tiles, found = bonuses(game), []
    for seat, player in enumerate(game.players):
        paintings = sum(game.at_rating("painting_vp", card) for card in player.own() if card in game.styles)
        gold = sum(NUMBERS[card] for card in player.own() if card not in game.styles)
        found.append((player.vp, paintings, gold // game.at_rating("gold_per_vp", GOLD), tiles[seat]))
    return found


def bonuses(game: NaiveGame) -> list[int]:
    scoring = [exhibition for exhibition in game.museum.values() if not exhibition.markers]
    if not scoring:
        most = max(len(exhibition.paintings) for exhibition in game.museum.values())
        scoring = [exhibition for exhibition in game.museum.values() if most and len(exhibition.paintings) == most]
    totals = [0] * game.seats
    for exhibition in scoring:
        counts = [count(game, exhibition, seat) for seat in range(game.seats)]
        for seat, earned in enumerate(tile_points(exhibition.tile, counts)):
            totals[seat] += earned
    return totals


def count(game: NaiveGame, exhibition: Exhibition, seat: int) -> int:
    """What the tile above an exhibition counts of a player."""
    own, tile = Counter(game.players[seat].own()), exhibition.tile
    gold = {card: number for card, number in own.items() if card not in game.styles}
    mine = [painting for other in game.museum.values() for painting in other.paintings if painting.owner == seat]
    match tile["counts"]:
        case "OWN_PAINTINGS":
            return own[tile["style"]]
        case "OWN_GOLD_CARDS":
            return sum(gold.values())
        case "OWN_GOLD":
            return sum(NUMBERS[card] * number for card, number in gold.items())
        case "OWN_CARDS":
            return own.total()
        case "OWN_SETS":
            return min(own[style] for style in game.styles)
        case "MUSEUM_PAINTINGS":
            return len(mine)
        case "MUSEUM_STYLES":
            return len({painting.style for painting in mine})
        case "EXHIBITION_PAINTINGS":
            return sum(painting.owner == seat for painting in exhibition.paintings)
        case "FIRST_SPACES":
            firsts = [other.paintings[0] for other in game.museum.values() if other.paintings]
            return sum(painting.owner == seat for painting in firsts)
    raise ValueError(f"an unknown tile: {tile}")


def tile_points(tile: dict[str, Any], counts: Sequence[int]) -> list[int]:
    """What a bonus tile gives for such counts."""
    vp = tile["vp"]
    if tile["scoring"] == "EACH":
        return [count * vp[0] for count in counts]
    if tile["scoring"] == "FEWEST":
        places = [len([other for other in counts if other < count]) for count in counts]
    else:
        places = [len([other for other in counts if other > count]) if count else len(vp) for count in counts]
    return [vp[place] if place < len(vp) else 0 for place in places]


def places(game: NaiveGame) -> list[int]:
    """VP, then paintings in the museum; who is equal in both shares the place."""
    hung = [game.box["museum"]["ribbons"] - player.ribbons for player in game.players]
    standings = [(sum(earned), paintings) for earned, paintings in zip(points(game), hung, strict=True)]
    return [1 + len([other for other in standings if other > standing]) for standing in standings]
