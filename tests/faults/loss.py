"""What a store loses when its machine crashes: the end of its file."""

from pathlib import Path

from tests.servers import StoreServer


def kept_bytes(server: StoreServer) -> int:
    """Returns how long the file of a server is that keeps one."""
    return file_of(server).stat().st_size


def cut_off(server: StoreServer, length: int) -> None:
    """Shortens the file of a server that does not run, as if the rest had not reached the disk."""
    with file_of(server).open("r+b") as file:
        file.truncate(length)


def file_of(server: StoreServer) -> Path:
    """Returns where a server keeps what it is told."""
    [file] = server.home.glob("appendonlydir/*.incr.aof")
    return file
