"""Cards, moves and positions as styled text, for terminals of any width, with colours or without."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from game.messages import Words
from rummy_env.cards import JOKER, NUM_RANKS, SUIT_SIGNS, SUITS, Card, card_text
from rummy_env.melds import Meld, extended

if TYPE_CHECKING:
    from rummy_env import Game, Move, Rules

SUIT_STYLES: Final = {"s": "bold", "h": "bold red", "d": "bold bright_blue", "c": "bold green"}
"""Four colours; spades have the terminal's own, which can be read on any ground."""

JOKER_STYLE: Final = "bold magenta"

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
        if suit not in SUITS:  # a joker has no suit
            return Text(card, JOKER_STYLE)
        if not self._has_signs:
            return Text(card)
        return Text(rank + SUIT_SIGNS[SUITS.index(suit)], SUIT_STYLES[suit])

    def cards(self, cards: Iterable[str]) -> Text:
        """Cards in a row, or the words for none."""
        return Text(" ").join(map(self.card, cards)) or Text(self.words("no_cards"))

    def meld(self, meld: Meld) -> Text:
        """The cards of a meld; after a joker in a run the card that it stands for."""
        cards = []
        for place, card in zip(meld.places if meld.is_run else range(meld.size), meld.cards, strict=True):
            drawn = self.card(card_text(card))
            if card == JOKER and meld.is_run:
                drawn = Text.assemble(drawn, self._as(meld.key * NUM_RANKS + place % NUM_RANKS))
            cards.append(drawn)
        return Text(" ").join(cards)

    def melds(self, melds: Iterable[Meld]) -> Text:
        """Melds side by side, as the rule book writes an opening."""
        return Text(" | ").join(map(self.meld, melds))

    def _as(self, card: Card) -> Text:
        """What a joker stands for."""
        return Text(f"({self.card(card_text(card)).plain})", "dim")

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
        """Pile, stock and melds, in a hand game the cut card, as rows of `facts`. ``names``: of the seats."""
        stock = [self.words("cards", n=game.stock_size)]
        if not game.rules.has_table:
            rows: list[tuple[str, Text | list[Text]]] = [
                (self.words("pile"), self.pile(game.pile)),
                (self.words("stock"), Text(", ".join(stock))),
            ]
            return [*rows, (self.words("wild"), self.card(game.wild))] if game.wild else rows
        first = len(game.table) - game.position().get("pending", 0)
        melds = []
        for number, meld in enumerate(game.table):
            whose = names[meld.by] if number < first else f"{names[meld.by]}, {self.words('in_the_making')}"
            melds.append(Text.assemble(f"{number}: ", self.meld(meld.meld), (f" ({whose})", "dim")))
        if game.rules.max_refills >= 0:
            stock.append(self.words("refills_left", n=max(0, game.rules.max_refills - refills(game))))
        return [
            (self.words("pile"), self.pile(game.pile)),
            (self.words("stock"), Text(", ".join(stock))),
            (self.words("table"), melds or Text(self.words("no_melds"))),
        ]

    # --- moves -----------------------------------------------------------------------------------------------

    def choice(self, move: Move, game: Game) -> Text:
        """A move that can be chosen in a position."""
        text = self.words.text(f"move_{move.kind}", **self._parts(move, game))
        if move.end is not None:
            text.append(f" {move.end}")
        if move.kind in ("layoff", "lengthen") and move.cards[0] == JOKER and (place := joker_place(game, move)):
            text.append_text(self._as(place))
        return text

    def told(self, move: Move, game: Game, drawn: str | None = None) -> Text:
        """What a move is, to be called before it is played in ``game``. ``drawn``: the card, where it may be seen."""
        if move.kind == "draw" and drawn is not None:
            return self.words.text("told_draw_card", card=self.card(drawn))
        parts = self._parts(move, game)
        if move.kind in ("layoff", "lengthen", "swap") and move.meld is not None:
            parts["cards"] = self.meld(game.table[move.meld].meld)
        return self.words.text(f"told_{'open' if move.kind == 'confirm' else move.kind}", **parts)

    def _parts(self, move: Move, game: Game) -> dict[str, Any]:
        """What a message about a move may name."""
        meld = game.rules.meld(move.cards) if move.kind in ("meld", "piece") else None
        cards = self.meld(meld) if meld else self.cards(map(card_text, move.cards))
        if move.kind == "take":
            cards = self.cards(game.pile[-1:])
        elif move.kind == "untake":
            cards = self.cards([game.view(game.to_play).taken or ""])
        melds = [found for cards_ in move.melds if (found := game.rules.meld(cards_))]
        if move.kind == "confirm":
            melds = [pending.meld for pending in game.table[len(game.table) - game.position()["pending"] :]]
        points = self.words("points", n=sum(map(game.rules.meld_points, melds)))
        return {"card": cards, "cards": cards, "meld": move.meld, "melds": self.melds(melds), "points": points}

    def turn(self, name: str, moves: Iterable[Text]) -> Text:
        """The moves of a turn in one sentence."""
        return self.words.text("told", name=name, moves=Text(", ").join(moves))

    def telling(self) -> Telling:
        """A turn that is to be told."""
        return Telling(self)

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
            if result.blocked:
                points = f"{self._differences(game, result.winner)}{points}"
            how = "blocked" if result.blocked else self._rummy(game.rules) if result.doubled else result.how or "won"
            sentence = words(f"round_{how}", name=names[result.winner], points=points)
        return Text(sentence, "bold")

    @staticmethod
    def _rummy(rules: Rules) -> str:
        """What a doubled round is called."""
        return "hand_rummy" if rules.ruleset == "rami" else "rummy"

    @staticmethod
    def _differences(game: Game, winner: int) -> str:
        """How the score of a blocked round comes about: ``(25−17) + (24−17) = ``."""
        left = [game.rules.hand_points(" ".join(game.hand(seat))) for seat in range(game.rules.num_players)]
        others = (points for seat, points in enumerate(left) if seat != winner)
        return f"{' + '.join(f'({points}−{left[winner]})' for points in others)} = "

    def hands_left(self, game: Game, names: Sequence[str], totals: Sequence[int]) -> Table:
        """Who was left with what when a round ended, and the totals."""
        rows: list[tuple[str, Text | list[Text]]] = []
        for seat, total in enumerate(totals):
            left = self._left(game, seat) if game.rules.has_table else self._laid_out(game, seat)
            rows.append((names[seat], Text(", ").join([left, Text(self.words("total", points=total))])))
        return self.facts(rows)

    def _left(self, game: Game, seat: int) -> Text:
        """The cards of a hand that were not put down."""
        hand = game.hand(seat)
        points = self.words("points", n=game.rules.hand_points(hand))
        return self.words.text("left", cards=self.cards(hand), points=points) if hand else Text(self.words("out"))

    def _laid_out(self, game: Game, seat: int) -> Text:
        """A hand in melds, with what was laid off and what is left: as it was shown, or as its owner would show it."""
        if packed := game.view(seat).packed[seat]:
            return Text(self.words(f"packed_{packed}"))
        shown = game.showdown.hands[seat] if game.showdown else None
        laid = shown or game.rules.arrange(game.hand(seat), game.wild)
        parts = [Text(" | ").join(map(self.cards, laid.melds))] if laid.melds else []
        if shown and shown.laid_off:
            parts.append(self.words.text("laid_off", cards=self.cards(shown.laid_off)))
        points = self.words("points", n=laid.points)
        parts.append(self.words.text("deadwood", cards=self.cards(laid.deadwood), points=points))
        return Text(", ").join(parts)

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
        return Group(sheet, Text(self.words(self._legend(games[0].rules), factor=games[0].rules.rummy_factor), "dim"))

    @staticmethod
    def _legend(rules: Rules) -> str:
        if not rules.has_table:
            return "score_deadwood_legend"
        return "score_hand_legend" if rules.ruleset == "rami" else "score_legend"

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
    if not game.rules.has_table:
        if result.scores[seat]:
            return f"{result.scores[seat]:+}"
        shown = game.showdown.hands[seat] if game.showdown else None
        return str((shown or game.rules.arrange(game.hand(seat), game.wild)).points)
    if seat != result.winner:
        return str(game.rules.hand_points(game.hand(seat)))
    return f"+{result.scores[seat]}" + f" x{game.rules.rummy_factor}" * result.doubled + " *" * result.blocked


