"""What a monitoring system reads, taken apart."""

import asyncio
from collections.abc import Iterator

from prometheus_client.parser import text_string_to_metric_families

Series = dict[tuple[str, ...], float]


def labels_of(text: str) -> dict[str, frozenset[str]]:
    """The names of all metrics that have a sample, as they are documented, with the names of their labels."""
    found = dict[str, frozenset[str]]()
    for family in text_string_to_metric_families(text):
        name = f"{family.name}_total" if family.type == "counter" else family.name
        for sample in family.samples:
            found[name] = frozenset(sample.labels) - {"le"} | found.get(name, frozenset())
    return found


def values_of(text: str, name: str) -> Series:
    """The samples of one name, by the values of their labels, which stand in the order of their names."""
    return {
        tuple(labels[label] for label in sorted(labels)): value
        for sample, labels, value in _samples(text)
        if sample == name
    }


def label_values(text: str) -> set[str]:
    """All values of labels but the bounds of buckets."""
    return {value for _, labels, _ in _samples(text) for label, value in labels.items() if label != "le"}


async def fetched(address: str, path: str, method: str = "GET") -> tuple[int, str]:
    """What an HTTP server answers: status and body."""
    host, _, port = address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(f"{method} {path} HTTP/1.1\r\nHost: {address}\r\n\r\n".encode())
    async with asyncio.timeout(10):
        head, _, body = (await reader.read()).decode().partition("\r\n\r\n")
    writer.close()
    await writer.wait_closed()
    assert "Connection: close" in head
    return int(head.split(" ", 2)[1]), body


def _samples(text: str) -> Iterator[tuple[str, dict[str, str], float]]:
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            yield sample.name, sample.labels, sample.value
