"""What organisers order while a tournament lasts, and what comes of it."""

from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from clients.tournament import orders
from clients.tournament.entries import Entry, Ordered
from clients.tournament.orders import Adjudicate, Enter, Order, Pause, Replace, Resume, Withdraw
from clients.tournament.plan import Entrant, Kind
from clients.tournament.running import begin
from referee.store.memory import MemoryStore
from tests.clients.tournament.accounts import entries_of, matches_of, records_of
from tests.clients.tournament.staged import ALPHA, BETA, GAMMA, PAIRED, plan_of, played_on, referee_of

PLAN = plan_of(ALPHA, BETA, GAMMA, deals=1, concurrency=1)
PAIRS = Counter({frozenset({"Alpha", "Beta"}): 2, frozenset({"Alpha", "Gamma"}): 2, frozenset({"Beta", "Gamma"}): 2})


@pytest.fixture
async def address() -> AsyncIterator[str]:
    async with referee_of(MemoryStore()) as address:
        yield address


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A tournament that has not begun to play: three entrants in pairs on a deal."""
    begin(tmp_path / "out", PLAN)
    return tmp_path / "out"


def pairs_of(folder: Path) -> Counter[frozenset[str]]:
    """How often each two have met."""
    return Counter(frozenset(match.entrants) for match in matches_of(folder).elements())


async def drawn(folder: Path, address: str) -> None:
    """Stops a tournament when it has a round, and nothing of it is played."""
    await played_on(folder, address, until=2)
    assert [entry["type"] for entry in entries_of(folder)] == ["begun", "resumed", "drawn"]


def refusals_of(folder: Path) -> list[str]:
    """Why orders were not carried out."""
    return [entry["refusal"] for entry in entries_of(folder) if entry["type"] == "ordered" and entry["refusal"]]


async def test_nobody_who_has_withdrawn_is_played(folder: Path, address: str) -> None:
    """What was drawn and not begun is cancelled, by name."""
    await drawn(folder, address)
    orders.append(folder, Withdraw(entrant="Gamma"))
    state = await played_on(folder, address)
    assert pairs_of(folder) == Counter({frozenset({"Alpha", "Beta"}): 2})
    assert Counter(state.cancelled.values()) == Counter({"Gamma has withdrawn": 4})
    assert state.closed


async def test_who_comes_late_meets_everybody(tmp_path: Path, address: str) -> None:
    """Also when all others have met already."""
    folder = tmp_path / "out"
    begin(folder, plan_of(ALPHA, BETA, deals=1))
    await played_on(folder, address)
    orders.append(folder, Enter(entrant=GAMMA))
    state = await played_on(folder, address)
    assert pairs_of(folder) == PAIRS
    assert state.roster["Gamma"].entered == 1


async def test_a_replacement_plays_under_the_same_name(folder: Path, address: str) -> None:
    """Its version is in the records from then on, and what it replaces is remembered."""
    orders.append(folder, Replace(entrant=Entrant("Gamma", bot="random", version="2nd")))
    state = await played_on(folder, address)
    versions = {seat["entrant"]["version"] for record in records_of(folder) for seat in record["seats"]}
    assert "2nd" in versions
    assert [entrant.bot for entrant in state.roster["Gamma"].earlier] == ["greedy"]


async def test_an_adjudicated_match_has_the_result_that_it_was_given(folder: Path, address: str) -> None:
    """Whether it has been played or not; what the referee said stays in its record."""
    await played_on(folder, address)
    before = records_of(folder)
    orders.append(folder, Adjudicate(match=before[0]["match_id"], ranks=(1, 1), reason="a bug in Beta"))
    state = await played_on(folder, address)
    played = next(match for match in state.played.values() if match.match_id == before[0]["match_id"])
    assert [seat.rank for seat in played.seats] == [1, 1]
    assert played.adjudication == "a bug in Beta"
    assert played.shares == [0.5, 0.5]
    assert records_of(folder) == before


async def test_a_match_can_be_adjudicated_before_it_is_played(folder: Path, address: str) -> None:
    """It is not played any more, and has no record."""
    await drawn(folder, address)
    name = entries_of(folder)[-1]["round"]["groups"][0]["pairings"][0]
    pairing = f"{PAIRED.name}/{name['deal']['number']}/0.{name['table']}/{name['rotation']}"
    orders.append(folder, Adjudicate(match=pairing, ranks=(2, 1), reason="agreed"))
    state = await played_on(folder, address)
    assert state.played[pairing].shares == [0.0, 1.0]
    assert state.played[pairing].reason == "ADJUDICATED"
    assert len(state.played) == 6
    assert len(records_of(folder)) == 5


async def test_nothing_begins_during_a_pause(folder: Path, address: str) -> None:
    """What is under way ends; after the pause all is played."""
    orders.append(folder, Pause())

    def resume(entry: Entry) -> None:
        if isinstance(entry, Ordered) and isinstance(entry.order, Pause):
            orders.append(folder, Resume())

    state = await played_on(folder, address, heard=resume)
    types = [entry["type"] for entry in entries_of(folder)]
    assert types.index("ended") > max(place for place, name in enumerate(types) if name == "ordered")
    assert len(state.played) == 6


REFUSED: list[tuple[Order, str]] = [
    (Withdraw(entrant="Delta"), "there is no entrant 'Delta'; there are Alpha, Beta, Gamma"),
    (Enter(entrant=ALPHA), "Alpha takes part already"),
    (Enter(entrant=Entrant("Delta", bot="no_such_bot")), "there is no bot 'no_such_bot'"),
    (Replace(entrant=Entrant("Delta", bot="random")), "there is no entrant 'Delta'"),
    (
        Replace(entrant=Entrant("Alpha", kind=Kind.REMOTE, principal_hash="00" * 32)),
        "Alpha: one of the two is remote, the other is not",
    ),
    (Adjudicate(match="artsee/2/9/0.0/0", ranks=(1, 2), reason="?"), "there is no match 'artsee/2/9/0.0/0' so far"),
]


async def test_an_order_that_cannot_be_carried_out_is_refused_in_words(folder: Path, address: str) -> None:
    """It changes nothing, and the tournament goes on."""
    for order, _ in REFUSED:
        orders.append(folder, order)
    state = await played_on(folder, address)
    for told, (_, refusal) in zip(refusals_of(folder), REFUSED, strict=True):
        assert told.startswith(refusal)
    assert len(state.played) == 6


async def test_an_order_is_carried_out_once(folder: Path, address: str) -> None:
    """However often the director is stopped."""
    orders.append(folder, Withdraw(entrant="Gamma"))
    for _ in range(3):
        await played_on(folder, address, until=2)
    state = await played_on(folder, address)
    assert [entry["type"] for entry in entries_of(folder)].count("ordered") == 1
    assert state.roster["Gamma"].withdrawn
