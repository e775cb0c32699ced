"""A crash may leave a part of the last write on the disk: it is undone, and stays so."""

from referee.store.redis_store import RedisStore
from referee.table.ids import MatchId
from referee.table.store import Stored
from tests.faults.loss import file_of, kept_bytes
from tests.servers import StoreServer, bundled_server, store_server
from tests.store.writes import any_match, created, write_of, written

PARTS = 8


async def found(server: StoreServer, match_id: MatchId) -> tuple[Stored | None, int]:
    """What a server holds of a match, and how long its log is, after a write of another match."""
    store = RedisStore(server.url)
    try:
        await created(store, any_match(), [b"other"])
        return await store.load(match_id), len(await store.log(match_id, 0, 10))
    finally:
        await store.close()


async def test_a_write_that_reached_the_disk_in_part_is_undone_also_after_the_next_start() -> None:
    """Of the embedded server. Redis 7.0 leaves the part in its file, and the start after the next carries it out."""
    with store_server(bundled_server(), "always") as server:
        store, match_id = RedisStore(server.url), any_match()
        header = await created(store, match_id, [b"a"])
        before = kept_bytes(server)
        await written(store, write_of(match_id, header, [b"b"], after=1, fields={"state": b"moved"}))
        await store.close()
        server.kill()
        file = file_of(server)
        whole = file.read_bytes()
        for part in range(1, PARTS):
            file.write_bytes(whole[: before + (len(whole) - before) * part // PARTS])
            for _ in range(2):
                server.start()
                assert await found(server, match_id) == (Stored(header.encode(), {"state": b"dealt"}), 1)
                server.kill()
