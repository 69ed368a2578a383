"""A position for people: as text with suit signs, and as a picture.

What is shown is what is given: a `Game` with all hands open, or a `View` with what its seat may know.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from rummy_env.cards import (
    JOKER,
    NUM_RANKS,
    RANKS,
    SUIT_SIGNS,
    Card,
    card_text,
    parse_card,
    parse_cards,
    rank_of,
    suit_of,
)
from rummy_env.game import Game
from rummy_env.record import result_text
from rummy_env.showdown import ShownHand
from rummy_env.view import View

RENDER_MODES: Final = ("human", "ansi", "rgb_array")
"""Render modes of the environments. "human" prints the text."""


def check_render_mode(mode: str | None) -> str | None:
    """Raises:
    ValueError: for a render mode that there is not.
    """
    if mode is not None and mode not in RENDER_MODES:
        raise ValueError(f"render_mode: expected None or one of {', '.join(RENDER_MODES)}, got {mode!r}")
    return mode


def render(position: Game | View, mode: str) -> str | npt.NDArray[np.uint8] | None:
    """The position in one of `RENDER_MODES`; None, after printing it, for "human"."""
    if mode == "rgb_array":
        return picture(position)
    if mode == "ansi":
        return text(position)
    print(text(position), end="\n\n", flush=True)
    return None


@dataclass(frozen=True)
class _Scene:
    """``hands``: the cards of each hand that are shown; the others lie face down."""

    view: View
    hands: tuple[list[Card], ...]

    def status(self) -> str:
        view = self.view
        what = (
            result_text(view.result)
            if view.phase == "over"
            else f"seat {view.to_play} to play ({view.phase})" + (f", took {_sign(view.taken)}" if view.taken else "")
        )
        return f"{view.rules.ruleset} rummy, turn {view.turn + 1}: {what}"

    def melds(self) -> list[Sequence[str]]:
        """The melds of the table; in a hand game those of the hands that were shown, and what was laid off."""
        if self.view.rules.has_table:
            return [meld.cards for meld in self.view.table]
        return [cards for shown in self.shown() for cards in (*shown.melds, shown.laid_off) if cards]

    def shown(self) -> list[ShownHand]:
        """The hands that were shown at the end of a hand game."""
        showdown = self.view.showdown
        return [shown for shown in showdown.hands if shown is not None] if showdown else []

    def lay_out(self) -> str:
        """What the melds are that are drawn."""
        if self.view.rules.has_table:
            return f"table: {_count(len(self.view.table), 'meld')}"
        points = " and ".join(str(shown.points) for shown in self.shown())
        return f"shown, with {points} points of deadwood" if points else "no hand is shown"

    def seat(self, seat: int) -> str:
        view = self.view
        words = [f"seat {seat}: {_count(view.hand_sizes[seat], 'card')}"]
        if not self.hidden(seat):
            points = view.rules.hand_points([_text(card) for card in self.hands[seat]], view.wild)
            words.append(f"worth {points}")
        words.append(f"total {view.totals[seat]}")
        if view.dealer == seat:
            words.append("dealer")
        if view.put_down[seat]:
            words.append("has put down")
        if view.packed[seat]:
            words.append("has packed")
        return ", ".join(words)

    def hidden(self, seat: int) -> int:
        """Cards of a hand that lie face down."""
        return self.view.hand_sizes[seat] - len(self.hands[seat])


def _scene(position: Game | View) -> _Scene:
    if isinstance(position, Game):
        hands = [position.hand(seat) for seat in range(position.rules.num_players)]
        return _Scene(position.view(position.to_play), tuple(map(parse_cards, hands)))
    shown = [
        position.hand if seat == position.seat else position.known(seat) for seat in range(position.rules.num_players)
    ]
    return _Scene(position, tuple(map(parse_cards, shown)))


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _text(card: Card) -> str:
    if card == JOKER:
        return card_text(card)
    return RANKS[rank_of(card)] + SUIT_SIGNS[suit_of(card)]


def _sign(card: str) -> str:
    return _text(parse_card(card))


# --- text ----------------------------------------------------------------------------------------------------

RED: Final = "\x1b[31m"
PLAIN: Final = "\x1b[0m"


def text(position: Game | View, colours: bool = False) -> str:
    """The position in some lines of text. ``colours``: hearts and diamonds in red, by ANSI escapes."""

    def cards(some: Sequence[Card]) -> str:
        signs = (f"{RED}{_text(card)}{PLAIN}" if colours and suit_of(card) in (1, 2) else _text(card) for card in some)
        return " ".join(signs)

    scene = _scene(position)
    view = scene.view
    lines = [scene.status()]
    if view.rules.has_table:
        melds = [f"[{number}] {cards(parse_cards(meld.cards))}" for number, meld in enumerate(view.table)]
        lines.append(f"  table: {'  '.join(melds) or '-'}")
    if view.wild:
        lines.append(f"  cut:   {cards(parse_cards(view.wild))}")
    lines += [
        f"  pile:  {cards(parse_cards(view.pile)) or '-'}",
        f"  stock: {_count(view.stock_size, 'card')}",
    ]
    for seat, hand in enumerate(scene.hands):
        arrow = ">" if view.phase != "over" and view.to_play == seat else " "
        hidden = f"{scene.hidden(seat)} face down" if scene.hidden(seat) else ""
        lines.append(f"{arrow} {scene.seat(seat)}")
        lines.append(f"    {' and '.join(filter(None, [cards(hand), hidden])) or '-'}")
    showdown = view.showdown
    for seat, shown in enumerate(showdown.hands if showdown else ()):
        if shown is not None:
            parts = [cards(parse_cards(meld)) for meld in shown.melds]
            if shown.laid_off:
                parts.append(f"laid off {cards(parse_cards(shown.laid_off))}")
            parts.append(f"deadwood {cards(parse_cards(shown.deadwood)) or '-'} ({shown.points})")
            lines.append(f"  seat {seat} shows {', '.join(parts)}")
    return "\n".join(lines)


# --- picture -------------------------------------------------------------------------------------------------

CARD_WIDTH: Final = 54
CARD_HEIGHT: Final = 76
WIDTH: Final = 960
MARGIN: Final = 12
LINE: Final = 26
FANNED: Final = 24
"""How much of a card shows in a meld, under the next one."""
MELD_ROWS: Final = 3
"""Enough for a whole deck in melds of three, eight in a row."""
SHARPER: Final = 4
"""Cards are drawn this many times larger and then scaled down, for smooth edges."""

_FELT: Final = (38, 92, 66)
_FELT_LIGHT: Final = (58, 118, 88)
_INK: Final = (240, 240, 232)
_PAPER: Final = (252, 251, 246)
_EDGE: Final = (120, 120, 116)
_BACK: Final = (52, 84, 148)
_BACK_LINES: Final = (98, 130, 190)
_SUIT_INK: Final = ((24, 24, 28), (196, 30, 42), (196, 30, 42), (24, 24, 28))


def picture(position: Game | View) -> npt.NDArray[np.uint8]:
    """The position as (H, W, 3) uint8; the size depends on the number of seats alone."""
    scene = _scene(position)
    view = scene.view
    seats = view.rules.num_players
    hand_height = LINE + CARD_HEIGHT + MARGIN
    table_height = MELD_ROWS * (CARD_HEIGHT + MARGIN)
    height = 2 * MARGIN + LINE + CARD_HEIGHT + MARGIN + LINE + table_height + seats * hand_height
    image = Image.new("RGB", (WIDTH, height), _FELT)
    draw = ImageDraw.Draw(image)
    font = _font(17)

    y = MARGIN
    draw.text((MARGIN, y), scene.status(), _INK, font)
    y += LINE
    pile = parse_cards(view.pile)
    _stack(image, MARGIN, y, view.stock_size)
    draw.text((MARGIN + CARD_WIDTH + MARGIN, y + CARD_HEIGHT // 3), f"stock {view.stock_size}", _INK, font)
    if view.wild:
        _row(image, WIDTH - MARGIN - CARD_WIDTH, y, CARD_WIDTH, parse_cards(view.wild), 0)
    _row(image, 2 * MARGIN + 160, y, WIDTH - 200 - (CARD_WIDTH + MARGIN if view.wild else 0), pile, 0)
    y += CARD_HEIGHT + MARGIN
    draw.text((MARGIN, y), scene.lay_out(), _INK, font)
    y += LINE
    x, top = MARGIN, y
    for meld in map(parse_cards, scene.melds()):
        width = CARD_WIDTH + (len(meld) - 1) * FANNED
        if x + width > WIDTH - MARGIN:
            x, top = MARGIN, top + CARD_HEIGHT + MARGIN
        _row(image, x, top, width, meld, 0)
        x += width + MARGIN
    y += table_height
    for seat, hand in enumerate(scene.hands):
        if view.phase != "over" and view.to_play == seat:
            draw.rectangle((0, y - MARGIN // 2, WIDTH, y + hand_height - MARGIN // 2), _FELT_LIGHT)
        draw.text((MARGIN, y), scene.seat(seat), _INK, font)
        _row(image, MARGIN, y + LINE, WIDTH - 2 * MARGIN, hand, scene.hidden(seat))
        y += hand_height
    return np.asarray(image, dtype=np.uint8).copy()


def _row(image: Image.Image, x: int, y: int, width: int, cards: Sequence[Card], hidden: int) -> None:
    """Cards side by side, face-down ones last; closer together where the row is too short for them."""
    faces = [_face(card) for card in cards] + [_back()] * hidden
    step = min(CARD_WIDTH * 0.62, (width - CARD_WIDTH) / max(1, len(faces) - 1))
    for number, face in enumerate(faces):
        image.paste(face, (x + round(number * step), y), face)


def _stack(image: Image.Image, x: int, y: int, size: int) -> None:
    if size:
        image.paste(_back(), (x, y), _back())
    else:
        ImageDraw.Draw(image).rounded_rectangle(
            (x, y, x + CARD_WIDTH, y + CARD_HEIGHT), 5, outline=_FELT_LIGHT, width=2
        )


@cache
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)


def _blank(paper: tuple[int, int, int]) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    """A card without a face, in its large size, and what draws on it."""
    card = Image.new("RGBA", (CARD_WIDTH * SHARPER, CARD_HEIGHT * SHARPER))
    draw = ImageDraw.Draw(card)
    corner = (card.width - 1, card.height - 1)
    draw.rounded_rectangle((0, 0, *corner), 6 * SHARPER, (*paper, 255), (*_EDGE, 255), SHARPER)
    return card, draw


def _small(card: Image.Image) -> Image.Image:
    return card.resize((CARD_WIDTH, CARD_HEIGHT), Image.Resampling.LANCZOS)


@cache
def _face(card: Card) -> Image.Image:
    large, draw = _blank(_PAPER)
    if card == JOKER:
        middle = (large.width // 2, large.height // 2)
        draw.text(middle, card_text(card), _BACK, _font(28 * SHARPER), anchor="mm", stroke_width=2, stroke_fill=_BACK)
        return _small(large)
    ink = _SUIT_INK[suit_of(card)]
    rank = RANKS[card % NUM_RANKS].replace("T", "10")
    draw.text(
        (14 * SHARPER, 14 * SHARPER), rank, ink, _font(21 * SHARPER), anchor="mm", stroke_width=2, stroke_fill=ink
    )
    _draw_suit(draw, suit_of(card), 14 * SHARPER, 34 * SHARPER, 15 * SHARPER)
    _draw_suit(draw, suit_of(card), 36 * SHARPER, 56 * SHARPER, 28 * SHARPER)
    return _small(large)


@cache
def _back() -> Image.Image:
    large, draw = _blank(_PAPER)
    inset = 5 * SHARPER
    box = (inset, inset, large.width - inset, large.height - inset)
    draw.rounded_rectangle(box, 3 * SHARPER, _BACK)
    for x in range(2 * inset, large.width - inset, 2 * inset):
        draw.line((x, 2 * inset, x, large.height - 2 * inset), _BACK_LINES, SHARPER)
    return _small(large)


def _draw_suit(draw: ImageDraw.ImageDraw, suit: int, x: float, y: float, size: float) -> None:
    """A suit sign ``size`` high with its middle at (x, y). Drawn, because few fonts have the signs."""
    ink = _SUIT_INK[suit]

    def disc(dx: float, dy: float, radius: float) -> None:
        cx, cy, r = x + dx * size, y + dy * size, radius * size
        draw.ellipse((cx - r, cy - r, cx + r, cy + r), ink)

    def shape(*corners: tuple[float, float]) -> None:
        draw.polygon([(x + dx * size, y + dy * size) for dx, dy in corners], ink)

    match SUIT_SIGNS[suit]:
        case "♦":
            shape((0, -0.5), (0.38, 0), (0, 0.5), (-0.38, 0))
        case "♥":
            disc(-0.22, -0.2, 0.25)
            disc(0.22, -0.2, 0.25)
            shape((-0.455, -0.11), (0, -0.2), (0.455, -0.11), (0, 0.5))
        case "♠":
            disc(-0.22, 0.12, 0.24)
            disc(0.22, 0.12, 0.24)
            shape((-0.445, 0.04), (0, 0.2), (0.445, 0.04), (0, -0.5))
            shape((0, 0.05), (0.18, 0.5), (-0.18, 0.5))
        case "♣":
            disc(0, -0.26, 0.235)
            disc(-0.25, 0.1, 0.235)
            disc(0.25, 0.1, 0.235)
            shape((0, -0.1), (0.18, 0.5), (-0.18, 0.5))
