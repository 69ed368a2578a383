"""Training configurations: YAML files, checked before anything starts.

>>> config = load("configs/train/straight_quick.yaml", ["seed=7", "ppo.epochs=3"])  # doctest: +SKIP

Unknown keys are refused and the nearest valid one is named; every error is one sentence.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from rummy_env.episode import EpisodeOptions
from rummy_env.rules import Rules

SELF: Final = "self"
"""Among opponents: earlier selves of the policy that is trained."""

FIRST_VALIDATION_SEED: Final = 10_000_000
"""Deals from here on are for choosing the best policy while training."""

FIRST_TRAINING_SEED: Final = 1_000_000
"""What is added to ``seed``: deals below are kept for evaluation, and nothing here ever sees them."""

Count = Annotated[int, Field(ge=1)]
Share = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[float, Field(gt=0)]
Weight = Annotated[float, Field(ge=0)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Schedule(_Section):
    """A number that goes in a straight line from ``start`` to ``end`` over the training. YAML also takes a plain
    number, which stays as it is."""

    start: Weight
    end: Weight

    @model_validator(mode="before")
    @classmethod
    def _from_number(cls, value: Any) -> Any:
        return value if isinstance(value, dict | Schedule) else {"start": value, "end": value}

    def __call__(self, remaining: float) -> float:
        """The value when ``remaining`` (1 to 0) of the training is still to come, as SB3 asks for it."""
        return self.end + (self.start - self.end) * remaining


class Network(_Section):
    """Units of `training.network.CardNetwork`."""

    card_width: Count = 24
    suit_width: Count = 96
    table_width: Count = 192
    put_down: bool = False
    """Whether it is told what of the hand can be put down, which it is slow to learn by itself."""


class Environment(_Section):
    """`training.sb3_vec_env.RummyVecEnv`."""

    num_envs: Count = 512
    num_threads: Count = 1
    rewards: str = "zero_sum"
    reward_scale: float | None = 20.0
    """Points that make a reward of 1; None: the target of a match."""
    match: bool = False

    @model_validator(mode="after")
    def _fits_environment(self) -> Self:
        EpisodeOptions(rewards=self.rewards, reward_scale=self.reward_scale, match=self.match)
        return self


class Selves(_Section):
    """Earlier selves: how often one is kept, how many of them, and how many of these play at the same time."""

    every: Count = 500_000
    keep: Count = 8
    at_once: Count = 2


class Clone(_Section):
    """Imitation of a teacher before reinforcement learning."""

    teacher: str = "hard"
    decisions: Count = 3_000_000
    batch_size: Count = 1024
    learning_rate: Schedule = Schedule(start=1e-3, end=1e-5)
    random_share: Share = 0.02
    """Of the decisions, played at random instead of as the teacher says, so that it is seen in more positions."""
    value_weight: Weight = 0.5


class PPO(_Section):
    """Proximal policy optimisation (Schulman et al., 2017), with the names of Stable-Baselines3 where it has one."""

    n_steps: Count = 64
    """Decisions of every table between two updates."""
    batch_size: Count = 2048
    epochs: Count = 2
    gamma: Share = 1.0
    gae_lambda: Share = 0.95
    learning_rate: Schedule = Schedule(start=3e-4, end=0.0)
    clip_range: Schedule = Schedule(start=0.2, end=0.2)
    entropy_weight: Schedule = Schedule(start=0.01, end=0.0)
    value_weight: Weight = 0.5
    max_grad_norm: Positive = 0.5
    target_kl: Positive | None = None
    hindsight: str | None = None
    """The rule bot that takes luck out of the rewards (`training.hindsight`), or none."""


class Checkpoints(_Section):
    every: Count = 500_000
    keep: Count = 2


class Validation(_Section):
    """Duplicate deals against rule bots, on which the best policy is chosen."""

    every: Count = 500_000
    deals: Annotated[int, Field(ge=2)] = 500
    opponents: Annotated[tuple[str, ...], Field(min_length=1)] = ("normal", "hard")
    seed: Annotated[int, Field(ge=FIRST_VALIDATION_SEED)] = FIRST_VALIDATION_SEED


class Config(_Section):
    """One training run. Sizes named ``every`` and ``total_steps`` are decisions of the learner."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
    """Of the run folder; that of the file by default."""
    ruleset: str = "straight"
    num_players: int = 2
    options: dict[str, Any] = {}
    """Of the ruleset (`Rules.preset`)."""
    seed: Annotated[int, Field(ge=0, lt=FIRST_VALIDATION_SEED - FIRST_TRAINING_SEED)] = 1
    total_steps: Count
    torch_threads: Count = 1
    precision: Literal["float32", "bfloat16"] = "float32"
    network: Network = Network()
    environment: Environment = Environment()
    opponents: Annotated[dict[str, Weight], Field(min_length=1)] = {"normal": 1, "hard": 1, SELF: 2}
    """Names and their weights; ``self`` is an earlier self."""
    selves: Selves = Selves()
    clone: Clone | None = None
    ppo: PPO = PPO()
    checkpoints: Checkpoints = Checkpoints()
    validation: Validation = Validation()

    @field_validator("opponents")
    @classmethod
    def _some_weight(cls, opponents: dict[str, float]) -> dict[str, float]:
        if not sum(opponents.values()) > 0:
            raise ValueError("expected a weight above 0")
        return opponents

    @model_validator(mode="after")
    def _fits_rules(self) -> Self:
        self.rules()
        return self

    def rules(self) -> Rules:
        """The game that is trained."""
        return Rules.preset(self.ruleset, num_players=self.num_players, **self.options)

    def to_yaml(self) -> str:
        """Text that `load` reads as this configuration."""
        return yaml.safe_dump(self.model_dump(mode="json"), sort_keys=False, allow_unicode=True)


