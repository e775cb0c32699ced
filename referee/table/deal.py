"""New matches: what a host asks for, and the deal."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from referee.core.errors import InvalidOptionError, Reason, RefereeError
from referee.core.game import AnyGame, Options
from referee.core.seeding import SEED_BYTES, commitment
from referee.table.clocks import NO_TERMS, Terms
from referee.table.ids import MatchId, Principal
from referee.table.snapshot import Course, Head, SeatCourse, SeatHead, Snapshot, Status, Visibility
from referee.table.transitions import digest_of


@dataclass(frozen=True, slots=True)
class Creation:
    """What a host asks for: `seats` with its choice of principals, `options` as given, `bot_seeds` as in `Head`."""

    ruleset: str
    options: Options
    seats: tuple[SeatHead, ...]
    seed: bytes | None
    on_release: bool
    deal_group: str
    visibility: Visibility = Visibility.PUBLIC
    terms: Terms = NO_TERMS
    bot_seeds: tuple[bytes, ...] = ()


def deal(games: Mapping[str, AnyGame], match_id: MatchId, host: Principal, creation: Creation) -> Snapshot:
    """Returns a new match, dealt and not stored yet.

    Raises:
        RefereeError: UNKNOWN_RULESET, SEAT_COUNT or INVALID_OPTION.
    """
    game = games.get(creation.ruleset)
    if game is None:
        raise RefereeError(Reason.UNKNOWN_RULESET, ruleset=creation.ruleset, known=", ".join(games))
    spec, seats = game.spec, len(creation.seats)
    if seats not in spec.seats:
        least, most = min(spec.seats), max(spec.seats)
        raise RefereeError(Reason.SEAT_COUNT, ruleset=spec.name, seats=seats, min_seats=least, max_seats=most)
    try:
        options = game.options(creation.options, seats)
    except InvalidOptionError as error:
        raise RefereeError(Reason.INVALID_OPTION, option=error.option, problem=error.problem) from None
    seed = creation.seed or secrets.token_bytes(SEED_BYTES)
    state = game.setup(options, seats, seed)
    head = Head(
        ruleset=spec.name,
        rules_version=spec.rules_version,
        data_version=spec.data_version,
        data_digest=spec.data_digest,
        options=dict(options),
        seats=creation.seats,
        seed=seed,
        seed_given=creation.seed is not None,
        commitment=commitment(match_id, seed),
        host=host,
        on_release=creation.on_release,
        deal_group=creation.deal_group,
        request=digest_of(
            spec.name,
            sorted(creation.options.items()),
            creation.seats,
            creation.seed,
            creation.on_release,
            creation.deal_group,
            creation.visibility,
            creation.terms,
            *creation.bot_seeds,
        ),
        visibility=creation.visibility,
        terms=creation.terms,
        bot_seeds=creation.bot_seeds,
    )
    course = Course(
        Status.WAITING,
        0,
        (SeatCourse(bank_ms=creation.terms.bank_ms),) * seats,
        released=False,
        end=None,
        state=game.encode(state),
    )
    return Snapshot(match_id, None, head, course, {}, game, state)
