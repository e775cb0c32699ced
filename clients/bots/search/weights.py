"""The learned weights that come with the package; each file tells of the run that made it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Weights:
    """What was learned for one number of seats.

    Attributes:
        points: what each feature is worth at the end.
        start: the log-odds of a point at the start.
        end: those at the end.
    """

    points: tuple[float, ...]
    start: float
    end: float

    def log_odds(self, late: float) -> float:
        """Returns the log-odds of a point when so much of the match is over."""
        return self.start + (self.end - self.start) * late


@cache
def weights_of(ruleset: str, seats: int, features: Sequence[str]) -> Weights:
    """Returns the weights for the number of seats nearest to `seats` that was learned.

    Raises:
        ValueError: the file is of other features; train anew.
    """
    text = files(__package__).joinpath("learned", f"{ruleset}.json").read_text(encoding="utf-8")
    learned = json.loads(text)
    if tuple(learned["features"]) != tuple(features):
        raise ValueError(f"learned/{ruleset}.json has the features {learned['features']}, expected {list(features)}")
    nearest = learned["weights"][min(learned["weights"], key=lambda trained: abs(int(trained) - seats))]
    return Weights(tuple(nearest["points"]), nearest["start"], nearest["end"])
