"""numba's `njit`, for whatever this package compiles: kept on disk where that can be, and working where it cannot.

numba refuses to compile a function whose code it cannot keep: in a container whose user has no home and may not write
to the installation, or once a disk is full. What is not kept is compiled anew by each process.
"""

import logging
from collections.abc import Callable
from typing import Any

import numba
from numba.core.caching import FunctionCache
from numba.extending import register_jitable

__all__ = ["jitable", "njit"]

log = logging.getLogger("nenette")


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """`numba.njit(cache=True, ...)`, but for a cache that fails nobody.

    Args:
        options: those of `numba.njit`, `cache` apart.
    """

    def compiled(function: Callable[..., Any]) -> Any:
        dispatcher = numba.njit(**options)(function)
        if hasattr(dispatcher, "enable_caching"):  # NUMBA_DISABLE_JIT leaves the function as it is
            try:
                dispatcher._cache = _Cache(function)  # type: ignore[no-untyped-call]
            except (RuntimeError, OSError) as error:  # no folder is there to be written to
                _say_once(error)
        return dispatcher

    return compiled


def jitable(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """`numba.extending.register_jitable`: the function stays what it is, and compiled code that calls it compiles it.

    Args:
        options: those of `numba.njit`.
    """
    decorate: Callable[[Callable[..., Any]], Any] = register_jitable(**options)
    return decorate


class _Cache(FunctionCache):
    """What cannot be read or written is compiled anew."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except OSError as error:
            return _say_once(error)
        except Exception:  # of another version of this package, whose types are gone, or damaged
            return self._forget()

    def _forget(self) -> None:
        try:
            self.flush()  # type: ignore[no-untyped-call]
        except OSError as error:
            _say_once(error)

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]
        except OSError as error:
            _say_once(error)


_said: list[Exception] = []


def _say_once(error: Exception) -> None:
    if not _said:
        _said.append(error)
        log.warning(
            "compiled code cannot be kept on disk, so each process compiles it anew, which takes some seconds: "
            "NUMBA_CACHE_DIR may name a folder that can be written to"
        )
