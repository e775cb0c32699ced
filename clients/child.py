"""Processes of one's own that end when their standard input does."""

import asyncio


async def end(process: asyncio.subprocess.Process, within_s: float) -> None:
    """Ends a process in order, or kills it when that takes too long."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        async with asyncio.timeout(within_s):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
