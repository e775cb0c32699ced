"""The file of the organisers' orders: it only grows, and tells what was ordered or that it was damaged."""

import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from clients.tournament import orders
from clients.tournament.orders import Adjudicate, Enter, Order, OrdersError, Pause, Replace, Resume, Withdraw
from clients.tournament.plan import Entrant, Kind, Lasting

EVERY_ORDER: list[Order] = [
    Pause(),
    Resume(),
    Withdraw("Alpha"),
    Enter(Entrant("Beta", "2", bot="./bot.py:Bot", iterations=500, seconds=0.5)),
    Replace(
        Entrant(
            "Gamma",
            kind=Kind.COMMAND,
            command=("node", "bot.js"),
            lasting=Lasting.MATCH,
            environment=(("A", "1"),),
        )
    ),
    Adjudicate("artsee/2/0/0.0/1", (1, 1), "a power cut"),
]


def written(directory: Path, *given: Order) -> bytes:
    for order in given:
        orders.append(directory, order)
    return (directory / orders.FILE).read_bytes()


def test_every_order_is_read_as_it_was_given(tmp_path: Path) -> None:
    written(tmp_path, *EVERY_ORDER)
    assert orders.read(tmp_path) == EVERY_ORDER


def test_only_what_came_after_is_read(tmp_path: Path) -> None:
    written(tmp_path, *EVERY_ORDER)
    assert orders.read(tmp_path, 4) == EVERY_ORDER[4:]
    assert orders.read(tmp_path, len(EVERY_ORDER)) == []


def test_without_a_file_there_are_no_orders(tmp_path: Path) -> None:
    assert orders.read(tmp_path) == []
    assert orders.torn_bytes(tmp_path) == 0


def test_orders_have_ids_of_their_own() -> None:
    assert len({Pause().id for _ in range(100)}) == 100


def test_the_checksum_is_of_the_order_as_it_is_written(tmp_path: Path) -> None:
    line = written(tmp_path, Pause(id="a", given_ms=5))
    order = b'{"order":"pause","id":"a","given_ms":5}'
    assert line == b'{"checksum":"' + sha256(order).hexdigest().encode() + b'","order":' + order + b"}\n"


def test_a_torn_last_line_is_not_read_and_the_next_order_takes_its_place(tmp_path: Path) -> None:
    """A process that was killed while it wrote has told nobody that its order was taken."""
    whole = written(tmp_path, Pause(), Resume())
    for length in range(len(whole)):
        (tmp_path / orders.FILE).write_bytes(whole[:length])
        complete = whole[:length].count(b"\n")
        assert len(orders.read(tmp_path)) == complete
        assert orders.torn_bytes(tmp_path) == length - len(b"".join(whole.splitlines(keepends=True)[:complete]))
        last = Withdraw("Alpha")
        orders.append(tmp_path, last)
        assert orders.read(tmp_path)[complete:] == [last]


def test_a_changed_byte_anywhere_is_found(tmp_path: Path) -> None:
    """Whatever byte of a whole line differs, the order is not taken for another one."""
    whole = written(tmp_path, Withdraw("Alpha"), Pause())
    for place in range(whole.index(b"\n")):
        damaged = bytearray(whole)
        damaged[place] ^= 1
        (tmp_path / orders.FILE).write_bytes(damaged)
        with pytest.raises(OrdersError, match=r"orders.jsonl, line [12]: "):
            orders.read(tmp_path)


def test_orders_of_several_processes_at_once_are_all_whole(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from clients.tournament import orders\n"
        "for number in range(50): orders.append(Path(sys.argv[1]), orders.Withdraw(f'{sys.argv[2]} {number}'))"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    processes = [subprocess.Popen([*command, name]) for name in ("a", "b", "c")]
    assert [process.wait(30) for process in processes] == [0, 0, 0]
    names = [order.entrant for order in orders.read(tmp_path) if isinstance(order, Withdraw)]
    assert sorted(names) == sorted(f"{name} {number}" for name in "abc" for number in range(50))
    for name in "abc":
        assert [told for told in names if told[0] == name] == [f"{name} {number}" for number in range(50)]