def refills(game: Game) -> int:
    """How often the pile has been shuffled into a new stock."""
    return int(game.state["view"]["reshuffles"][0]) if game.rules.has_table else 0


def joker_place(game: Game, move: Move) -> Card | None:
    """The card that a joker laid off onto a run would stand for, None on a set."""
    meld = game.table[move.meld or 0].meld
    if not meld.is_run:
        return None
    low = move.end == "low" or extended(meld, JOKER, "high", game.rules.high_ace) is None
    return meld.key * NUM_RANKS + (meld.low - 1 if low else meld.low + meld.size) % NUM_RANKS


class Telling:
    """The moves of one turn, told one after the other. An opening put together piece by piece is told as one."""

    def __init__(self, draw: Drawing) -> None:
        self._draw = draw
        self._told: list[tuple[str, Text]] = []

    def add(self, move: Move, game: Game, drawn: str | None = None) -> None:
        """Tell a move; to be called before it is played in ``game``. ``drawn``: the card, where it may be seen."""
        if move.kind == "confirm":
            while self._told and self._told[-1][0] in ("piece", "lengthen"):
                self._told.pop()
        self._told.append((move.kind, self._draw.told(move, game, drawn)))

    def add_out(self) -> None:
        """Tell that the hand is empty."""
        self._told.append(("out", Text(self._draw.words("told_out"))))

    @property
    def told(self) -> list[Text]:
        """What there is to say."""
        return [text for _, text in self._told]
