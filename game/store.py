"""Rooms on disk: one SQLite file with a write-ahead log, which one server has to itself.

Whatever a room does is written here before anybody sees it. One thread writes; what waits for it at the same time goes
into one transaction, so that many rooms moving at once cost few of them. Killing the process at any moment loses
nothing that was shown: a write is either there whole, or nobody was told of it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final

log = logging.getLogger(__name__)

FORMAT: Final = 1

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS rooms (
    code TEXT PRIMARY KEY, state TEXT NOT NULL, touched REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS rounds (
    code TEXT NOT NULL, match INTEGER NOT NULL, round INTEGER NOT NULL, seed INTEGER NOT NULL, start REAL NOT NULL,
    PRIMARY KEY (code, match, round)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS events (
    code TEXT NOT NULL, n INTEGER NOT NULL, match INTEGER NOT NULL, round INTEGER NOT NULL, data TEXT NOT NULL,
    PRIMARY KEY (code, n)
) WITHOUT ROWID;
"""

LOG_MOVED: Final = 5.0
"""Seconds between two times at which the write-ahead log is moved into the file."""

Statement = tuple[str, tuple[Any, ...]]


@dataclass
class StoredRound:
    """A round of a match: the seed of its deal, when it began (seconds since 1970), and what happened."""

    number: int
    seed: int
    start: float
    events: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class StoredRoom:
    """A room as it was last shown: its state, and the rounds of the match being played."""

    code: str
    state: dict[str, Any]
    rounds: list[StoredRound]


def room_saved(code: str, state: dict[str, Any]) -> Statement:
    """The statement that keeps a room's state."""
    text = json.dumps(state, ensure_ascii=False, separators=(",", ":"))
    return "INSERT OR REPLACE INTO rooms VALUES (?, ?, ?)", (code, text, time.time())


def round_begun(code: str, match: int, number: int, seed: int) -> Statement:
    """The statement that keeps a round."""
    return "INSERT INTO rounds VALUES (?, ?, ?, ?, ?)", (code, match, number, seed, time.time())


def event_happened(code: str, match: int, number: int, event: dict[str, Any]) -> Statement:
    """The statement that keeps an event; a number that is there already is an error, not a second event."""
    text = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
    return "INSERT INTO events VALUES (?, ?, ?, ?, ?)", (code, event["n"], match, number, text)


def matches_over(code: str, match: int) -> list[Statement]:
    """The statements that forget the rounds of a room's matches before ``match``."""
    return [(f"DELETE FROM {table} WHERE code = ? AND match < ?", (code, match)) for table in ("rounds", "events")]


def room_gone(code: str) -> list[Statement]:
    """The statements that forget a room."""
    return [(f"DELETE FROM {table} WHERE code = ?", (code,)) for table in ("rooms", "rounds", "events")]


def _alone(path: Path) -> sqlite3.Connection:
    """What is held as long as a file is in use, and given back by the system if the process is killed: two servers that
    write the moves of the same room would each take the other's for lost.

    Raises:
        OSError: if somebody holds it.
    """
    try:
        held = sqlite3.connect(f"{path.resolve()}-used", timeout=0, isolation_level=None, check_same_thread=False)
        held.execute("PRAGMA journal_mode = MEMORY")  # nothing is written: no file for taking it back
        held.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
            raise OSError(f"{path}: expected a file of rooms that no other server uses, got one in use") from None
        raise OSError(f"{path}: expected a file of rooms, got {error}") from None
    return held


def _opened(path: Path | None) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:" if path is None else path, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    return connection


def _there(path: Path) -> str:
    """The address of a file that is there: it is not made if it is not."""
    return f"{path.resolve().as_uri()}?mode=rw"


