"""The drawing of a ruleset that has none of its own: its messages as indented lines."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from google.protobuf import any_pb2, json_format
from google.protobuf.message import Message
from rich.text import Text

from artreferee.v1 import ruleset_pb2
from clients.terminal.drawing.common import Common
from clients.terminal.drawing.drawing import Choice, LegalMove, Size, View
from clients.terminal.drawing.lines import CHANGED, sheet
from clients.terminal.words import Words
from referee.games import registry

_INDENT: Final = "  "
_PAGE: Final = 20  # entries of a menu


class PlainDrawing(Common):
    """See `Drawing`."""

    def __init__(self, ruleset: str, names: Sequence[str], words: Words) -> None:
        super().__init__(names, words)
        game = registry().get(ruleset)
        self.title: Final = game.spec.title if game else ruleset

    def table(self, view: View, size: Size, before: View | None = None, focus: Sequence[LegalMove] = ()) -> Text:
        lines = self.summary(view)
        known = set(lines) if before is None else set(self.summary(before))
        drawn = [Text(line, CHANGED if line not in known else "") for line in lines]
        return sheet(drawn, size)

    def smallest(self, view: View) -> Size:
        lines = self.summary(view)
        return Size(max(map(len, lines), default=0), len(lines))

    def summary(self, view: View) -> list[str]:
        return list(_told(view))

    def question(self, view: View, moves: Sequence[LegalMove]) -> str:
        return self._words.told("Choose a move.")

    def menu(self, view: View, moves: Sequence[LegalMove]) -> tuple[Choice, ...]:
        entries = tuple(Choice(self.move(move), (move,)) for move in moves)
        if len(entries) <= _PAGE:
            return entries
        pages = [entries[start : start + _PAGE] for start in range(0, len(entries), _PAGE)]
        return tuple(
            Choice(f"{page[0].text} … {page[-1].text}", tuple(entry.moves[0] for entry in page), page) for page in pages
        )

    def move(self, move: LegalMove) -> str:
        return move.text or str(move.id)

    def _happened(self, event: ruleset_pb2.GameEvent) -> list[str]:
        return [" ".join(line.strip() for line in _told(event))]


def _told(message: ruleset_pb2.View | ruleset_pb2.GameEvent) -> Iterator[str]:
    """Tells the ruleset's own message as indented lines."""
    ruleset = message.WhichOneof("ruleset")
    if ruleset is None:
        return
    own = getattr(message, ruleset)
    yield from _tree("", _fields(own), 0) if own is not None else ()


def _fields(message: Message) -> Any:
    """Returns the fields of a message; of one whose type is not known here, its type and size."""
    try:
        fields = json_format.MessageToDict(message, preserving_proto_field_name=True)
    except TypeError:
        if not isinstance(message, any_pb2.Any):
            raise
        return {"@type": message.type_url, "bytes": len(message.value)}
    return fields


def _tree(name: str, value: Any, depth: int) -> Iterator[str]:
    indent = _INDENT * depth
    match value:
        case dict():
            if name:
                yield f"{indent}{name}:"
            for field, inner in value.items():
                yield from _tree(field, inner, depth + bool(name))
        case [*items] if any(isinstance(item, dict | list) for item in items):
            for number, item in enumerate(items):
                yield from _tree(f"{name} {number}", item, depth)
        case [*items]:
            yield f"{indent}{name}: {', '.join(map(str, items))}"
        case _:
            yield f"{indent}{name}: {value}"