def load(path: str | os.PathLike[str], overrides: Sequence[str] = ()) -> Config:
    """Read a configuration; ``overrides`` are like ``ppo.learning_rate=1e-4``, their values YAML.

    Raises:
        ValueError: for what is no YAML mapping, an unknown key (names the nearest valid one) or a value out of range.
        OSError: if the file cannot be read.
    """
    path = Path(path)
    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise ValueError(f"{path}: expected YAML in UTF-8, got other bytes") from None
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(f"{path}: expected YAML, got {_one_line(error)}") from None
    if not isinstance(values, dict):
        raise ValueError(f"{path}: expected a mapping of keys and values, got {type(values).__name__}")
    values = {"name": path.stem, **values}
    for override in overrides:
        _set(values, override)
    try:
        return Config.model_validate(values)
    except ValidationError as error:
        raise ValueError(f"{path}: {_first_fault(error)}") from None


def _set(values: dict[str, Any], override: str) -> None:
    """Write an override into the values of a file."""
    key, equals, text = override.partition("=")
    names = key.strip().split(".")
    if not (equals and all(names)):
        raise ValueError(f"expected key=value, like seed=7, got {override!r}")
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(f"{key}: expected a YAML value, got {text!r}: {_one_line(error)}") from None
    section = values
    for name in names[:-1]:
        inside = section.get(name)
        # What is missing, none or a plain number gives way to a section; if there may be none, the check will say so.
        section[name] = dict(inside) if isinstance(inside, dict) else {}
        section = section[name]
    section[names[-1]] = value


def _first_fault(error: ValidationError) -> str:
    fault = error.errors()[0]
    where = tuple(part for part in fault["loc"])
    key = ".".join(map(str, where))
    got = fault["input"]
    match fault["type"]:
        case "extra_forbidden":
            valid = _keys_of(where[:-1])
            near = difflib.get_close_matches(str(where[-1]), valid, 1)
            hint = f"; did you mean {'.'.join([*map(str, where[:-1]), near[0]])!r}?" if near else ""
            inside = f" in {'.'.join(map(str, where[:-1]))!r}" if where[:-1] else ""
            return f"expected a key of {', '.join(valid)}{inside}, got {str(where[-1])!r}{hint}"
        case "missing":
            return f"{key}: expected a value, got none"
        case "value_error":
            text = fault["msg"].removeprefix("Value error, ")
            return f"{key}: {text}" if key else text
    said = fault["msg"][0].lower() + fault["msg"][1:]
    return f"{key}: expected {_wanted(said)}, got {got!r}"


def _wanted(said: str) -> str:
    """What pydantic expects, in the words of our other errors."""
    for start in ("input should be ", "string should ", "tuple should ", "dictionary should "):
        if said.startswith(start):
            return said.removeprefix(start).split(", unable to")[0]
    return said


def _keys_of(where: Sequence[Any]) -> list[str]:
    """The valid keys of a section."""
    section: type[BaseModel] = Config
    for name in where:
        annotation: Any = section.model_fields[name].annotation
        section = next(
            one for one in (annotation, *getattr(annotation, "__args__", ())) if hasattr(one, "model_fields")
        )
    return list(section.model_fields)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
