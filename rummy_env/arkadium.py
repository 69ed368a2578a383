"""Gin logs as Arkadium's site writes them (files ``.pbn``), read and replayed.

A log is one round, tags first::

    [FF "4"]
    [GN "ginrummy"]
    [Player1 "p1"]
    [Player2 "p2"]
    [Hand "3:6"]
    [Dealer "2"]
    [Deal "C2 S3 C5 D6 S6 H7 C8 C9 DQ SQ, HA DA C3 D4 H6 C6 S8 CJ SJ DK"]
    [Upcard "HQ"]
    [Score "0:25"]
    [Play]
    1. 1 passes
    2. 2 picks HQx
    3. 2 discards DK
    4. 1 picks S9
    …

Cards are the suit and the rank. A move is its number, the player (1 or 2) and what is done: ``passes``, ``picks CARD``
from the stock, ``picks CARDx`` from the pile, ``discards CARD``, ``knocks CARD``. The card of a knock may also stand in
a line ``discards CARD`` of the same player just before or after ``knocks``. Several logs may follow each other in a
file.

The numbers of moves, the other tags and what follows ``[Play]`` (the melds that were laid) are not looked at: who wins
how much is worked out by the rules, and has to be what ``[Score]`` says. The stock holds the cards in the order in
which they were drawn; below them lie those that nobody has seen, in the order of a new deck.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rummy_env.cards import Card, card_text, cards_text, parse_card
from rummy_env.rules import Rules

if TYPE_CHECKING:
    from rummy_env.game import Game

GAME_NAME: Final = "ginrummy"

_TAG: Final = re.compile(r'\[(?P<name>[A-Za-z]\w*)(?: +"(?P<value>[^"]*)")?\]')
_MOVE: Final = re.compile(r"\d+\. *(?P<player>[12]) +(?P<verb>[a-z]+)(?: +(?P<card>\w+))?")
_CARD: Final = re.compile(r"(?P<suit>[SHDC])(?P<rank>[A2-9TJQK]|10)", re.IGNORECASE)
_SCORE: Final = re.compile(r"(\d+) *: *(\d+)")

_VERBS: Final = ("passes", "picks", "discards", "knocks")
_NEEDED: Final = ("Dealer", "Deal", "Upcard")


@dataclass(frozen=True, slots=True)
class _Line:
    """A move as it is written. ``card``: None where none stands there; ``from_pile``: with an x."""

    where: str
    seat: int
    verb: str
    card: Card | None
    from_pile: bool


def is_log(text: str) -> bool:
    """Whether a text looks like such a log rather than like a record of `rummy_env.record`."""
    return re.match(r"\s*\[(?:FF|GN|DT) ", text) is not None


def read_all(text: str, check_score: bool = True) -> list[Game]:
    """Replay all logs of a text.

    ``check_score``: refuse a log whose ``[Score]`` is not what the rules give, as where the other player did not lay
    off all that could have been.

    Raises:
        ValueError: naming the line that is wrong.
    """
    lines = [(f"line {number}", line.strip()) for number, line in enumerate(text.lstrip("\ufeff").splitlines(), 1)]
    lines = [(where, line) for where, line in lines if line]
    if not lines:
        raise ValueError("expected a gin log, got an empty text")
    starts = [at for at, (_, line) in enumerate(lines) if line.startswith("[FF ")]
    if not starts or starts[0] > 0:
        starts = [0, *starts]
    return [
        _read(lines[start:stop], check_score) for start, stop in zip(starts, [*starts[1:], len(lines)], strict=True)
    ]


def _read(lines: list[tuple[str, str]], check_score: bool) -> Game:
    tags: dict[str, tuple[str, str]] = {}
    moves: list[_Line] = []
    section = ""
    for where, line in lines:
        tag = _TAG.fullmatch(line)
        if tag is None:
            if section == "Play":
                moves.append(_move(where, line))
            elif not section:
                raise ValueError(f'{where}: expected a tag like [Dealer "2"], got {line[:60]!r}')
        elif tag["value"] is None:
            section = tag["name"]
        elif tag["name"] in tags:
            raise ValueError(f"{where}: expected every tag once, got {tag['name']} again")
        else:
            tags[tag["name"]] = where, tag["value"]
    first = lines[0][0]
    where, name = tags.get("GN", (first, GAME_NAME))
    if name != GAME_NAME:
        raise ValueError(f"{where}: expected a log of {GAME_NAME}, got one of {name!r}")
    for needed in _NEEDED:
        if needed not in tags:
            raise ValueError(f"{first}: expected a log with the tag {needed}, got none")
    game = _deal(tags, moves)
    _replay(game, moves)
    if "Score" in tags and check_score:
        _check_score(game, *tags["Score"])
    return game


def _card(where: str, text: str) -> Card:
    written = _CARD.fullmatch(text)
    if written is None:
        raise ValueError(f"{where}: expected a card, suit and rank like DQ, got {text!r}")
    return parse_card(written["rank"].replace("10", "T") + written["suit"])


def _move(where: str, line: str) -> _Line:
    written = _MOVE.fullmatch(line)
    if written is None or written["verb"] not in _VERBS:
        raise ValueError(f"{where}: expected a move like '4. 1 picks S9' ({', '.join(_VERBS)}), got {line[:60]!r}")
    verb, card = written["verb"], written["card"]
    from_pile = verb == "picks" and card is not None and card.endswith("x")
    if card is not None and from_pile:
        card = card[:-1]
    if not card and (verb == "discards" or (verb == "picks" and not from_pile)):
        raise ValueError(f"{where}: expected a card after {verb}, got {line[:60]!r}")
    if card and verb == "passes":
        raise ValueError(f"{where}: expected no card after passes, got {card!r}")
    return _Line(where, int(written["player"]) - 1, verb, _card(where, card) if card else None, from_pile)


def _deal(tags: dict[str, tuple[str, str]], moves: list[_Line]) -> Game:
    """The round as it began."""
    from rummy_env.game import Game

    rules = Rules.preset("gin")
    where, dealer = tags["Dealer"]
    if dealer not in ("1", "2"):
        raise ValueError(f"{where}: expected the dealer 1 or 2, got {dealer!r}")
    where, deal = tags["Deal"]
    hands = [[_card(where, text) for text in hand.split()] for hand in deal.split(",")]
    if [len(hand) for hand in hands] != [rules.hand_size] * 2:
        sizes = " and ".join(str(len(hand)) for hand in hands)
        raise ValueError(f"{where}: expected two hands of {rules.hand_size} cards, got {sizes}")
    places = [(where, card) for hand in hands for card in hand]
    upcard = _card(*tags["Upcard"])
    places.append((tags["Upcard"][0], upcard))
    drawn = [(move.where, move.card) for move in moves if move.verb == "picks" and not move.from_pile]
    seen: set[Card] = set()
    for at, card in [*places, *drawn]:
        if card is not None and card in seen:
            raise ValueError(f"{at}: expected a card that is still in the stock, got {card_text(card)} again")
        if card is not None:
            seen.add(card)
    stock = [card for _, card in drawn if card is not None]
    position = {
        "hands": [cards_text(hand) for hand in hands],
        "pile": card_text(upcard),
        "stock": cards_text([*stock, *(card for card in rules.deck if card not in seen)]),
        "dealer": int(dealer) - 1,
        "to_play": 2 - int(dealer),
        "phase": "upcard",
    }
    return Game.from_position(rules, position)


def _texts(game: Game, moves: list[_Line]) -> Iterator[tuple[_Line, str]]:
    """The moves as this package writes them. Read on while the game is being played: what is on the pile counts."""
    at = 0
    while at < len(moves):
        move = moves[at]
        after = moves[at + 1] if at + 1 < len(moves) else None
        card = move.card
        at += 1
        if move.verb == "passes":
            yield move, "pass"
        elif move.verb == "picks":
            top = game.pile[-1] if game.pile else "none"
            if move.from_pile and card is not None and top != card_text(card):
                raise ValueError(f"{move.where}: expected the top of the pile, {top}, got {card_text(card)}")
            yield move, "take" if move.from_pile else "draw"
        else:
            knocks = move.verb == "knocks"
            # The card of a knock may stand in a line of its own.
            pair = after is not None and after.seat == move.seat and {move.verb, after.verb} == {"knocks", "discards"}
            if after is not None and pair and (card is None or after.card in (None, card)):
                card, knocks = after.card if card is None else card, True
                at += 1
            if card is None:
                raise ValueError(f"{move.where}: expected the card that player {move.seat + 1} discards with the knock")
            yield move, f"{'knock' if knocks else 'discard'} {card_text(card)}"


def _replay(game: Game, moves: list[_Line]) -> None:
    for move, text in _texts(game, moves):
        if not game.over and move.seat != game.to_play:
            raise ValueError(f"{move.where}: expected a move of player {game.to_play + 1}, got one of {move.seat + 1}")
        try:
            game.play(text)
        except ValueError as error:
            raise ValueError(f"{move.where}: {error}") from None


def _check_score(game: Game, where: str, value: str) -> None:
    """What the log says that each player got."""
    written = _SCORE.fullmatch(value.strip())
    if written is None:
        raise ValueError(f"{where}: expected a score like '0:25', got {value!r}")
    if game.result is None:
        raise ValueError(f"{where}: expected a round that ends, got the score {value} of one that goes on")
    scores = list(game.result.scores)
    if scores != [int(points) for points in written.groups()]:
        by_rules = ":".join(map(str, scores))
        raise ValueError(f"{where}: expected the score {by_rules}, which the rules give, got {value}")
