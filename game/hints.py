"""What a hand offers, for people: the melds in it, its best opening, what can be laid off, the moves to choose from,
and a hint.

Whether cards are a meld and whether a move is legal is asked of `Rules` and `Game`; here it is only tried out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final

from rummy_env.cards import JOKER, NUM_RANKS, NUM_SUITS, Card, card_text, cards_text, parse_card, parse_cards
from rummy_env.melds import HIGH_ACE, LEAST_CARDS, Meld, extended
from rummy_env.moves import Move
from rummy_env.table_moves import has_opened, opening

if TYPE_CHECKING:
    from agents import Agent
    from rummy_env import Game, Rules
    from rummy_env.view import TableMeld

ORDER: Final = (
    "draw", "take", "pass", "pack", "confirm", "open", "meld", "piece", "layoff", "lengthen", "swap", "untake",
    "declare", "knock", "discard",
)  # fmt: skip
"""Kinds of moves in the order in which they are offered."""


# --- melds in a hand -----------------------------------------------------------------------------------------


def melds_in(rules: Rules, hand: Sequence[str]) -> list[tuple[str, ...]]:
    """Every meld that can be made of these cards without a joker, longest first, each written as the rule book writes
    it.

    >>> from rummy_env import Rules
    >>> melds_in(Rules.preset("straight"), ["4d", "5d", "6d", "7d", "9s"])
    [('4d', '5d', '6d', '7d'), ('4d', '5d', '6d'), ('5d', '6d', '7d')]
    """
    faces = sorted({parse_card(card) for card in hand} - {JOKER})
    # A longer meld is a shorter one and a card more.
    longest = {frozenset(cards) for cards in combinations(faces, LEAST_CARDS) if rules.meld(cards)}
    found: set[frozenset[Card]] = set()
    while longest:
        found |= longest
        longest = {meld | {card} for meld in longest for card in faces if card not in meld and _are(rules, meld, card)}
    return [texts for _, texts in sorted(((-len(cards), sorted(cards)), _written(rules, cards)) for cards in found)]


def _are(rules: Rules, meld: frozenset[Card], card: Card) -> bool:
    return rules.meld([*meld, card]) is not None


def _written(rules: Rules, cards: Collection[Card]) -> tuple[str, ...]:
    meld = rules.meld(sorted(cards))
    assert meld is not None
    return tuple(map(card_text, meld.cards))


def joker_melds_in(rules: Rules, hand: Sequence[str]) -> list[tuple[str, ...]]:
    """Every meld of two of these cards and a joker of the hand that stands for a card which the hand lacks."""
    cards = [parse_card(card) for card in hand]
    if JOKER not in cards:
        return []
    held = set(cards)
    return [
        tuple(map(card_text, meld.cards))
        for meld in every_meld(rules, cards, most=LEAST_CARDS)
        if meld.jokers and not held & set(_stands_for(meld))
    ]


def _stands_for(meld: Meld) -> list[Card]:
    """The cards that the jokers of a run stand for, or one of which that of a set does."""
    if meld.is_run:
        return [meld.key * NUM_RANKS + place % NUM_RANKS for place in meld.places if meld.jokers >> place & 1]
    return [suit * NUM_RANKS + meld.key for suit in range(NUM_SUITS) if not meld.suits >> suit & 1]


def best_melds(rules: Rules, hand: Sequence[str]) -> list[tuple[str, ...]]:
    """Melds that can be made of these cards side by side, so that the fewest points are left; in a game with openings
    those of the best opening."""
    if rules.ruleset == "rami":
        return list(best_opening(rules, hand).melds)

    def best(melds: list[tuple[str, ...]]) -> tuple[int, list[tuple[str, ...]]]:
        chosen: tuple[int, list[tuple[str, ...]]] = (0, [])
        for at, meld in enumerate(melds):
            points, others = best([other for other in melds[at + 1 :] if not set(other) & set(meld)])
            chosen = max(chosen, (points + rules.hand_points(meld), [meld, *others]), key=lambda pair: pair[0])
        return chosen

    return best(melds_in(rules, hand))[1]


# --- openings ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Opening:
    """Melds that could be an opening together, and what they count."""

    melds: tuple[tuple[str, ...], ...] = ()
    points: int = 0


def best_opening(rules: Rules, hand: Sequence[str], needed: str | None = None) -> Opening:
    """The opening of these cards that counts the most, whatever the threshold. ``needed``: a card that has to be in
    it."""
    rest = [parse_card(card) for card in hand]
    chosen: list[Meld] = []
    must = None if needed is None else parse_card(needed)
    while must is not None or _best_total(rules, rest):
        # The first meld of some best choice. A joker is used where nothing else will do.
        candidates = [meld for meld in every_meld(rules, rest) if must is None or must in meld.cards]
        if not candidates:
            return Opening()
        worth = {meld: rules.meld_points(meld) + _best_total(rules, _without(rest, meld)) for meld in candidates}
        chosen.append(max(candidates, key=lambda meld: (worth[meld], -meld.cards.count(JOKER), meld.size)))
        rest, must = _without(rest, chosen[-1]), None
    return Opening(tuple(tuple(map(card_text, meld.cards)) for meld in chosen), sum(map(rules.meld_points, chosen)))


def _best_total(rules: Rules, cards: Sequence[Card]) -> int:
    return rules.best_opening(cards_text(cards)) if len(cards) >= LEAST_CARDS else 0


def _without(cards: Sequence[Card], meld: Meld) -> list[Card]:
    return list((Counter(cards) - Counter(meld.cards)).elements())


def taken_card(game: Game) -> str | None:
    """The card that the seat to play has taken from the pile and not put down yet."""
    taken = game.view(game.to_play).taken
    return None if game.phase != "play" or game.position()["taken_used"] else taken


def opening_of(game: Game) -> Move | None:
    """The legal opening of the seat to play that counts the most; one that the rules let through below the threshold
    where no other is legal; None where there is none."""
    if game.phase != "play" or not any(move.kind == "piece" for move in game.legal_moves()) or opening(game):
        return None
    best = best_opening(game.rules, game.hand(game.to_play), taken_card(game))
    move = Move("open", melds=tuple(tuple(parse_cards(meld)) for meld in best.melds))
    return move if best.melds and game.is_legal(move) else _pieces_laid(game.copy())


def _pieces_laid(trial: Game) -> Move:
    """An opening, laid piece upon piece in ``trial``: no legal piece leads into a dead end."""
    first = len(trial.table)
    while (moves := {move.kind: move for move in reversed(trial.legal_moves())}) and "confirm" not in moves:
        trial.play(moves.get("piece") or moves["lengthen"])
    return Move("open", melds=tuple(meld.meld.cards for meld in trial.table[first:]))


def every_meld(rules: Rules, cards: Sequence[Card], most: int = NUM_RANKS) -> Iterator[Meld]:
    """Every meld of at most ``most`` of these cards, jokers in all the places that they may have."""
    held = Counter(cards)
    for rank in range(NUM_RANKS):
        suits = [suit for suit in range(NUM_SUITS) if held[suit * NUM_RANKS + rank]]
        for size in range(2, len(suits) + 1):
            for chosen in combinations(suits, size):
                for jokers in range(min(held[JOKER], NUM_SUITS - size) + 1):
                    naturals = [suit * NUM_RANKS + rank for suit in chosen]
                    if size + jokers <= most and (meld := rules.meld([*naturals, *[JOKER] * jokers])):
                        yield meld
    for suit in range(NUM_SUITS):
        for low in range(HIGH_ACE):
            yield from _runs_from(rules, held, suit, low, (), most)


def _runs_from(
    rules: Rules, held: Counter[Card], suit: int, place: int, run: tuple[Card, ...], most: int
) -> Iterator[Meld]:
    """Every run that begins with ``run`` and goes on at ``place``."""
    if len(run) >= LEAST_CARDS and (meld := rules.meld(run)) and meld.is_run:
        yield meld
    if place > HIGH_ACE or len(run) == most:
        return
    card = suit * NUM_RANKS + place % NUM_RANKS
    if held[card]:
        yield from _runs_from(rules, held, suit, place + 1, (*run, card), most)
    if run.count(JOKER) < held[JOKER] and run[-1:] != (JOKER,):
        yield from _runs_from(rules, held, suit, place + 1, (*run, JOKER), most)


# --- lay-offs and choices ------------------------------------------------------------------------------------


def layoffs_in(rules: Rules, hand: Collection[str], table: Sequence[TableMeld]) -> dict[str, list[int]]:
    """The cards of a hand that can be laid off, each with the numbers of the table melds that take it."""
    numbers = {
        card: [number for number, meld in enumerate(table) if _takes(rules, meld.meld, parse_card(card))]
        for card in hand
    }
    return {card: fitting for card, fitting in numbers.items() if fitting}


def _takes(rules: Rules, meld: Meld, card: Card) -> bool:
    if card == JOKER and not meld.is_run and not rules.joker_onto_set:
        return False
    return any(extended(meld, card, end, rules.high_ace) for end in ("set", "low", "high"))


def layoffs_now(game: Game) -> dict[str, list[int]]:
    """The cards of the seat to play that could be laid off in this turn: none before it has opened, and onto its own
    pieces alone while it puts an opening together."""
    found = layoffs_in(game.rules, game.hand(game.to_play), game.table)
    if game.rules.ruleset != "rami" or has_opened(game):
        return found
    first = len(game.table) - game.position()["pending"]
    own = {card: [number for number in numbers if number >= first] for card, numbers in found.items()}
    return {card: numbers for card, numbers in own.items() if numbers}


def choices(game: Game) -> list[Move]:
    """The moves that a person may choose from: every legal meld of any length, then what else is legal, a whole
    opening before its pieces. Melds in which a joker does the work of a card in the hand can be typed, but are not
    among them where the card itself would do."""
    moves = game.legal_moves()
    hand = game.hand(game.to_play)
    kinds = {move.kind for move in moves} & {"meld", "piece"}
    if kinds:
        kind = kinds.pop()
        natural = [Move(kind, tuple(parse_cards(meld))) for meld in melds_in(game.rules, hand)]
        joker = {tuple(parse_cards(meld)) for meld in joker_melds_in(game.rules, hand)}
        others = [move for move in moves if move.kind == kind and JOKER in move.cards]
        plain = [*filter(game.is_legal, natural), *(move for move in others if move.cards in joker)]
        moves = [*(plain or others), *(move for move in moves if move.kind != kind)]
    if (whole := opening_of(game)) is not None:
        moves.append(whole)
    return sorted(moves, key=lambda move: ORDER.index(move.kind))


# --- hints ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Hint:
    """A move, and why. ``reason``: a message of `game.messages` that ``cards`` and ``points`` fill, or None."""

    move: Move
    reason: str | None = None
    cards: tuple[str, ...] = ()
    points: int = 0


def hint(game: Game, agent: Agent) -> Hint:
    """What ``agent`` would do in the place of the seat to play, knowing what that seat knows."""
    move = game.move_of(agent.act(game.view(game.to_play)))
    if len(game.legal_moves()) == 1:
        return Hint(move, "reason_only_move")
    if game.phase in ("upcard", "draw"):
        return _hint_to_draw(game, move)
    if move.kind == "piece" and not opening(game):
        move = _opening_by(game.copy(), agent)
    return _hint_to_play(game, move)


def _opening_by(trial: Game, agent: Agent) -> Move:
    """The whole opening that ``agent`` puts together piece by piece."""
    first = len(trial.table)
    while (move := trial.move_of(agent.act(trial.view(trial.to_play)))).kind != "confirm":
        trial.play(move)
    return Move("open", melds=tuple(meld.meld.cards for meld in trial.table[first:]))


def _hint_to_draw(game: Game, move: Move) -> Hint:
    if move.kind == "pack":
        had = game.view(game.to_play).record["turns"][0, game.to_play]
        return Hint(move, "reason_packs", points=game.rules.pack_later if had else game.rules.pack_first)
    if move.kind == "draw" and not game.pile:
        return Hint(move)
    if not game.rules.has_table:
        return _hint_to_draw_for_hand(game, move)
    if game.rules.ruleset == "rami" and not has_opened(game):
        return _hint_to_draw_before_opening(game, move)
    top = game.pile[-1]
    hand = [*game.hand(game.to_play), top]
    made = [meld for meld in (*melds_in(game.rules, hand), *joker_melds_in(game.rules, hand)) if top in meld]
    fits = layoffs_in(game.rules, [top], game.table)
    if move.kind == "draw":
        return Hint(move) if made or fits else Hint(move, "reason_useless", (top,))
    if made:
        return Hint(move, "reason_makes", made[0])
    if fits:
        return Hint(move, "reason_fits", game.table[fits[top][0]].cards)
    return Hint(move)


def _hint_to_draw_for_hand(game: Game, move: Move) -> Hint:
    """Of a hand game: whether the top of the pile would lie in a meld."""
    top = game.pile[-1]
    laid = game.rules.arrange([*game.hand(game.to_play), top], game.wild)
    made = next((meld for meld in laid.melds if top in meld), ())
    if move.kind == "take":
        return Hint(move, "reason_makes", made) if made else Hint(move)
    return Hint(move) if made else Hint(move, "reason_no_meld", (top,))


def _hint_to_draw_before_opening(game: Game, move: Move) -> Hint:
    opens = opening_with_top(game)
    if move.kind == "draw":
        return Hint(move) if opens else Hint(move, "reason_opens_nothing", (game.pile[-1],))
    return Hint(move, "reason_opens", points=opening_points(game.rules, opens)) if opens else Hint(move)


def opening_with_top(game: Game) -> Move | None:
    """The opening that could be laid after taking the top of the pile, or None."""
    if not game.pile or not game.is_legal("take"):
        return None
    trial = game.copy()
    trial.play("take")
    return opening_of(trial)


def opening_points(rules: Rules, move: Move) -> int:
    """What an opening counts."""
    return sum(rules.opening_points(cards_text(meld)) for meld in move.melds)


def _hint_to_play(game: Game, move: Move) -> Hint:
    hand = game.hand(game.to_play)
    cards = tuple(card_text(card) for card in (*move.cards, *(card for meld in move.melds for card in meld)))
    points = game.rules.hand_points(cards, game.wild)
    if move.kind in ("knock", "declare"):
        left = Counter(hand) - Counter(cards)
        points = game.rules.arrange(sorted(left.elements()), game.wild).points
        return Hint(move, "reason_ends", points=points)
    if len(hand) == len(cards) and move.kind != "swap":
        return Hint(move, "reason_goes_out", cards, points)
    match move.kind:
        case "open":
            return Hint(move, "reason_opens", points=opening_points(game.rules, move))
        case "swap":
            return Hint(move, "reason_frees")
        case "untake" | "piece" | "lengthen" | "confirm":
            return Hint(move)
        case "discard":
            in_meld = any(cards[0] in meld for meld in melds_in(game.rules, hand))
            is_loose = not in_meld and cards[0] != "Jk" and points > 0  # A wild card counts nothing.
            return Hint(move, "reason_loose", cards, points) if is_loose else Hint(move)
    return Hint(move, "reason_rids", cards, points)
