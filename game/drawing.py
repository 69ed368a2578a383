"""Cards, moves and positions as styled text, for terminals of any width, with colours or without."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from game.messages import Words
from rummy_env.cards import SUIT_SIGNS, SUITS, card_text

if TYPE_CHECKING:
    from rummy_env import Game, Move, Rules

SUIT_STYLES: Final = {"s": "bold", "h": "bold red", "d": "bold bright_blue", "c": "bold green"}
"""Four colours; spades have the terminal's own, which can be read on any ground."""

PILE_SHOWN: Final = 6
"""Cards of the pile that are shown, from the top down."""


class Drawing:
    """Draws on the standard output with the words of one language.

    ``console`` finds out how wide it is and whether it takes colours (``NO_COLOR`` is respected); where it takes no
    suit signs, a card is ``7d``.
    """

    def __init__(self, words: Words) -> None:
        self.words = words
        self.console = Console(highlight=False, markup=False, emoji=False)
        self._has_signs = not self.console.options.ascii_only

    # --- cards -----------------------------------------------------------------------------------------------

    def card(self, card: str) -> Text:
        """``10♦`` for ``Td``."""
        rank, suit = card[:-1].replace("T", "10"), card[-1]
        if suit not in SUITS or not self._has_signs:  # a joker has no suit
            return Text(card)
        return Text(rank + SUIT_SIGNS[SUITS.index(suit)], SUIT_STYLES[suit])

    def cards(self, cards: Iterable[str]) -> Text:
        """Cards in a row, or the words for none."""
        return Text(" ").join(map(self.card, cards)) or Text(self.words("no_cards"))

    def pile(self, pile: Sequence[str]) -> Text:
        """The pile from the top down, the top in brackets."""
        if not pile:
            return Text(self.words("no_cards"))
        *below, top = pile[-PILE_SHOWN:]
        shown = Text.assemble("[", self.card(top), "]")
        for card in reversed(below):
            shown.append(" ").append_text(self.card(card))
        return shown.append(f" ({self.words('cards', n=len(pile))})")

    def middle(self, game: Game, names: Sequence[str]) -> list[tuple[str, Text | list[Text]]]:
        """Pile, stock and melds, as rows of `facts`. ``names``: of the seats."""
        melds = [
            Text.assemble(f"{number}: ", self.cards(meld.cards), (f" ({names[meld.by]})", "dim"))
            for number, meld in enumerate(game.table)
        ]
        return [
            (self.words("pile"), self.pile(game.pile)),
            (self.words("stock"), Text(self.words("cards", n=game.stock_size))),
            (self.words("table"), melds or Text(self.words("no_melds"))),
        ]

    # --- moves -----------------------------------------------------------------------------------------------

    def choice(self, move: Move, game: Game) -> Text:
        """A move that can be chosen in a position."""
        cards = [card_text(card) for card in move.cards] or game.pile[-1:]
        drawn = self.cards(cards)
        return self.words.text(f"move_{move.kind}", card=drawn, cards=drawn, meld=move.meld)

    def told(self, move: Move, game: Game, drawn: str | None = None) -> Text:
        """What a move is, to be called before it is played in ``game``. ``drawn``: the card, where it may be seen."""
        match move.kind:
            case "draw" if drawn is not None:
                return self.words.text("told_draw_card", card=self.card(drawn))
            case "take":
                return self.words.text("told_take", card=self.card(game.pile[-1]))
            case "layoff" if move.meld is not None:
                onto = self.cards(game.table[move.meld].cards)
                return self.words.text("told_layoff", card=self.card(card_text(move.cards[0])), cards=onto)
        cards = self.cards(card_text(card) for card in move.cards)
        return self.words.text(f"told_{move.kind}", card=cards, cards=cards)

    def turn(self, name: str, moves: Iterable[Text]) -> Text:
        """The moves of a turn in one sentence."""
        return self.words.text("told", name=name, moves=Text(", ").join(moves))

    # --- games ---------------------------------------------------------------------------------------------

    def title(self, rules: Rules) -> str:
        """What is played."""
        ruleset = self.words.name("ruleset", rules.ruleset)
        if not rules.target:
            return self.words("title_one_round", ruleset=ruleset, players=rules.num_players)
        return self.words("title", ruleset=ruleset, players=rules.num_players, target=rules.target)

    def outcome(self, game: Game, names: Sequence[str]) -> Text:
        """How a round ended, in one sentence."""
        result, words = game.result, self.words
        if result is None:
            sentence = words("round_unfinished")
        elif result.truncated:
            sentence = words("round_turns_used_up", n=game.turn)
        elif result.winner is None:
            sentence = words("round_void")
        else:
            points = words("points", n=result.scores[result.winner])
            sentence = words("round_rummy" if result.doubled else "round_won", name=names[result.winner], points=points)
        return Text(sentence, "bold")

    def hands_left(self, game: Game, names: Sequence[str], totals: Sequence[int]) -> Table:
        """Who was left with what when a round ended, and the totals."""
        rows: list[tuple[str, Text | list[Text]]] = []
        for seat, total in enumerate(totals):
            hand = game.hand(seat)
            points = self.words("points", n=game.rules.hand_points(hand))
            left = self.words.text("left", cards=self.cards(hand), points=points) if hand else Text(self.words("out"))
            rows.append((names[seat], Text(", ").join([left, Text(self.words("total", points=total))])))
        return self.facts(rows)

    def score_sheet(self, games: Sequence[Game], names: Sequence[str]) -> Group:
        """The finished rounds of a match and their sum: what the winner got, what was left in the other hands."""
        sheet = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
        sheet.add_column(self.words("score_round"), justify="right", no_wrap=True)
        for name in names:
            sheet.add_column(name, justify="right", no_wrap=True)
        totals = [0] * len(names)
        for number, game in enumerate(games, 1):
            if game.result is not None:
                sheet.add_row(str(number), *(_score(game, seat) for seat in range(len(names))))
                totals = [total + score for total, score in zip(totals, game.result.scores, strict=True)]
        sheet.add_row(self.words("score_total"), *map(str, totals), style="bold")
        return Group(sheet, Text(self.words("score_legend", factor=games[0].rules.rummy_factor), "dim"))

    # --- layout ----------------------------------------------------------------------------------------------

    def facts(self, rows: Sequence[tuple[str, Text | list[Text]]]) -> Table:
        """Rows of a name and what there is to say about it, which wraps under itself; a list flows in pieces."""
        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(no_wrap=True, style="bold")
        grid.add_column(overflow="fold")
        width = self.console.width - max((Text(name).cell_len for name, _ in rows), default=0) - 2
        for name, content in rows:
            grid.add_row(name, flow(content, width) if isinstance(content, list) else content)
        return grid


def flow(pieces: Sequence[Text], width: int, *, gap: int = 3, even: bool = False) -> Text:
    """Pieces side by side, as many as a line holds; ``even``: in columns of one width. No piece is broken."""
    step = max((piece.cell_len for piece in pieces), default=0) + gap
    lines: list[Text] = []
    for piece in pieces:
        used = lines[-1].cell_len if lines else width
        start = -(-(used + gap) // step) * step if even else used + gap
        if start + piece.cell_len <= width:
            lines[-1].append(" " * (start - used)).append_text(piece)
        else:
            lines.append(piece.copy())
    return Text("\n").join(lines)


def _score(game: Game, seat: int) -> str:
    """One seat's cell of a score sheet."""
    result = game.result
    if result is None or result.winner is None:
        return "-"
    if seat != result.winner:
        return str(game.rules.hand_points(game.hand(seat)))
    return f"+{result.scores[seat]}" + f" x{game.rules.rummy_factor}" * result.doubled
