"""What numba makes of functions that only kernels call: code for LLVM to put into the kernels, and no machine code.

As numba has it, every function is optimised and translated for the machine by itself, and once more within every
function that calls it. Nobody ever calls the first of these: what runs is the kernel, with all that it calls optimised
together. So `PART` leaves these steps out, which halves the time that it takes to compile a ruleset, and the code that
comes out is no slower.

numba has no public way to say so: `PART` changes a few steps of its code libraries. Where a version of numba does not
have them, it is empty, and functions are compiled as numba has it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

_STEPS: Final = (
    "_optimize_final_module",
    "_finalize_final_module",
    "_finalize_dynamic_globals",
    "_verify_declare_only_symbols",
    "get_pointer_to_function",
    "codegen",
)


class _WithoutMachineCode:
    """numba's code generator for a function that has no machine code, and so no environment in memory to be set."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def set_env(self, name: str, environment: Any) -> None:
        """The kernel has the environment, see `_KernelCompiler`."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)


class _PartLibrary(JITCodeLibrary):  # type: ignore[misc] # numba has no types
    """The code of one function, for kernels to link."""

    def _optimize_final_module(self) -> None:
        """The kernel is optimised with all its parts."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        return _WithoutMachineCode(self._codegen)


class _PartCompiler(Compiler):  # type: ignore[misc] # numba has no types
    def compile_extra(self, function: Callable[..., Any]) -> Any:
        if self.state.library is None:
            self.state.library = _PartLibrary(self.state.targetctx.codegen(), function.__qualname__)
        return super().compile_extra(function)


class _KernelCompiler(Compiler):  # type: ignore[misc] # numba has no types
    def compile_extra(self, function: Callable[..., Any]) -> Any:
        compiled = super().compile_extra(function)
        # As numba does when it reads a kernel from its cache.
        for environment in compiled._find_referenced_environments():
            compiled.library.codegen.set_env(environment.env_name, environment)
        return compiled


_KNOWN: Final = all(hasattr(JITCodeLibrary, step) for step in _STEPS) and hasattr(Compiler, "compile_extra")

PART: Final[dict[str, Any]] = {"pipeline_class": _PartCompiler} if _KNOWN else {}
"""Options of `numba.njit` for a function that only kernels call."""

WHOLE: Final[dict[str, Any]] = {"pipeline_class": _KernelCompiler} if _KNOWN else {}
"""Options of `numba.njit` for a kernel, whose parts were compiled with `PART`."""
