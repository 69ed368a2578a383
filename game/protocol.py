"""Messages of the page, read and checked (game/PROTOCOL.md), and what is answered to the ones that are refused."""

from __future__ import annotations

import json
import unicodedata
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, TypeAdapter, ValidationError, field_validator

VERSION: Final = 1

MAX_MESSAGE: Final = 4096
"""Bytes of the longest message of a page."""

MAX_NAME: Final = 20
MAX_MARKS: Final = 3
"""Marks that a sign of a name may carry: as many as any script writes."""
MAX_MOVE: Final = 200
MAX_CARDS: Final = 24

CLOCKS: Final = (30, 45, 60, 90, 600)
"""Seconds of a turn that a room may have (RULES.md)."""
DEFAULT_CLOCK: Final = 45

Reaction: TypeAlias = Literal["hello", "nice", "wow", "think", "oops", "thanks", "hurry", "bye"]
REACTIONS: Final[tuple[str, ...]] = get_args(Reaction)


# Codes with which a WebSocket is closed.
REPLACED: Final = 4001
CLOSED: Final = 4002
TOO_MANY: Final = 4003
UNREADABLE: Final = 4004
FULL: Final = 1013
STOPPING: Final = 1012

LENGTHS: Final = ("round", "match")


CODES: Final = (
    "bad_message",
    "bad_name",
    "bad_settings",
    "no_room",
    "room_full",
    "room_closed",
    "started",
    "no_seat",
    "bad_token",
    "not_host",
    "not_now",
    "not_your_turn",
    "late",
    "choose",
    "busy",
    "not_kept",
    "not_found",
    "failed",
)
"""Why something is refused, besides ``illegal``, whose sentence is the rules'. Message: ``refused_<code>``."""


class Refused(Exception):
    """What a page asked for is not done, and nothing has changed.

    ``code``: one of game/PROTOCOL.md. ``text``: the sentence, if there is one already; otherwise it is the message
    ``refused_<code>`` of `game.messages`, filled with ``values``. ``more``: further keys of the answer.
    """

    def __init__(
        self, code: str, text: str | None = None, *, more: dict[str, Any] | None = None, **values: Any
    ) -> None:
        super().__init__(text or code)
        self.code = code
        self.text = text
        self.values = values
        self.more = more or {}


