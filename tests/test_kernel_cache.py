"""The files of compiled kernels: read where whole, made anew where not, done without on a full disk."""

from __future__ import annotations

import ast
import errno
import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba.core.caching import IndexDataCacheFile
from numba.core.compiler import Compiler

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


def say(number: int) -> int:
    print("asked for", number)
    if number < 0:
        raise ValueError("below zero")
    return number + 1


def total(number: int) -> int:
    return number + total(number - 1) if number > 0 else 0


@pytest.mark.parametrize("options", [{}, kernel.PART])
def test_parts_of_a_kernel_are_whole_functions_in_it(
    files: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    """The kernel has what its parts need: their environments to print with, their errors, calls of themselves."""
    monkeypatch.setattr(kernel, "INNER_OPTIONS", {**kernel.INNER_OPTIONS, "pipeline_class": Compiler, **options})
    said, summed = kernel.inner(say), kernel.inner(total)
    monkeypatch.setitem(globals(), "total", summed)

    def both(number: int) -> int:
        return said(number) + summed(np.int64(number))

    for from_file in (0, 1):
        compiled = kernel.kernel(both)
        assert compiled(4) == 5 + 10
        assert capfd.readouterr().out == "asked for 4\n"
        with pytest.raises(ValueError, match="below zero"):
            compiled(-1)
        assert sum(compiled.stats.cache_hits.values()) == from_file
        capfd.readouterr()


def test_only_kernels_have_machine_code(files: Path) -> None:
    def part(number: int) -> int:
        return number + 1

    add = kernel.inner(part)

    def whole(number: int) -> int:
        return 2 * add(number)

    double = kernel.kernel(whole)
    assert double(20) == 42
    (made,) = double.overloads.values()
    assert made.library._get_compiled_object()
    (inside,) = add.overloads.values()
    with pytest.raises(ValueError, match="object caching not enabled"):
        inside.library._get_compiled_object()


def module_at(path: Path) -> Any:
    """The module of a file, read anew."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_bot_is_compiled_anew_when_a_file_beside_it_changes(
    files: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path_factory.mktemp("anybody")
    monkeypatch.syspath_prepend(package)
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    whole = package / "anybodys_bot.py"
    whole.write_text(
        "from anybodys_part import part\nfrom rummy_env.core.kernel import kernel\n\n\n"
        "@kernel\ndef decide(number):\n    return part(number)\n"
    )
    found = []
    for added in (1, 1, 2, 1):
        (package / "anybodys_part.py").write_text(
            f"from rummy_env.core.kernel import inner\n\n\n@inner\ndef part(number):\n    return number + {added}\n"
        )
        os.utime(whole, (1, 1))
        monkeypatch.setitem(sys.modules, "anybodys_part", module_at(package / "anybodys_part.py"))
        decide = module_at(whole).decide
        found.append((decide(40), sum(decide.stats.cache_hits.values())))
    assert found == [(41, 0), (41, 1), (42, 0), (41, 1)]


def test_every_file_whose_numbers_kernels_hold_is_watched() -> None:
    """Whatever ``core`` takes from the package itself: constants and functions that run when a table is made."""
    core = Path(kernel.__file__).parent
    taken = {
        node.module.removeprefix("rummy_env.")
        for path in core.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("rummy_env.")
    }
    beside = {f"{name}.py" for name in taken if not name.startswith("core")}
    assert beside - {"numbers.py"} <= set(kernel.COMPILED_IN)  # only seeds are checked with those
