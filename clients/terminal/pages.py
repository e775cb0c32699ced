"""Texts that are looked up: rules, and hints."""

from clients.rules import languages, page
from clients.terminal.hint import Advisor, Hint, NoHintError
from clients.terminal.scene import Scene
from clients.terminal.words import ENGLISH, Words


def rules_page(ruleset: str, words: Words) -> str:
    """Returns the rules of a game as Markdown, in English if they are not written in the language of the terminal."""
    written = languages(ruleset)
    if not written:
        return words.told("There is no page with the rules of {ruleset}.", ruleset=ruleset)
    return page(ruleset, words.language if words.language in written else ENGLISH)


async def advice(advisor: Advisor, scene: Scene) -> list[str]:
    """Returns hints in words: how good each move is thought to be, and what is expected to follow."""
    told = scene.words.told
    try:
        hints = await advisor.hints(scene.match)
    except NoHintError:
        return [told("There is no hint: whoever looked for one was stopped.")]
    return [_hint_line(hint, scene) for hint in hints] or [told("There is no hint: nothing else can be done.")]


def _hint_line(hint: Hint, scene: Scene) -> str:
    told, tell = scene.words.told, scene.drawing.move
    (_, first), *rest = hint.line
    text = told(
        "{move}: wins {chance} % of {tries} tries", move=tell(first), chance=round(100 * hint.chance), tries=hint.visits
    )
    if not rest:
        return text
    steps = [told("{seat}: {move}", seat=scene.names[seat], move=tell(move)) for seat, move in rest]
    return told("{hint}; expected then: {steps}", hint=text, steps="; ".join(steps))


def help_lines(words: Words) -> list[str]:
    """Returns which keys do what."""
    told = words.told
    return [
        told("Arrows, Home, End: move in the list.   Enter: take.   Space: toggle."),
        told("Digits: go to a number.   Letters: only show what has them.   Backspace, Esc: less of it."),
        told("Esc: a step back, as long as nothing is sent.   Mouse: take what is clicked, also on the table."),
        told("Page up, Page down: scroll the table, where it is larger than the screen."),
        "",
        told("F1: this page.   F2: the rules.   F3: a hint, while you are asked.   F4: all that happened."),
        told("F5: another match, after the end.   F6: the table in words.   F7: writes the record, after the end."),
        told("F8: give up your seat.   F10 or Ctrl+Q: leave."),
        "",
        told("Reversed on the table is what changed since you last chose; underlined is what you may choose."),
        told("A match that is left unfinished is kept: `curator play` goes on with it."),
    ]


def replay_lines(words: Words) -> list[str]:
    """Returns which keys do what while a recorded match is looked at."""
    told = words.told
    return [
        told("Left, Right, Space: a step.   Page up, Page down: ten.   Home, End: all.   A number and Enter: there."),
        told("Up, Down: scroll what is told below the table.   Mouse wheel: also the table."),
        told("e: from whose eyes: each seat's, everybody's, or all seats' together."),
        told("n, p: the next match of the file, or the one before.   q: leave."),
        "",
        told("The mark tells whether every move and the result follow from the seed that the referee had promised."),
    ]


def resignation_question(words: Words) -> str:
    """Returns what is asked whoever is about to give up a seat."""
    return words.told("Give up your seat? The autopilot plays it on, and it ranks below all that stay.")


def kept_line(words: Words) -> str:
    """Returns what is told whoever leaves a match that goes on."""
    return words.told("The match is kept: `curator play` goes on with it.")


def unfinished_question(match_id: str, words: Words) -> str:
    """Returns what is asked whoever begins a match while another is unfinished."""
    return words.told("Your match {match} is unfinished. Go on with it?", match=match_id)