class _Message(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    id: Annotated[StrictInt, Field(ge=0, le=2**53)] | None = None
    """A number of the page's own, which the answer repeats."""


Name: TypeAlias = Annotated[str, Field(max_length=4 * MAX_NAME)]
Code: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
Seat: TypeAlias = Annotated[StrictInt, Field(ge=0, le=63)]
Number: TypeAlias = Annotated[StrictInt, Field(ge=0, le=2**53)]
Word: TypeAlias = Annotated[str, Field(min_length=1, max_length=40)]
Cards: TypeAlias = Annotated[list[Annotated[str, Field(min_length=1, max_length=4)]], Field(max_length=MAX_CARDS)]
Options: TypeAlias = Annotated[dict[Word, StrictBool | StrictInt | Word], Field(max_length=40)]


class Settings(BaseModel):
    """What a room plays, as a wizard asks for it. `game.catalogue.check` holds it against the rules."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    ruleset: Word
    seats: Annotated[StrictInt, Field(ge=1, le=64)] | None = None
    computers: Annotated[list[Word], Field(max_length=64)] = []
    length: Literal["round", "match"] | None = None
    options: Options = {}
    clock: StrictInt | None = DEFAULT_CLOCK
    public: StrictBool = False

    @field_validator("clock")
    @classmethod
    def _clock(cls, clock: int | None) -> int | None:
        if clock is not None and clock not in CLOCKS:
            raise ValueError(f"expected one of {', '.join(map(str, CLOCKS))} or null, got {clock}")
        return clock


class Ping(_Message):
    type: Literal["ping"]


class Lobby(_Message):
    type: Literal["lobby"]
    on: StrictBool = True


class Create(_Message):
    type: Literal["create"]
    name: Name = ""
    settings: Settings
    sit: StrictBool = True


class Quick(_Message):
    type: Literal["quick"]
    name: Name
    ruleset: Word
    computers: Annotated[list[Word], Field(min_length=1, max_length=63)]
    options: Options = {}
    length: Literal["round", "match"] | None = None


class Join(_Message):
    type: Literal["join"]
    room: Code
    name: Name | None = None
    token: Code | None = None


class Watch(_Message):
    type: Literal["watch"]
    room: Code


class ChangeSettings(_Message):
    type: Literal["settings"]
    settings: Settings


class Remove(_Message):
    type: Literal["remove"]
    seat: Seat


class Ready(_Message):
    type: Literal["ready"]
    ready: StrictBool = True


class Reopen(_Message):
    type: Literal["reopen"]


class PlayMove(_Message):
    type: Literal["move"]
    n: Number
    move: Annotated[str, Field(min_length=1, max_length=MAX_MOVE)]


class Lay(_Message):
    type: Literal["lay"]
    n: Number
    cards: Annotated[Cards, Field(min_length=1)]
    meld: Annotated[StrictInt, Field(ge=0, le=1000)] | None = None


class Check(_Message):
    type: Literal["check"]
    groups: Annotated[list[Cards], Field(max_length=8)]


class Hint(_Message):
    type: Literal["hint"]


class React(_Message):
    type: Literal["react"]
    reaction: Reaction


class Leave(_Message):
    type: Literal["leave"]


class Review(_Message):
    type: Literal["review"]
    round: Annotated[StrictInt, Field(ge=1, le=100_000)]


class Table(_Message):
    type: Literal["table"]


Message: TypeAlias = (
    Ping
    | Lobby
    | Create
    | Quick
    | Join
    | Watch
    | ChangeSettings
    | Remove
    | Ready
    | Reopen
    | PlayMove
    | Lay
    | Check
    | Hint
    | React
    | Leave
    | Review
    | Table
)

_ANY: Final[TypeAdapter[Message]] = TypeAdapter(Annotated[Message, Field(discriminator="type")])


def read(text: str) -> Message:
    """A message of a page.

    Raises:
        Refused: with ``bad_message`` (``bad_settings`` where only they are wrong) and what was expected.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise Refused("bad_message", what="JSON") from None
    try:
        return _ANY.validate_python(data)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        where = [str(part) for part in problem["loc"][1:]]
        what = f"{'.'.join(where) or 'type'}: {problem['msg']}"
        code = "bad_settings" if where[:1] == ["settings"] else "bad_message"
        raise Refused(code, more=_id_of(data), what=what, reason=what) from None


def id_of(text: str) -> int | None:
    """The page's number of a message that may be nothing at all."""
    try:
        return _id_of(json.loads(text)).get("re")
    except (ValueError, RecursionError):
        return None


def _id_of(data: Any) -> dict[str, Any]:
    number = data.get("id") if isinstance(data, dict) else None
    return {"re": number} if isinstance(number, int) and not isinstance(number, bool) else {}


def clean_name(name: str | None) -> str:
    """A name as it is shown: without what cannot be seen, with single blanks.

    Any script and any sign may be in it; a page shows it as text, never as markup.

    Raises:
        Refused: with ``bad_name`` for one that is empty or too long.
    """
    seen: list[str] = []
    for sign in unicodedata.normalize("NFC", name or ""):
        kind = unicodedata.category(sign)
        if kind in _UNSEEN or sign in _BLANK:
            seen.append(" ")
        elif kind not in _MARKS:
            seen.append(sign)
        elif any(unicodedata.category(before) not in _MARKS for before in seen[-MAX_MARKS:]) and seen[-1] != " ":
            seen.append(sign)  # a mark belongs to a sign before it; a heap of them would cover the lines around
    shown = " ".join("".join(seen).split())
    if not 1 <= len(shown) <= MAX_NAME:
        raise Refused("bad_name", most=MAX_NAME)
    return shown


_UNSEEN: Final = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
"""Control, format (they turn the direction of what follows), surrogate and private characters."""

_BLANK: Final = "\u115f\u1160\u2800\u3164\uffa0"
"""Fillers of Hangul and the empty Braille pattern: signs by their category, of which nothing is seen."""

_MARKS: Final = ("Mn", "Me")
"""Categories of signs that are drawn over or under the one before."""


def write(message: dict[str, Any]) -> str:
    """A message of the server as text."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"))
