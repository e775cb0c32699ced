"""Times as a clock shows them."""


def clock(ms: int) -> str:
    """Returns a time as minutes and seconds, rounded down; under ten seconds with a tenth."""
    if ms < 10_000:
        return f"0:0{ms // 1000}.{ms // 100 % 10}"
    return f"{ms // 60_000}:{ms // 1000 % 60:02}"
