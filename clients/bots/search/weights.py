"""The learned weights that come with the package; each file tells of the run that made it."""

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files


@cache
def weights_of(ruleset: str, seats: int, features: Sequence[str]) -> Sequence[float]:
    """Returns a weight for each feature, for the number of seats nearest to `seats` that was learned.

    Raises:
        ValueError: the file is of other features; train anew.
    """
    text = files(__package__).joinpath("learned", f"{ruleset}.json").read_text(encoding="utf-8")
    learned = json.loads(text)
    if tuple(learned["features"]) != tuple(features):
        raise ValueError(f"learned/{ruleset}.json has the features {learned['features']}, expected {list(features)}")
    nearest = min(learned["weights"], key=lambda trained: abs(int(trained) - seats))
    return tuple(learned["weights"][nearest])
