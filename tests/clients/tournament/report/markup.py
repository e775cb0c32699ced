"""A page as its tags, without a browser."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

_EMPTY = {"meta", "link", "br", "hr", "img", "input"}


@dataclass
class Element:
    """An element: its tag, attributes, children and the text in it, its own and its children's."""

    tag: str
    attributes: dict[str, str]
    children: list["Element"] = field(default_factory=list)
    text: str = ""

    def all(self, tag: str) -> list["Element"]:
        """All elements of a tag in it, in order."""
        found = [self] if self.tag == tag else []
        return [*found, *(one for child in self.children for one in child.all(tag))]

    def one(self, tag: str, **attributes: str) -> "Element":
        """The only element of a tag that has these attributes."""
        found = [one for one in self.all(tag) if attributes.items() <= one.attributes.items()]
        assert len(found) == 1, f"{len(found)} of {tag} {attributes}"
        return found[0]

    def rows(self) -> list[list[str]]:
        """The texts of a table's cells, heading first."""
        return [[cell.text.strip() for cell in row.children if cell.tag in ("td", "th")] for row in self.all("tr")]


class _Reader(HTMLParser):
    """Reads a page in which every element that is opened is closed, in order."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(element)
        if tag not in _EMPTY:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].children.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}> at {self.getpos()}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        for element in self.open:
            element.text += data


def read(page: str) -> Element:
    """Returns a page's root; fails where elements are not closed in order."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    assert [element.tag for element in reader.open] == [""]
    return reader.root
