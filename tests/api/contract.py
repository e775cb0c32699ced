"""What the comments of the contract say, read from the .proto files."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PROTOS: Final = Path(__file__).parents[2] / "protos" / "artreferee" / "v1"
PREFIX: Final = "ERROR_REASON_"


@dataclass(frozen=True, slots=True)
class Documented:
    """What the comment of a reason says."""

    code: str
    metadata: frozenset[str]
    with_bad_request: bool
    with_retry_info: bool


def documented_reasons() -> dict[str, Documented]:
    """What error.proto says of each reason but the unspecified one, by its name without the prefix."""
    comment, found = list[str](), dict[str, Documented]()
    body = (PROTOS / "error.proto").read_text().partition("enum ErrorReason {")[2]
    for line in map(str.strip, body.splitlines()):
        if line.startswith("//"):
            comment.append(line.removeprefix("//").strip())
        elif value := re.fullmatch(rf"{PREFIX}(\w+) = (\d+);", line):
            if value[2] != "0":
                found[value[1]] = _documented(" ".join(comment))
            comment.clear()
    return found


def errors_of_calls() -> dict[str, set[str]]:
    """The reasons that the comment of each call in service.proto names, by the name of the call."""
    comment, found = list[str](), dict[str, set[str]]()
    for line in map(str.strip, (PROTOS / "service.proto").read_text().splitlines()):
        if line.startswith("//"):
            comment.append(line.removeprefix("//").strip())
        elif call := re.match(r"rpc (\w+)\(", line):
            found[call[1]] = set(re.findall(r"\b[A-Z]+(?:_[A-Z]+)+\b", " ".join(comment)))
            comment.clear()
        else:
            comment.clear()
    return found


def comments_of_fields() -> dict[str, str]:
    """The comment of each field of the contract, by its message and its name, such as "Match.match_id"."""
    comment, scopes, found = list[str](), list[str](), dict[str, str]()
    for line in (line.strip() for file in sorted(PROTOS.glob("*.proto")) for line in file.read_text().splitlines()):
        if line.startswith("//"):
            comment.append(line.removeprefix("//").strip())
            continue
        if field := re.fullmatch(r"(?:optional |repeated )?[\w.]+ (\w+) = \d+;", line):
            message = next(scope for scope in reversed(scopes) if scope)
            found[f"{message}.{field[1]}"] = " ".join(comment)
        elif scope := re.fullmatch(r"(\w+) (\w+) \{(\})?", line):
            scopes += [] if scope[3] else [scope[2] if scope[1] == "message" else ""]
        elif line == "}":
            scopes.pop()
        comment.clear()
    return found


def _documented(comment: str) -> Documented:
    named = re.search(r"Metadata: ([^.]*)\.", comment)
    names = re.sub(r"\([^)]*\)", "", named[1]).split(",") if named else []
    return Documented(
        code=comment.partition(":")[0],
        metadata=frozenset(name.strip() for name in names),
        with_bad_request="With BadRequest" in comment,
        with_retry_info="With RetryInfo" in comment,
    )
