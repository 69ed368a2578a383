"""How kernels are compiled and where the compiled code is kept.

numba's cache notices a change in the file of a kernel, not in the files of the kernels that it calls. So the
cache folder is named after a hash of all sources that compiled code is made of: a stale kernel can never run.
Kernels of other packages, those of bots, have a folder in it for the sources beside them. The folder lies in the user's
cache directory (or ``RUMMY_CACHE_DIR``), so a read-only install works too.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TypeVar

import numba
import numpy as np
from numba.core import cgutils, types
from numba.core.caching import FunctionCache
from numba.extending import intrinsic

from rummy_env.core.compiler import PART, WHOLE

F = TypeVar("F", bound=Callable[..., Any])

JIT: Final = not numba.config.DISABLE_JIT

COMPILED_IN: Final = ("actions.py", "cards.py", "fields.py", "melds.py", "rules.py")
"""Files of ``rummy_env`` beside ``core`` whose numbers kernels hold."""


def _source_hash() -> str:
    digest = hashlib.sha256(f"{numba.__version__} {sys.version}".encode())
    here = Path(__file__).parent
    for path in sorted([*here.glob("*.py"), *here.parent.glob("*.py")]):
        if path.parent == here or path.name in COMPILED_IN:
            digest.update(path.read_bytes())
    digest.update(f"boundscheck {numba.config.BOUNDSCHECK}".encode())
    return digest.hexdigest()[:16]


def _cache_root() -> Path:
    if chosen := os.environ.get("RUMMY_CACHE_DIR"):
        return Path(chosen)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", str(Path.home()))
    else:
        base = os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))
    return Path(base) / "rummy_env"


def _usable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _writable_cache() -> Path | None:
    user = os.getuid() if hasattr(os, "getuid") else 0
    fallback = Path(tempfile.gettempdir()) / f"rummy_env-{user}"
    return next((folder for root in (_cache_root(), fallback) if _usable(folder := root / SOURCE_HASH)), None)


SOURCE_HASH: Final = _source_hash()
CACHE_DIR: Final = _writable_cache()
"""Where compiled kernels of exactly these sources lie; None where no folder can be written."""


def _folder_of(function: Callable[..., Any], root: Path) -> Path:
    """Where the compiled code of a kernel lies: that of another package, of a bot, in a folder of its own for each
    state of the files beside it, which may hold what it calls."""
    beside = Path(function.__code__.co_filename).parent
    if beside.is_relative_to(Path(__file__).parents[1]):
        return root
    digest = hashlib.sha256()
    with suppress(OSError):
        for path in sorted(beside.glob("*.py")):
            digest.update(path.read_bytes())
    return root / digest.hexdigest()[:16]


@contextmanager
def _numba_cache_dir(folder: Path) -> Iterator[None]:
    """numba reads its cache folder when a function is decorated; other packages keep theirs."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before


class _ForgivingCache(FunctionCache):  # type: ignore[misc] # numba has no types
    """numba's cache of one kernel, whose files are a help and no duty: a kernel is compiled anew where they are cut
    off, and lives in memory alone where they cannot be written, on a full disk for one."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # pickles that are cut off or overwritten raise nearly anything
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        with suppress(OSError):
            super().save_overload(sig, data)


def kernel(*args: Any, allocates: bool = False, **options: Any) -> Any:
    """`numba.njit` with this project's cache, releasing the GIL.

    For functions that are called from Python, and for bots' compiled functions (pass the signature as the
    first argument). Kernels make no arrays, unless they say ``allocates``: without numba's runtime for arrays (NRT),
    which counts references to every array that is passed on, a batch steps almost twice as fast.
    """

    def decorate(function: F) -> Any:
        options.update(nogil=True, _nrt=allocates, no_cfunc_wrapper=True, **WHOLE)
        compiled = numba.njit(**options)(function)
        if JIT and CACHE_DIR is not None:
            with _numba_cache_dir(_folder_of(function, CACHE_DIR)):
                compiled._cache = _ForgivingCache(function)
        if JIT and args and not callable(args[0]):
            compiled.compile(args[0])
            compiled.disable_compile()
        return compiled

    return decorate(args[0]) if args and callable(args[0]) else decorate


INNER_OPTIONS: Final[dict[str, Any]] = {
    "nogil": True,
    "_nrt": False,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    **PART,
}
"""Options of `numba.njit` for functions that only kernels call."""


def inner(function: F) -> Any:
    """`numba.njit` for functions that only kernels call: compiled into their callers, never cached alone.

    They make no arrays (see `kernel`), and Python cannot call them: to make them callable took a fourth of the time.
    """
    return numba.njit(**INNER_OPTIONS)(function)


if JIT:

    @intrinsic
    def scratch(typingctx: Any, dtype: Any) -> Any:
        """A record of a dtype, all zero, that lives as long as the function that asks for it: memory for a search in
        kernels that make no arrays. ``dtype``: a global constant."""
        record = dtype.dtype

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            # In words: numba zeroes what it allocates as one value, and LLVM takes apart a value of many bytes slowly.
            words = context.get_constant(types.intp, -(-record.size // 8))
            memory = cgutils.alloca_once(builder, context.get_value_type(types.int64), size=words)
            cgutils.memset(builder, memory, context.get_constant(types.intp, record.size), 0)
            return builder.bitcast(memory, context.get_value_type(record))

        return record(dtype), codegen

else:

    def scratch(dtype: np.dtype[Any]) -> Any:
        """A record of a dtype, all zero."""
        return np.zeros(1, dtype)[0]


_announced: set[str] = set()


def announce(what: str) -> None:
    """Say on the terminal, before the first call of a kernel, that the first compilation takes a while."""
    if not JIT or what in _announced:
        return
    _announced.add(what)
    marker = None if CACHE_DIR is None else CACHE_DIR / f"{what}.compiled"
    if marker is not None:
        if marker.exists():
            return
        with suppress(OSError):
            marker.touch()
    print(f"compiling the {what} engine, once (some seconds) …", file=sys.stderr, flush=True)
