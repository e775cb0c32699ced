"""Tournament files for tests."""

from pathlib import Path
from typing import Final

RIGHT: Final = """\
name = "Winter cup"
deals = 20
seed = "practice"
concurrency = 8
independent_deals = true

[format]
name = "gauntlet"
champions = ["Alpha"]
groups = 12

[clocks]
move_limit_ms = 1000
bank_ms = 60_000
increment_ms = 500
margin_ms = 100

[faults]
illegal_moves = 3
disconnect_grace_ms = 30_000

[[games]]
ruleset = "artsee"
seats = [2, 3]
options = { start_seat = 1 }

[[games]]
ruleset = "art_decko"
seats = 4

[[games]]
ruleset = "classic_art"

[[entrants]]
name = "Alpha"
bot = "greedy"
iterations = 500
seconds = 2

[[entrants]]
name = "Beta"
version = "0.9"
cmd = ["sh", "-c", "sleep 1"]
lasting = "match"
environment = { SIZE = "5", MODE = "fast" }

[[entrants]]
name = "Gamma"
principal = "00112233445566778899AABBCCDDEEFF00112233445566778899aabbccddeeff"

[[entrants]]
bot = "random"
"""
"""A file with every key there is, but for those of the other formats."""

WRONG: Final = """\
name = "Cup\\u0007"
deal = 20
deals = 0
seed = 5
concurrency = 16.5
independent_deals = "no"

[format]
name = "gauntlet"
champions = ["Alfa", "Beta", "Beta"]
rounds = 5

[clocks]
margin_ms = 100
increment_ms = 5
bank = 1

[faults]
illegal_moves = -1

[[games]]
ruleset = "artse"

[[games]]
ruleset = "artsee"
seats = [2, 6]
options = { start_seat = 2, colour = 3, size = "big" }

[[games]]
ruleset = "art_decko"
seats = 2

[[games]]
ruleset = "art_decko"
seats = [3, 2]

[[games]]
seats = 2

[[entrants]]
name = "Alpha"
bot = "gready"
iteration = 500

[[entrants]]
name = "Alpha"
cmd = ["no-such-program", "x"]
environment = { "A=B" = "" }

[[entrants]]
cmd = ["sh"]
iterations = 5

[[entrants]]
name = "a\\u202Eb"
principal = "abc"

[[entrants]]
name = "Both"
bot = "greedy"
cmd = ["sh"]

[[entrants]]
name = "e\\u0301"
bot = "./no_such_file.py:Bot"

[[entrants]]
name = "An entrant whose name is very long"
bot = "random"
seconds = 0

[[entrants]]
name = "None"

[[entrants]]
name = "   "
cmd = []
lasting = "forever"
"""
"""A file with as many faults as there are kinds of them."""


def saved(folder: Path, text: str) -> Path:
    """Returns the path of a file with this text."""
    file = folder / "cup.toml"
    file.write_text(text)
    return file
