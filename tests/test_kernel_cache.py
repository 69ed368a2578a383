"""The files of compiled kernels: read where whole, made anew where not, done without on a full disk."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest
from numba.core.caching import IndexDataCacheFile

from rummy_env.core import kernel

pytestmark = pytest.mark.skipif(not kernel.JIT, reason="there are no files where nothing is compiled")


def following(number: int) -> int:
    return number + 1


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of compiled kernels, empty."""
    monkeypatch.setattr(kernel, "CACHE_DIR", tmp_path)
    return tmp_path


def hits() -> int:
    """Compile or read the kernel, call it, and say how often it came from a file."""
    compiled = kernel.kernel(following)
    assert compiled(41) == 42
    return sum(compiled.stats.cache_hits.values())


@pytest.mark.parametrize("suffix", [".nbc", ".nbi"])
@pytest.mark.parametrize("content", [b"", b"cut off", b"\x80\x05\x95"])
def test_broken_files_are_made_anew(files: Path, suffix: str, content: bytes) -> None:
    assert [hits(), hits()] == [0, 1]
    broken = list(files.rglob(f"*{suffix}"))
    assert broken
    for path in broken:
        path.write_bytes(content)
    assert [hits(), hits()] == [0, 1]


def test_a_full_disk_takes_nothing_but_the_files(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(IndexDataCacheFile, "_save_index", full)
    assert [hits(), hits()] == [0, 0]
    assert not list(files.rglob("*.nbc"))


def test_kernels_with_a_signature_come_from_files_too(files: Path) -> None:
    for expected in (0, 1):
        compiled = kernel.kernel("int64(int64)", allocates=True)(following)
        assert sum(compiled.stats.cache_hits.values()) == expected
        assert compiled(1) == 2
