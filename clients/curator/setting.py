"""The options of the commands that begin a match: what it is played with, and how it is shown."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Final

import click

from artreferee.v1 import match_pb2
from clients.bots.load import BotNotFoundError, bot_file, load_bot
from clients.curator import seats
from clients.curator.connection import tls_options
from clients.sdk import Principal, Tls
from clients.terminal.opening import NewMatch, usual_name
from clients.terminal.screen import Style
from clients.terminal.words import Words
from referee.core.errors import InvalidOptionError
from referee.games import registry


@dataclass(frozen=True, slots=True)
class Setting:
    """What the options say.

    Attributes:
        opponents: bots that this machine plays.
        address: the referee; None if none is named.
        principal: who plays; None if no token is given.
        name: what whoever plays is called.
        tls: how TLS is spoken with the referee; None for in the clear.
        options: those of the ruleset that are not left as usual.
        private: whether the match is hidden from all who do not play.
        time_control: how long seats may think; None for as long as they like.
        fault_policy: what is borne of seats; None for everything.
        words: the language.
        plain: whether lines are wanted, not the whole screen.
    """

    opponents: Sequence[str]
    address: str | None
    principal: Principal | None
    name: str
    tls: Tls | None
    options: Mapping[str, int]
    private: bool
    time_control: match_pb2.TimeControl | None
    fault_policy: match_pb2.FaultPolicy | None
    words: Words
    plain: bool

    @property
    def style(self) -> Style:
        """How to show; raises `NoScreenError`."""
        return Style.wanted(self.words, plain=self.plain)

    def match_of(self, ruleset: str, open_seats: int = 0) -> NewMatch:
        """Returns the match to be created, with seats for whoever begins it, the bots, and so many others.

        Raises:
            click.UsageError: the ruleset has no such option.
        """
        if self.options:
            count = 1 + len(self.opponents) + open_seats
            try:
                registry()[ruleset].options(self.options, count)
            except KeyError:
                raise click.UsageError(f"options are for rulesets that are installed here, not for {ruleset}") from None
            except InvalidOptionError as error:
                raise click.UsageError(str(error)) from None
        return NewMatch(
            ruleset=ruleset,
            name=self.name,
            opponents=self.opponents,
            open_seats=open_seats,
            options=self.options,
            private=self.private,
            time_control=self.time_control,
            fault_policy=self.fault_policy,
            address=self.address,
            tls=self.tls,
            principal=self.principal or Principal.new(),
        )


def setting(usual_opponents: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Lets a command that begins a match take all these options; it is given them as `setting`."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(
            *,
            opponents: list[str],
            address: str | None,
            principal: Principal | None,
            name: str,
            tls: Tls | None,
            options: dict[str, int],
            private: bool,
            words: Words,
            plain: bool,
            move_limit: int,
            bank: int,
            increment: int,
            margin: int,
            join_limit: int,
            grace: int,
            **rest: object,
        ) -> None:
            times = match_pb2.TimeControl(
                move_limit_ms=move_limit, bank_ms=bank, increment_ms=increment, margin_ms=margin
            )
            faults = match_pb2.FaultPolicy(join_limit_ms=join_limit, disconnect_grace_ms=grace)
            stated = Setting(
                opponents=opponents,
                address=address,
                principal=principal,
                name=name,
                tls=tls,
                options=options,
                private=private,
                time_control=times if move_limit or bank or increment else None,
                fault_policy=faults if join_limit or grace else None,
                words=words,
                plain=plain,
            )
            command(setting=stated, **rest)

        decorated: Callable[..., None] = tls_options(run)
        for option in reversed((_opponents(usual_opponents), *_OPTIONS)):
            decorated = option(decorated)
        return decorated

    return decorate


def _bots(context: click.Context, parameter: click.Parameter, text: str) -> list[str]:
    bots = [word.strip() for word in text.split(",") if word.strip()]
    try:
        for bot in bots:
            bot_file(bot) if ":" in bot else load_bot(bot)
    except BotNotFoundError as error:
        raise click.BadParameter(str(error)) from None
    return bots


def _numbers(context: click.Context, parameter: click.Parameter, texts: Sequence[str]) -> dict[str, int]:
    stated = dict[str, int]()
    for text in texts:
        name, _, number = text.partition("=")
        if not (number.isascii() and number.isdecimal()) or len(number) > _DIGITS:
            raise click.BadParameter(f"{text!r} is not NAME=NUMBER")
        stated[name] = int(number)
    return stated


def _opponents(usual: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return click.option(
        "--opponents", callback=_bots, metavar="A,B", help="Bots: names or FILE.py:CLASS.", default=usual
    )


def _ms(name: str, what: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return click.option(name, type=click.IntRange(0), default=0, metavar="MS", help=what, show_default=False)


_DIGITS: Final = 9
_OPTIONS: Final = (
    click.option(
        "--option",
        "options",
        callback=_numbers,
        multiple=True,
        metavar="NAME=NUMBER",
        help="An option of the ruleset, such as start_seat=0.",
    ),
    click.option("--private", is_flag=True, help="Hides the match from all who do not play in it."),
    _ms("--move-limit", "Time for each move."),
    _ms("--bank", "Time for all moves of a match."),
    _ms("--increment", "Added to the bank after each move."),
    _ms("--margin", "For the way of each move, charged to nobody."),
    _ms("--join-limit", "A seat that is open for longer goes out, and play begins."),
    _ms("--grace", "A seat goes out that is asked while its player is away for longer."),
    click.option(
        "--name", default=usual_name, metavar="TEXT", help="What others call you.", show_default="the account's"
    ),
    seats.REFEREE,
    seats.TOKEN_FILE,
    seats.LANG,
    seats.PLAIN,
)
