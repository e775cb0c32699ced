"""The names of keys and channels, word for word: a store keeps what was written under them."""

import re

import pytest

from referee.store import keys
from referee.table.ids import MatchId, Principal
from referee.table.store import Enrolled

FIRST = MatchId("aaaaaaaaaaaaaaaaaaaaaaaaaa")  # 16 bytes of 0
LAST = MatchId("7777777777777777777777777y")  # the first byte is 255
SOME = MatchId("b4qgwzdxmnsw45dpojuxgzlsmu")  # the first byte is 0x0f
PRINCIPAL = Principal(bytes(range(32)))
PRINCIPAL_HEX = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (keys.tag(0), "{b:00}"),
        (keys.tag(15), "{b:0f}"),
        (keys.tag(255), "{b:ff}"),
        (keys.match(FIRST), "{b:00}:m:aaaaaaaaaaaaaaaaaaaaaaaaaa"),
        (keys.match(SOME), "{b:0f}:m:b4qgwzdxmnsw45dpojuxgzlsmu"),
        (keys.match(LAST), "{b:ff}:m:7777777777777777777777777y"),
        (keys.log(SOME), "{b:0f}:l:b4qgwzdxmnsw45dpojuxgzlsmu"),
        (keys.channel(SOME), "{b:0f}:n:b4qgwzdxmnsw45dpojuxgzlsmu"),
        (keys.listing(15), "{b:0f}:created"),
        (keys.expiry(15), "{b:0f}:expiry"),
        (keys.inbox(15, PRINCIPAL, over=False), "{b:0f}:p:" + PRINCIPAL_HEX),
        (keys.inbox(15, PRINCIPAL, over=True), "{b:0f}:f:" + PRINCIPAL_HEX),
        (keys.summons(PRINCIPAL), "s:" + PRINCIPAL_HEX),
        (keys.ROLL, "{b:00}:roll"),
    ],
)
def test_names_are_for_ever(name: str, expected: str) -> None:
    assert name == expected


@pytest.mark.parametrize("grace_ms", [1, 604_800_000])
def test_members_of_the_roll_are_for_ever_and_read_back(grace_ms: int) -> None:
    member = PRINCIPAL + f"b4qgwzdxmnsw45dpojuxgzlsmu{grace_ms}".encode()
    assert keys.enrolled(PRINCIPAL, SOME, grace_ms) == member
    assert keys.enrolled_in(member) == Enrolled(PRINCIPAL, SOME, grace_ms)


def test_all_names_of_a_match_carry_the_hash_tag_of_its_bucket() -> None:
    """A cluster puts names with one tag on one node: it hashes only what the first braces hold."""
    names = [keys.match(SOME), keys.log(SOME), keys.channel(SOME), keys.listing(15), keys.expiry(15)]
    names += [keys.inbox(15, PRINCIPAL, over) for over in (False, True)]
    assert {match[0] for name in names if (match := re.search(r"\{(.+?)\}", name))} == {"{b:0f}"}
    assert len(set(names)) == len(names)
