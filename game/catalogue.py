"""What can be played, as the rules say it: rulesets, their seats and options, and who plays which level.

Nothing here names a ruleset, so a new one of `rummy_env` is served as soon as it is there. `OFFERED` names options.
"""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import Any, Final

from game import offers, protocol
from game.players import LEVELS, level_exists, plays_level
from game.protocol import Refused, Settings
from rummy_env import Match
from rummy_env.game import MOVES
from rummy_env.rules import RULESETS, SEATS, Rules, allowed_range, option_names

PLAYED: Final = tuple(ruleset for ruleset in RULESETS if ruleset in MOVES)
"""Rulesets that can be played at a table."""

OFFERED: Final[dict[str, tuple[Any, ...]]] = {
    "opening": (30, 40, 51),
    "rummy_factor": (1, 2),
    "start_points": (0, 100, 200),
    "points_cap": (0, 80),
    "knock_limit": (5, 10),
}
"""Values that the wizard shows, by option."""

MATCH_TARGET: Final = 200
"""To what a match goes in rulesets that play a single round by themselves."""

WIZARD_SEATS: Final = 4

_SET_BY_LENGTH: Final = ("num_players", "target", "max_rounds")


@cache
def ruleset_facts(ruleset: str) -> dict[str, Any]:
    """One ruleset of the catalogue, without its players."""
    plain = Rules.preset(ruleset)
    options = option_names(ruleset)
    kinds = [kind for kind in MOVES[ruleset].kinds if kind not in offers.INNER_KINDS]
    low, high = SEATS[ruleset]
    target = length_options(ruleset, "match").get("target", plain.target if _has("target", ruleset) else None)
    return {
        "ruleset": ruleset,
        "seats": [low, high],
        "wizard_seats": max(low, min(high, WIZARD_SEATS)),
        "kinds": kinds,
        "table": "meld" in kinds,
        "opens": "opening" in options,
        "arranges": offers.arranges(plain),
        "wild": offers.has_wild(ruleset),
        "joker": plain.num_jokers != 0,
        "lengths": list(protocol.LENGTHS),
        "length": "match" if plays_to_target(plain) else "round",
        "target": target,
        "options": [_option(ruleset, name, plain) for name in options if name not in _SET_BY_LENGTH],
    }


def plays_to_target(plain: Rules) -> bool:
    """Whether a ruleset by itself is a match of several rounds."""
    return not _has("target", plain.ruleset) or plain.target > 0


def _has(option: str, ruleset: str) -> bool:
    return option in option_names(ruleset)


def length_options(ruleset: str, length: str) -> dict[str, int]:
    """The options that make a game one round, or a whole match."""
    plain = Rules.preset(ruleset)
    if length == "match":
        return {} if plays_to_target(plain) else {"target": MATCH_TARGET}
    if not _has("target", ruleset):
        return {}  # `match_state` ends it
    low, _ = allowed_range(ruleset, "target", 0, 1)
    return {"target": low}


def _option(ruleset: str, name: str, plain: Rules) -> dict[str, Any]:
    about = next(f for f in fields(Rules) if f.name == name)
    default = getattr(plain, name)
    found: dict[str, Any] = {"name": name, "default": default, "doc": about.metadata["doc"]}
    if "choices" in about.metadata:
        found["choices"] = list(about.metadata["choices"])
    elif not isinstance(default, bool):
        found["low"], found["high"] = allowed_range(ruleset, name, about.metadata["low"], about.metadata["high"])
    if name in OFFERED:
        found["offered"] = list(OFFERED[name])
    return found


def catalogue() -> dict[str, Any]:
    """What `GET /api/catalogue` answers."""
    rulesets = []
    for ruleset in PLAYED:
        low, high = SEATS[ruleset]
        numbers = {num: Rules.preset(ruleset, num_players=num) for num in range(low, high + 1)}
        rulesets.append(
            ruleset_facts(ruleset)
            | {
                "hard": {str(num): plays_level("hard", rules)[0] for num, rules in numbers.items()},
                "expert": any(plays_level("expert", rules)[0] == "expert" for rules in numbers.values()),
            }
        )
    return {
        "protocol": protocol.VERSION,
        "levels": [level for level in LEVELS if level_exists(level)],
        "clocks": list(protocol.CLOCKS),
        "clock": protocol.DEFAULT_CLOCK,
        "reactions": list(protocol.REACTIONS),
        "name_length": protocol.MAX_NAME,
        "rulesets": rulesets,
    }


def check(settings: Settings, sit: bool = True) -> Settings:
    """Settings with everything filled in that was left out. ``sit``: whether a person will play.

    Raises:
        Refused: with ``bad_settings`` and what was expected.
    """
    if settings.ruleset not in PLAYED:
        raise Refused("bad_settings", reason=f"expected a ruleset of {', '.join(PLAYED)}, got {settings.ruleset!r}")
    low, high = SEATS[settings.ruleset]
    facts = ruleset_facts(settings.ruleset)
    seats = settings.seats
    if seats is None:
        seats = max(low, len(settings.computers) + sit) if settings.computers else facts["wizard_seats"]
    if not low <= seats <= high:
        raise Refused("bad_settings", reason=f"seats: expected {low} to {high} in {settings.ruleset}, got {seats}")
    if wrong := [level for level in settings.computers if level not in LEVELS or not level_exists(level)]:
        levels = ", ".join(level for level in LEVELS if level_exists(level))
        raise Refused("bad_settings", reason=f"computers: expected levels of {levels}, got {wrong[0]!r}")
    most = seats - 1 if sit else seats
    if len(settings.computers) > most:
        raise Refused("bad_settings", reason=f"computers: expected at most {most}, got {len(settings.computers)}")
    if not sit and len(settings.computers) < seats:
        raise Refused(
            "bad_settings", reason=f"computers: expected {seats} where nobody sits, got {len(settings.computers)}"
        )
    if settings.clock is None and seats - len(settings.computers) > 1:
        raise Refused("bad_settings", reason="clock: expected one where several people play, got null")
    taken_by_length = [name for name in ("num_players", "max_rounds") if name in settings.options]
    if taken_by_length:
        raise Refused("bad_settings", reason=f"options: expected 'seats' and 'length' instead of {taken_by_length[0]}")
    filled = settings.model_copy(update={"seats": seats, "length": settings.length or facts["length"]})
    for num_players in range(low, seats + 1):  # it may start with fewer
        rules_of(filled, num_players)
    return filled


def match_state(match: Match, settings: Settings) -> tuple[bool, tuple[int, ...]]:
    """Whether a match is over, and who has won it. One round of a ruleset that knows only whole matches is over when a
    round has been won."""
    result = match.game.result
    if match.over or result is None or settings.length != "round" or _has("target", settings.ruleset):
        return match.over, match.winners
    return not result.void, () if result.winner is None else (result.winner,)


def rules_of(settings: Settings, num_players: int) -> Rules:
    """The rules of a game by checked settings.

    Raises:
        Refused: with ``bad_settings`` for an option that the ruleset does not have, or a value out of range.
    """
    options: dict[str, Any] = {**length_options(settings.ruleset, settings.length or "round"), **settings.options}
    try:
        return Rules.preset(settings.ruleset, num_players=num_players, **options)
    except (ValueError, TypeError) as error:
        raise Refused("bad_settings", reason=str(error)) from None
