"""The parts of URLs, also of those that name several hosts."""

import re
from typing import Final
from urllib.parse import SplitResult

_PARTS: Final = re.compile(r"(?:([^:/?#]+):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?", re.DOTALL)


def split(url: str) -> SplitResult:
    """Splits any text as RFC 3986, appendix B, does it.

    `urllib.parse.urlsplit` raises ValueError where it does not like what is in brackets, and in some versions of Python
    also where an address of IPv6 is not the first of several.
    """
    parts = _PARTS.fullmatch(url.strip())
    scheme, *rest = parts.groups("") if parts else ("", "", "", "", "")
    return SplitResult(scheme.lower(), *rest)
