"""What a wire module does for its ruleset."""

from typing import Any, Protocol

from artreferee.v1 import ruleset_pb2
from referee.core.game import AnyGame, Options


class RulesetWire(Protocol):
    """Turns one ruleset's messages into domain values and back."""

    @property
    def game(self) -> AnyGame:
        """The rules that the values belong to."""
        ...

    @property
    def plugin_move(self) -> str | None:
        """The full name of the message that a plug-in's moves are sent as, in `Any`; None for a built-in ruleset."""
        ...

    def options_from(self, message: ruleset_pb2.Options) -> Options:
        """Returns the options given, without defaults.

        Raises:
            InvalidOptionError: options of another ruleset.
        """
        ...

    def options(self, options: Options) -> ruleset_pb2.Options:
        """Returns options as a message."""
        ...

    def move_from(self, message: ruleset_pb2.Move) -> int:
        """Returns a move's id.

        Raises:
            MalformedMoveError: no move of this ruleset in any position.
        """
        ...

    def move(self, move: int) -> ruleset_pb2.Move:
        """Returns a move as a message, which is shared: copy it, do not change it."""
        ...

    def event(self, event: Any) -> ruleset_pb2.GameEvent:
        """Returns an event as a message."""
        ...

    def view(self, view: Any) -> ruleset_pb2.View:
        """Returns a view as a message."""
        ...

    def packed_view(self, view: Any) -> bytes:
        """Returns the same message packed, as the service sends it with every answer."""
        ...

    def view_from(self, message: ruleset_pb2.View) -> Any:
        """Returns the view that a message tells of, for those who think on with the rules."""
        ...
