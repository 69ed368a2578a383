"""Checks that anybody can run on rules of their own.

>>> from rummy_env import Rules
>>> from rummy_env.testing import check_rules
>>> check_rules(Rules.preset("straight", num_players=3, ace_points=15), games=1)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from rummy_env.actions import describe_action, num_actions
from rummy_env.cards import JOKER, card_text, parse_cards
from rummy_env.core.batch import REWARD_SCHEMES
from rummy_env.core.random import check_seed
from rummy_env.episode import SCALE_WITHOUT_TARGET, Episode, EpisodeOptions
from rummy_env.fields import observation_size
from rummy_env.game import Game
from rummy_env.match import Match
from rummy_env.moves import IllegalMove
from rummy_env.numbers import whole_number
from rummy_env.rules import Rules

SHARE_SEARCHED: Final = 0.1
"""Share of the positions in which every action id is tried: that takes some milliseconds each."""

REFUSED: Final = 3
"""How many illegal actions are tried in those positions."""


def check_rules(rules: Rules, games: int = 20, seed: int = 0) -> None:
    """Play ``games`` rounds of random legal actions and check, all the way, what must hold under any rules:

    - every card of the deck is in exactly one place; hands have the size that everybody sees;
    - the seat to play has a legal action, seats that wait have none; the mask says of every id what
      `Game.is_legal` says of its move; observations have their shape, 0 or 1;
    - an action that is refused changes nothing;
    - dealing anew everything that a seat cannot know (`Game.resample`) changes nothing of what it sees;
    - the same seed deals the same round; records, as text and JSON, replay to the same end;
    - rounds end within ``max_turns``; scores follow from the hands; zero-sum rewards sum to zero.

    Raises:
        AssertionError: for the first thing that does not hold; names the game, its seed and the step.
        ValueError: for a number of games or a seed out of range.
    """
    count = whole_number(games)
    if count is None or count < 1:
        raise ValueError(f"games: expected a whole number from 1 on, got {games!r}")
    first = check_seed(seed)
    if first is None:
        raise ValueError("seed: expected a whole number from 0 on, got None")
    for number in range(count):
        game_seed = first + number
        game = Match(rules, game_seed).game
        rng = np.random.default_rng(game_seed)
        step = 0
        try:
            while not game.over:
                _check_position(game, rng)
                _play_one(game, rng)
                step += 1
            _check_position(game, rng)
            _check_end(game)
            _check_replay(game, Match(rules, game_seed).game)
            _check_rewards(game, rules, game_seed)
        except AssertionError as error:
            raise AssertionError(f"game {number} (seed {game_seed}), step {step}: {error}") from None


def _expect(holds: Any, message: str) -> None:
    if not holds:
        raise AssertionError(message)


def _same(table: npt.NDArray[np.void], other: npt.NDArray[np.void]) -> bool:
    """Whether two tables are the same, field by field: the bytes between fields mean nothing."""
    return all(
        np.array_equal(table[part][name], other[part][name])
        for part in ("view", "hidden")
        for name in table[part].dtype.names or ()
    )


# --- one position --------------------------------------------------------------------------------------------


def _check_position(game: Game, rng: np.random.Generator) -> None:
    _check_cards(game)
    _check_masks(game)
    for seat in range(game.rules.num_players):
        _check_hidden(game, seat, rng)
    if rng.random() < SHARE_SEARCHED:
        _check_actions(game)
        _check_refusals(game, rng)


def _check_cards(game: Game) -> None:
    rules = game.rules
    seats = range(rules.num_players)
    stock = parse_cards(game.position()["stock"])
    found: Counter[int] = Counter(stock + parse_cards(game.pile) + parse_cards(game.wild or ""))
    for seat in seats:
        found.update(parse_cards(game.hand(seat)))
    for meld in game.table:
        found.update(parse_cards(meld.cards))
    whole = Counter({card: rules.copies(card) for card in (*rules.deck, JOKER)})
    wrong = sorted((whole - found) + (found - whole))
    _expect(
        not wrong,
        "expected every card of the deck in one place, got "
        + ", ".join(f"{card_text(card)} {found[card]} times" for card in wrong),
    )
    sizes = [len(game.hand(seat)) for seat in seats]
    _expect(game.view(0).hand_sizes == sizes, f"expected hand sizes {sizes} in a view, got {game.view(0).hand_sizes}")
    _expect(game.stock_size == len(stock), f"expected {len(stock)} cards in the stock, got {game.stock_size}")


def _check_masks(game: Game) -> None:
    size, count = observation_size(game.rules.ruleset, game.rules.num_players), num_actions(game.rules.ruleset)
    for seat in range(game.rules.num_players):
        observation, mask = game.observation(seat), game.action_mask(seat)
        for name, row, shape, dtype in (
            ("observation", observation, (size,), np.uint8),
            ("mask", mask, (count,), np.int8),
        ):
            _expect(
                row.shape == shape and row.dtype == dtype and not (row > 1).any() and not (row < 0).any(),
                f"expected the {name} of seat {seat} as {shape} {np.dtype(dtype)} of 0 and 1, "
                f"got {row.shape} {row.dtype} from {row.min()} to {row.max()}",
            )
        plays = not game.over and seat == game.to_play
        _expect(
            mask.any() == plays,
            f"expected {'a legal action' if plays else 'no legal action'} for seat {seat}, "
            f"which {'is to play' if plays else 'waits'}, got {mask.sum()} of them",
        )


def _check_hidden(game: Game, seat: int, rng: np.random.Generator) -> None:
    """What a seat sees does not change with what it cannot know."""
    other = game.resample(seat, rng)
    _check_cards(other)
    parts: tuple[tuple[str, Callable[[Game], Any]], ...] = (
        ("hand", lambda g: g.hand(seat)),
        ("view", lambda g: g.view(seat)),
        ("observation", lambda g: g.observation(seat).tolist()),
        ("mask", lambda g: g.action_mask(seat).tolist()),
    )
    for name, part in parts:
        _expect(
            part(game) == part(other),
            f"expected the {name} of seat {seat} to depend on nothing hidden from it, got another {name} after its "
            "opponents' cards and the stock were dealt anew",
        )


def _check_actions(game: Game) -> None:
    """The mask says of every id what the rules say of its move."""
    mask = game.action_mask(game.to_play)
    for action in range(len(mask)):
        legal = game.is_legal(game.move_of(action))
        _expect(
            legal == mask[action],
            f"expected the mask to say {int(legal)} for action {action} ({_name(game, action)}), as is_legal does, "
            f"got {mask[action]}",
        )


def _check_refusals(game: Game, rng: np.random.Generator) -> None:
    """Actions that are not legal are refused, and nothing changes."""
    before = game.copy()
    illegal = np.flatnonzero(game.action_mask(game.to_play) == 0)
    for action in rng.choice(illegal, REFUSED).tolist():
        try:
            game.step(action)
        except IllegalMove:
            _expect(
                _same(game.state, before.state) and game.history == before.history,
                f"expected nothing to change when action {action} ({_name(game, action)}) is refused, got a change",
            )
        else:
            raise AssertionError(f"expected action {action} ({_name(game, action)}) to be refused, got it played")


def _play_one(game: Game, rng: np.random.Generator) -> None:
    action = int(rng.choice(np.flatnonzero(game.action_mask(game.to_play))))
    try:
        game.step(action)
    except IllegalMove as error:
        raise AssertionError(f"expected action {action} of the mask to be played, got: {error}") from None


def _name(game: Game, action: int) -> str:
    return describe_action(game.rules.ruleset, action)


# --- a whole round -------------------------------------------------------------------------------------------


def _check_end(game: Game) -> None:
    rules, result = game.rules, game.result
    _expect(game.turn <= rules.max_turns, f"expected at most {rules.max_turns} turns, got {game.turn}")
    if result is None:
        raise AssertionError("expected a result at the end, got none")
    scores = [0] * rules.num_players
    _expect(result.void == (result.winner is None), f"expected a winner or a void round, got {result}")
    if rules.ruleset == "gin":
        if result.winner is not None:
            scores[result.winner] = _gin_score(game)
    elif rules.ruleset == "indian":
        if result.winner is not None:
            scores = _indian_scores(game, result.winner)
    elif result.winner is not None:
        left = [rules.hand_points(game.hand(seat)) for seat in range(rules.num_players)]
        least = left[result.winner]
        if result.blocked:
            _expect(least == min(left), f"expected the fewest points to win, got {least} of {left}")
        else:
            hand = game.hand(result.winner)
            _expect(not hand, f"expected the winner's hand empty, got {hand}")
        scores[result.winner] = sum(points - least for points in left) * (rules.rummy_factor if result.doubled else 1)
    _expect(result.scores == tuple(scores), f"expected the scores {tuple(scores)}, got {result.scores}")


def _gin_score(game: Game) -> int:
    """What the winner of a round of gin gets, from the hands as they were shown."""
    rules, result, showdown = game.rules, game.result, game.showdown
    if result is None or showdown is None:
        raise AssertionError("expected hands to be shown at the end, got none")
    for seat, shown in enumerate(showdown.hands):
        if shown is None:
            raise AssertionError(f"expected the hand of seat {seat} to be shown, got it hidden")
        laid_out = [card for meld in shown.melds for card in meld] + [*shown.laid_off, *shown.deadwood]
        _expect(
            sorted(laid_out) == sorted(game.hand(seat)) and all(map(rules.is_meld, shown.melds)),
            f"expected seat {seat} to lay out its hand in melds, lay-offs and deadwood, got {shown}",
        )
        points = rules.hand_points(shown.deadwood)
        _expect(shown.points == points, f"expected {points} points of deadwood at seat {seat}, got {shown.points}")
    knocker = showdown.closer
    own, other = (hand.points for hand in (showdown.hands[knocker], showdown.hands[1 - knocker]) if hand is not None)
    _expect(own <= rules.knock_limit, f"expected a knock with at most {rules.knock_limit} points, got {own}")
    wins = own == 0 or own < other
    _expect(
        (result.winner == knocker) == wins, f"expected the knocker to {'win' if wins else 'be undercut'}, got {result}"
    )
    if own == 0:
        return other + rules.gin_bonus
    return other - own if wins else own - other + rules.undercut_bonus


def _indian_scores(game: Game, winner: int) -> list[int]:
    """What every seat gets from a round of indian, from who has packed and the hands as they lie."""
    rules, packed = game.rules, game.view(winner).packed
    packing = {"first": rules.pack_first, "later": rules.pack_later}
    scores = [0] * rules.num_players
    _expect(packed[winner] is None, f"expected a winner who has not packed, got seat {winner}")
    for seat, how in enumerate(packed):
        if how is not None:
            scores[seat] = -packing[how]
        elif seat != winner:
            points = rules.arrange(game.hand(seat), game.wild).points
            scores[seat] = -min(points, rules.points_cap or points)
    scores[winner] = -sum(scores)
    if game.showdown is None:
        _expect(packed.count(None) == 1, f"expected one seat left without a declaration, got {packed}")
    else:
        arranged = rules.arrange(game.hand(winner), game.wild)
        _expect(arranged.declarable, f"expected a hand that can be declared at seat {winner}, got {arranged}")
    return scores


def _check_replay(game: Game, again: Game) -> None:
    """``again``: the same round, dealt from the same seed."""
    _expect(_same(again.state, game.start_state), "expected the same deal from the same seed, got another")
    for entry in game.history:
        again.repeat(entry)
    _expect(_same(again.state, game.state), "expected the same end of the same moves, got another")
    for form in ("text", "json"):
        try:
            replayed = Game.from_record(game.record(form))
        except ValueError as error:
            raise AssertionError(f"expected the record ({form}) to be read, got: {error}") from None
        _expect(
            replayed.result == game.result and replayed.position() == game.position(),
            f"expected the record ({form}) to replay to the same end, got {replayed.result} for {game.result}",
        )


def _check_rewards(game: Game, rules: Rules, seed: int) -> None:
    """Rewards of all schemes for the same round; none before its end."""
    for scheme in REWARD_SCHEMES:
        episode = Episode(rules, EpisodeOptions(rewards=scheme, illegal="raise"), seed)
        settled = None
        for entry in game.history:
            _expect(settled is None, "expected the round to be settled at its end, got it settled before")
            settled = episode.play(entry)
        if settled is None:
            raise AssertionError("expected the round to be settled at its end, got nothing")
        rewards = settled.rewards
        if scheme == "score":
            scale = rules.target or SCALE_WITHOUT_TARGET
            wanted = tuple(score / scale for score in settled.result.scores)
            _expect(np.allclose(rewards, wanted), f"expected rewards {wanted} of scheme score, got {rewards}")
        else:
            _expect(abs(sum(rewards)) < 1e-9, f"expected rewards of scheme {scheme} that sum to zero, got {rewards}")
        ends = (settled.terminated, settled.truncated)
        cut_off = settled.result.truncated
        _expect(ends == (not cut_off, cut_off), f"expected a round cut off to be truncated, others to end, got {ends}")
