"""What a person may type: a number, a move, or a command, in any language that the game speaks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from game.messages import Words
from rummy_env.cards import parse_cards
from rummy_env.moves import Move, parse_move

MOVE_WORDS: Final = {
    "draw": ("d", "뽑기"),
    "take": ("t", "f", "가져오기"),
    "meld": ("m", "내려놓기"),
    "layoff": ("l", "lay", "붙이기"),
    "untake": ("u", "되돌리기"),
    "open": ("o", "오픈"),
    "swap": ("w", "조커빼기"),
    "piece": ("p", "조각"),
    "lengthen": ("e", "늘리기"),
    "confirm": ("c", "확정"),
    "discard": ("x", "버리기"),
    "pass": ("패스",),
    "knock": ("k", "노크"),
    "pack": ("포기",),
    "declare": ("v", "선언"),
}
"""Short and translated words for moves; the words of the rule book are read as they are."""

COMMAND_WORDS: Final = {
    "hint": ("h", "힌트"),
    "sort": ("s", "정렬"),
    "score": ("점수", "점수판"),
    "show": ("보기",),
    "record": ("기록",),
    "help": ("?", "도움말", "도움"),
    "quit": ("q", "exit", "종료"),
}

_MEANT: Final = {word: name for words in (MOVE_WORDS, COMMAND_WORDS) for name in words for word in (name, *words[name])}
_CARD_AND_NUMBER: Final = re.compile(r"\S+\s+[0-9]+(\s+(low|high))?", re.IGNORECASE)
_PIECES: Final = {"meld": "piece", "layoff": "lengthen"}
"""What it means to put cards down, for a player who has not opened."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command of `COMMAND_WORDS` and what was typed after it."""

    name: str
    rest: str = ""


def read(line: str, choices: Sequence[Move], words: Words) -> Move | Command:
    """What a line means where these moves can be chosen. An empty line asks to see the table again.

    >>> str(read("d Ks", [], Words())), str(read("4d5d6d", [], Words())), str(read("7♦ 0", [], Words()))
    ('discard Ks', 'meld 4d 5d 6d', 'layoff 7d 0')

    Raises:
        ValueError: for a line that means nothing, in one sentence.
    """
    line = line.strip()
    if re.fullmatch(r"[0-9]+", line):
        return _numbered(line, choices, words)
    first, rest = [*line.split(maxsplit=1), "", ""][:2]
    name = _MEANT.get(first.lower(), "")
    if not line:
        return Command("show")
    if name in COMMAND_WORDS:
        return Command(name, rest)
    if first.lower() == "d" and rest:  # d Ks: a drawn card is never named, so a card can only be discarded
        name = "discard"
    kinds = {move.kind for move in choices}
    if name == "open" and not rest and "open" in kinds:
        return next(move for move in choices if move.kind == "open")
    if kinds & {"piece", "lengthen", "confirm"}:
        name = _PIECES.get(name, name)
    if name in ("layoff", "lengthen") and len(rest.split()) == 1:
        return _only_layoff(name, rest, choices)
    if name:
        return parse_move(f"{name} {rest}")
    if _are_cards(line.split("|")[0]) or _are_cards(first):
        return _bare(line, choices)
    return parse_move(line)


def _numbered(number: str, choices: Sequence[Move], words: Words) -> Move:
    if not choices:
        raise ValueError(words("not_now", line=number))
    if len(number) > 3 or not 1 <= int(number) <= len(choices):
        raise ValueError(words("no_such_number", last=len(choices), number=number))
    return choices[int(number) - 1]


def _bare(line: str, choices: Sequence[Move]) -> Move:
    """Cards without a word: one is discarded, one with a number laid off, several melded. For a player who has not
    opened they are an opening, or a piece of the one in the making."""
    kinds = {move.kind for move in choices}
    if "|" in line:
        return parse_move(f"open {line}")
    if _CARD_AND_NUMBER.fullmatch(line):
        return parse_move(f"{'lengthen' if kinds & {'lengthen', 'confirm'} else 'layoff'} {line}")
    if len(parse_cards(line)) == 1:
        return parse_move(f"discard {line}")
    return parse_move(f"{'open' if 'open' in kinds else 'piece' if 'piece' in kinds else 'meld'} {line}")


def _only_layoff(kind: str, card: str, choices: Sequence[Move]) -> Move:
    """The lay-off of a card without the meld's number: the one there is, if there is only one."""
    cards = tuple(parse_cards(card))
    fitting = [move for move in choices if move.kind == kind and move.cards == cards]
    return fitting[0] if len(fitting) == 1 else parse_move(f"{kind} {card}")


def _are_cards(word: str) -> bool:
    try:
        return bool(parse_cards(word))
    except ValueError:
        return False
