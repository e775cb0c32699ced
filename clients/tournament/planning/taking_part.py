"""Reading who takes part."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, count
from typing import Any, Final

from clients.bots.load import BotNotFoundError, bot_file, built_in
from clients.tournament.plan import Entrant, Kind, Lasting
from clients.tournament.planning import values
from clients.tournament.planning.positions import Path
from clients.tournament.planning.reading import Reading
from clients.tournament.planning.values import Check, ValueFaultError, listed
from clients.tournament.players import Description, NoBotError, describe

_OF_ALL: Final[Mapping[str, Check]] = {"name": values.name, "version": values.text(values.LONGEST_VERSION, 0)}
_WAYS: Final[Mapping[str, Mapping[str, Check]]] = {
    "bot": {"bot": values.text(4096), "iterations": values.whole(1, 10**9), "seconds": values.number(0, 3600)},
    "cmd": {"cmd": values.command, "lasting": values.choice(Lasting), "environment": values.variables},
    "principal": {"principal": values.principal_hash},
}
"""How an entrant may play, by the key that says so: the keys that go with it."""

_KINDS: Final = {"bot": Kind.BOT, "cmd": Kind.COMMAND, "principal": Kind.REMOTE}
_ATTRIBUTES: Final = {"cmd": "command", "principal": "principal_hash"}


class EntrantReader:
    """Reads entrants. Bots are asked what they call themselves, those of files in processes of their own.

    Args:
        reading: what is read.
        taken: names that are in use already.
    """

    def __init__(self, reading: Reading, taken: Iterable[str] = ()) -> None:
        self._reading: Final = reading
        self._taken: Final = set(taken)
        self._bots: Final = dict[str, Description]()

    def read(self, path: Path, tables: Sequence[Mapping[str, Any]]) -> list[Entrant]:
        """Returns the entrants that are right. A bot without a name has its own, with a number where that is taken."""
        places = [(*path, number) for number in range(len(tables))]
        read = [self._table(place, table) for place, table in zip(places, tables, strict=True)]
        for place, stated in zip(places, read, strict=True):
            if "name" in stated:
                self._claim(place, stated["name"])
        entrants = [self._entrant(*each) for each in zip(places, tables, read, strict=True)]
        return [entrant for entrant in entrants if entrant is not None]

    def _table(self, place: Path, table: Mapping[str, Any]) -> dict[str, Any]:
        ways = [way for way in _WAYS if way in table]
        if len(ways) != 1:
            has = listed(ways, "and") if ways else "none"
            self._reading.fault(place, f"an entrant has one of {listed(list(_WAYS), 'and')}, this one has {has}")
            return {}
        if ways != ["bot"] and "name" not in table:
            self._reading.fault(place, f"an entrant with {ways[0]} needs a name")
        return self._reading.table(place, table, {**_OF_ALL, **_WAYS[ways[0]]}, f"an entrant with {ways[0]}")

    def _claim(self, place: Path, name: str) -> None:
        if name in self._taken:
            self._reading.fault((*place, "name"), f"entrants.name is {name!r}, as that of another entrant")
        self._taken.add(name)

    def _entrant(self, place: Path, table: Mapping[str, Any], stated: Mapping[str, Any]) -> Entrant | None:
        way = next((way for way in _WAYS if way in stated), None)
        if way is None:
            return None
        try:
            if way == "bot":
                stated = {**self._own(stated["bot"], _OF_ALL.keys() - table.keys()), **stated}
            if way == "cmd":
                values.program(stated["cmd"], dict(stated.get("environment", ())))
        except ValueFaultError as fault:
            self._reading.fault((*place, way), f"entrants.{way} {fault}")
            return None
        if "name" not in stated:
            return None
        return Entrant(kind=_KINDS[way], **{_ATTRIBUTES.get(key, key): value for key, value in stated.items()})

    def _own(self, spec: str, wanted: Iterable[str]) -> dict[str, Any]:
        """Returns what a bot says of itself."""
        if spec not in self._bots:
            self._bots[spec] = _described(spec)
        bot = self._bots[spec]
        try:
            own = {key: _OF_ALL[key](getattr(bot, key)) for key in wanted}
            if "name" in own:
                own["name"] = values.name(self._free(own["name"]))
                self._taken.add(own["name"])
        except ValueFaultError as fault:
            raise ValueFaultError(f"is a bot that calls itself what {fault}") from None
        return own

    def _free(self, name: str) -> str:
        numbered = (f"{name} {number}" for number in count(2))
        return next(free for free in chain([name], numbered) if free not in self._taken)


def _described(spec: str) -> Description:
    if known := built_in(spec):
        bot = known()
        return Description(bot.name, bot.version)
    try:
        bot_file(spec)
        return asyncio.run(describe(spec))
    except (BotNotFoundError, NoBotError) as error:
        raise ValueFaultError(f"is no bot: {error}") from None
