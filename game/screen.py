"""What a person at the table sees: nothing here shows more than that seat may know before the round is over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from rich.text import Text

from game.commands import MOVE_WORDS
from game.drawing import Drawing, flow
from game.hints import (
    Hint,
    best_melds,
    joker_melds_in,
    layoffs_now,
    melds_in,
    opening_of,
    opening_points,
    opening_with_top,
    taken_card,
)
from game.messages import Words
from game.session import PERSON, Session
from rummy_env import Move
from rummy_env.cards import JOKER, card_text, parse_card, rank_of, suit_of
from rummy_env.game import MOVES
from rummy_env.table_moves import has_opened

SEAT_NAMES: Final = {1: ("north",), 2: ("west", "east"), 3: ("west", "north", "east")}
"""What the other seats are called, from the person's left on, by how many there are."""

ORDERS: Final = ("suit", "rank", "melds")
"""How a hand can be sorted."""

HELP: Final = (
    ("1, 2, …", "help_number"),
    ("draw", "help_draw"),
    ("take", "help_take"),
    ("pass", "help_pass"),
    ("pack", "help_pack"),
    ("meld 4d 5d 6d", "help_meld"),
    ("layoff 7d N", "help_layoff"),
    ("untake", "help_untake"),
    ("open 4d 5d 6d | …", "help_open"),
    ("swap 6h N", "help_swap"),
    ("piece 4d 5d 6d", "help_piece"),
    ("lengthen 7d N", "help_lengthen"),
    ("confirm", "help_confirm"),
    ("discard Ks", "help_discard"),
    ("knock Ks", "help_knock"),
    ("declare Ks", "help_declare"),
    ("hint", "help_hint"),
    ("sort", "help_sort"),
    ("score", "help_score"),
    ("show", "help_show"),
    ("record FILE", "help_record"),
    ("quit FILE", "help_quit"),
)
"""What can be typed, each with the message that says what it does."""