class Store:
    """The file of a server. ``path`` None: in memory, for tests.

    Raises:
        OSError: if the file cannot be opened, is no database of ours, or is another server's.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._mine = None if path is None else _alone(path)
        try:
            self._connection = _opened(path)
            version = self._connection.execute("PRAGMA user_version").fetchone()[0]
            if version not in (0, FORMAT):
                raise OSError(f"{path}: expected rooms of format {FORMAT}, got {version}")
            self._connection.executescript(_TABLES)
            self._connection.execute(f"PRAGMA user_version = {FORMAT}")
            self._connection.commit()
        except sqlite3.Error as error:
            raise OSError(f"{path}: expected a file of rooms, got {error}") from None
        self._lock = threading.Lock()
        self._jobs: SimpleQueue[tuple[Sequence[Statement], Future[None]] | None] = SimpleQueue()
        self._writer = threading.Thread(target=self._write, name="rummy store", daemon=True)
        self._writer.start()
        self._ended = threading.Event()
        self._mover = threading.Thread(target=self._move_log, name="rummy store log", daemon=True)
        self._mover.start()

    async def keep(self, statements: Sequence[Statement]) -> None:
        """Write; returns when it is on disk.

        Raises:
            sqlite3.Error: if it could not be; then nothing of it is.
        """
        done: Future[None] = Future()
        self._jobs.put((statements, done))
        # What was begun is written, whether or not the task that asked for it is still wanted.
        await asyncio.shield(asyncio.wrap_future(done))

    def codes(self) -> list[tuple[str, float]]:
        """Every room with the time it was last written, newest first."""
        asked = "SELECT code, touched FROM rooms ORDER BY touched DESC"
        with self._lock, closing(self._connection.execute(asked)) as rows:
            return rows.fetchall()

    def load(self, code: str) -> StoredRoom | None:
        """A room, or None where there is none. The rounds of its present match come with it."""
        with self._lock:
            row = self._connection.execute("SELECT state FROM rooms WHERE code = ?", (code,)).fetchone()
            if row is None:
                return None
            state = json.loads(row[0])
            match = state["match"]
            rounds = [
                StoredRound(number, seed, start)
                for number, seed, start in self._connection.execute(
                    "SELECT round, seed, start FROM rounds WHERE code = ? AND match = ? ORDER BY round", (code, match)
                )
            ]
            by_number = {one.number: one for one in rounds}
            for number, data in self._connection.execute(
                "SELECT round, data FROM events WHERE code = ? AND match = ? ORDER BY n", (code, match)
            ):
                by_number[number].events.append(json.loads(data))
        return StoredRoom(code, state, rounds)

    def close(self) -> None:
        """Write what is waiting, and close the file."""
        self._ended.set()
        self._mover.join()
        self._jobs.put(None)
        self._writer.join()
        with self._lock:
            self._connection.close()
        if self._mine is not None:
            self._mine.close()

    def _move_log(self) -> None:
        """Move what the log holds into the file, now and then. That waits for the disk, for seconds if it is busy;
        here nobody who moves waits with it."""
        while not self._ended.wait(LOG_MOVED) and self.path is not None:
            self._put_back(self.path)
            with suppress(sqlite3.Error), closing(sqlite3.connect(_there(self.path), uri=True)) as connection:
                connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def _put_back(self, path: Path) -> None:
        """Where somebody has deleted the file, make it anew from the one that is still open: what is written there
        would be gone with the process."""
        if path.exists():
            return
        with self._lock:
            try:
                for ending in ("-wal", "-shm"):  # a log of the old file is not one of the new
                    Path(f"{path}{ending}").unlink(missing_ok=True)
                anew = _opened(path)
                self._connection.backup(anew)
            except (sqlite3.Error, OSError) as error:
                log.error("the file of rooms is gone and cannot be put back: %s", error)
                return
            old, self._connection = self._connection, anew
        with suppress(sqlite3.Error):
            old.close()  # SQLite sees that the path is another file's, and leaves that one's log alone
        log.warning("the file of rooms was gone and is put back")

    def _write(self) -> None:
        while (job := self._jobs.get()) is not None:
            jobs = [job]
            last = False
            while not self._jobs.empty():
                more = self._jobs.get()
                if more is None:
                    last = True
                    break
                jobs.append(more)
            self._commit(jobs)
            if last:
                return

    def _commit(self, jobs: Sequence[tuple[Sequence[Statement], Future[None]]]) -> None:
        try:
            with self._lock, self._connection:
                for statements, _ in jobs:
                    for sql, values in statements:
                        self._connection.execute(sql, values)
        except Exception as error:  # whatever it is, those who wait are told, and the next are written
            if len(jobs) > 1:  # one of them is at fault: each for itself
                for job in jobs:
                    self._commit([job])
            else:
                jobs[0][1].set_exception(error)
        else:
            for _, done in jobs:
                done.set_result(None)
