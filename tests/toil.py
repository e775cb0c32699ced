"""What workers may do in tests; it lies here, because each is a process that has to find it."""

import os
from multiprocessing.connection import Connection


def listen(_: int, parent: Connection) -> None:
    """Does as it should: listens until it is told to end."""
    parent.send(None)
    parent.poll(None)


def refuse(number: int, parent: Connection) -> None:
    """Cannot listen, if it is the second one."""
    if number == 1:
        parent.send("there is no room")
    else:
        listen(number, parent)


def die(_: int, __: Connection) -> None:
    """Ends without a word."""
    os._exit(7)


def listen_and_die(_: int, parent: Connection) -> None:
    """Listens and ends."""
    parent.send(None)
    os._exit(7)