class Screen:
    """Prints a `Session` as its person sees it."""

    def __init__(self, session: Session, words: Words) -> None:
        self.session = session
        self.words = words
        self.draw = Drawing(words)
        self.console = self.draw.console
        self.order = ORDERS[0]
        """How the hand is sorted, one of `ORDERS`."""
        self.names = _names(session, words)
        """What every seat is called."""

    def say(self, key: str, **values: Any) -> None:
        """A message."""
        self.console.print(self.words.text(key, **values))

    def print_whole(self, text: str) -> None:
        """A line to be copied: never broken."""
        self.console.print(text, soft_wrap=True)

    def help(self) -> None:
        """What can be typed."""
        kinds = MOVES[self.session.rules.ruleset].kinds
        rows = [
            (typed, Text(self.words(does)))
            for typed, does in HELP
            if (word := typed.split()[0]) not in MOVE_WORDS or word in kinds
        ]
        self.console.print(self.draw.facts(rows))

    # --- the match -------------------------------------------------------------------------------------------

    def title(self) -> None:
        """What is played."""
        rules = self.session.rules
        self.console.print(Text(self.draw.title(rules), "bold"))
        if rules.ruleset == "rami":
            self.say("title_opening", points=self.words("points", n=rules.opening))
        self.say("help_lists")

    def round_begins(self) -> None:
        """A line across with the number of the round."""
        self.console.rule(self.words("round", number=len(self.session.match.games)))

    def turn_told(self, seat: int, told: Sequence[Text]) -> None:
        """What a computer player did in its turn."""
        self.console.print(self.draw.turn(self.names[seat], told))

    def drew(self, before: Iterable[str]) -> None:
        """The card that came to my hand, which was ``before``."""
        for card in (Counter(self._hand()) - Counter(before)).elements():
            self.say("drew", card=self.draw.card(card))

    def round_ends(self) -> None:
        """Who won, who was left with what, and the totals."""
        game = self.session.game
        self.console.print(self.draw.outcome(game, self.names))
        self.console.print(self.draw.hands_left(game, self.names, game.totals))

    def match_ends(self) -> None:
        """The score sheet and who won."""
        match = self.session.match
        self.score()
        winners = [self.names[seat] for seat in match.winners]
        points = self.words("points", n=max(match.totals))
        key = "match_won" if len(winners) == 1 else "match_tied"
        self.console.print(Text(self.words(key, name=winners[0], names=", ".join(winners), points=points), "bold"))

    def score(self) -> None:
        """The score sheet of the rounds that are over."""
        finished = [game for game in self.session.match.games if game.over]
        if finished:
            self.console.print(self.draw.score_sheet(finished, self.names))
        else:
            self.say("score_none")

    # --- the position ----------------------------------------------------------------------------------------

    def table(self) -> None:
        """Everything public: the players with what they took, the pile, the stock and the melds."""
        session, words = self.session, self.words
        view = session.game.view(session.me)
        plates = []
        for place in range(1, len(self.names) + 1):
            seat = (session.me + place) % len(self.names)
            player = session.players[seat]
            plate = [] if player == PERSON else [Text(words.name("bot", Path(player).name))]
            plate.append(Text(words("cards", n=view.hand_sizes[seat])))
            if session.rules.ruleset == "rami":
                plate.append(Text(words("opened" if self._opened(seat) else "not_opened")))
            plate.append(Text(words("total", points=view.totals[seat])))
            if took := view.known(seat):
                plate.append(words.text("took", cards=self.draw.cards(took)))
            plates.append((self.names[seat], Text(", ").join(plate)))
        self.console.print(self.draw.facts([*plates, *self.draw.middle(session.game, self.names)]))

    def melds(self) -> None:
        """The melds on the table with their numbers."""
        *_, melds = self.draw.middle(self.session.game, self.names)
        self.console.print(self.draw.facts([melds]))

    def hand(self) -> None:
        """My cards in their order; under each, whether it forms a meld or can be laid off."""
        game, words, hand = self.session.game, self.words, self._hand()
        if game.rules.has_table:
            header = words("hand", points=game.rules.hand_points(hand))
            in_melds = {card for meld in melds_in(game.rules, hand) for card in meld}
        else:
            laid = game.rules.arrange(hand, game.wild)
            header = words("hand_deadwood", points=words("points", n=laid.points))
            in_melds = {card for meld in laid.melds for card in meld}
        with_joker = {card for meld in joker_melds_in(game.rules, hand) for card in meld} - in_melds - {"Jk"}
        fitting = layoffs_now(game)
        marks = {
            card: "=" * (card in in_melds)
            + "=Jk" * (card in with_joker)
            + (f"+{fitting[card][0]}" if card in fitting else "")
            for card in hand
        }
        self.console.print(Text(header, "bold"))
        width = 1 + max(4, *map(len, marks.values()))
        in_a_line = max(1, (self.console.width - 2) // width)
        ordered = self._ordered(hand)
        for start in range(0, len(ordered), in_a_line):
            cards, under = Text("  "), "  "
            for card in ordered[start : start + in_a_line]:
                drawn = self.draw.card(card)
                cards.append_text(drawn).append(" " * (width - drawn.cell_len))
                under += marks[card].ljust(width)
            cards.rstrip()
            self.console.print(cards)
            if under.strip():
                self.console.print(Text(under.rstrip(), "yellow"))
        meld_mark = "marks_meld" if game.rules.has_table else "marks_laid"
        legend = [words(meld_mark)] * bool(in_melds) + [words("marks_joker")] * bool(with_joker)
        legend += [words("marks_layoff")] * bool(fitting)
        if legend:
            self.console.print(flow([Text(f"({line})", "dim") for line in legend], self.console.width))

    def duties(self) -> None:
        """What I still have to do in this turn, and how far I am from opening."""
        game, words = self.session.game, self.words
        if game.rules.ruleset != "rami":
            return
        position, taken, needed = game.position(), taken_card(game), game.rules.opening
        if pending := position["pending"]:
            points = sum(game.rules.meld_points(meld.meld) for meld in game.table[-pending:])
            enough = "so_far_enough" if game.is_legal("confirm") else "so_far_more"
            self._duty("so_far", enough, points=points, needed=needed)
        elif not has_opened(game):
            whole = opening_of(game)
            best = opening_points(game.rules, whole) if whole else game.rules.best_opening(game.hand(game.to_play))
            self._duty("meter", *["meter_exempt"] * bool(whole and best < needed), points=best, needed=needed)
        if taken is not None:
            duty = "duty_taken" if has_opened(game) else "duty_opening"
            self._duty(duty, *["duty_untake"] * game.is_legal("untake"), card=self.draw.card(taken))
        if position["freed"]:
            self._duty("duty_freed", n=position["freed"])
        if game.phase == "draw" and not has_opened(game) and (whole := opening_with_top(game)):
            count = words("points", n=opening_points(game.rules, whole))
            self._duty("meter_with", card=self.draw.card(game.pile[-1]), points=count)

    def _duty(self, key: str, *more: str, **values: Any) -> None:
        """One line of what has to be done."""
        line = Text(" ").join([self.words.text(key, **values), *(Text(self.words(other)) for other in more)])
        self.console.print(Text("  ").append_text(line))

    def choices(self, offered: Sequence[Move]) -> None:
        """The legal moves with their numbers."""
        drawn = [
            Text.assemble((f"{number} ", "bold"), self.draw.choice(move, self.session.game))
            for number, move in enumerate(offered, 1)
        ]
        # Whole openings are long and come first: a line for each.
        wide = sum(move.kind == "open" for move in offered)
        for choice in drawn[:wide]:
            self.console.print(choice)
        self.console.print(flow(drawn[wide:], self.console.width, even=True))

    def hint(self, hint: Hint) -> None:
        """What the adviser would play, and why where that is known."""
        agent = self.words.name("bot", self.session.adviser.name)
        move = self.draw.choice(hint.move, self.session.game)
        if hint.reason is None:
            self.say("hint", agent=agent, move=move)
            return
        points = self.words("points", n=hint.points)
        reason = self.words.text(hint.reason, cards=self.draw.cards(hint.cards), points=points)
        self.say("hint_because", agent=agent, move=move, reason=reason)

    # --- inside ----------------------------------------------------------------------------------------------

    def _hand(self) -> list[str]:
        return self.session.game.hand(self.session.me)

    def _opened(self, seat: int) -> bool:
        game = self.session.game
        return game.view(seat).put_down[seat] or (seat == game.to_play and has_opened(game))

    def _ordered(self, hand: list[str]) -> list[str]:
        cards = sorted(map(parse_card, hand), key=lambda card: (card == JOKER, rank_of(card), suit_of(card)))
        by_rank = list(map(card_text, cards))
        if self.order == "suit":
            return hand
        if self.order == "rank":
            return by_rank
        rules = self.session.rules
        melds = best_melds(rules, hand) if rules.has_table else rules.arrange(hand, self.session.game.wild).melds
        melded = [card for meld in melds for card in meld]
        left = Counter(by_rank) - Counter(melded)
        return melded + list(left.elements())


def _names(session: Session, words: Words) -> list[str]:
    others = session.rules.num_players - 1
    if others in SEAT_NAMES:
        around = [words("you"), *map(words, SEAT_NAMES[others])]
    else:
        around = [words("you"), *(words("player", number=number) for number in range(2, others + 2))]
    return [around[(seat - session.me) % len(around)] for seat in range(len(around))]
