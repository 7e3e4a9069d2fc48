"""The one way to compile: a plain function over flat arrays, cached on disk, without the GIL.

Numba's cache looks at the file of the compiled function only: after a change to a kernel that kernels of other files
call, run ``find src -name "*.nb?" -delete``.

With ``NUMBA_BOUNDSCHECK=1`` an index beyond an array's end is an IndexError (``make boundscheck``). A cache that was
filled without it would ignore it, so it is used only if ``NUMBA_CACHE_DIR`` names one. Negative indices count from the
end all the same, and text that is read by address (``io.number_kernels``) has no index: both are checked by hand, by
the callers, or before.
"""

import multiprocessing
import sys
from typing import Any

from numba import njit
from numba.core import config, event

from .system.console import say


def kernel(function: Any = None, **options: Any) -> Any:
    """Compile ``function`` with the project's options; usable with or without arguments.

    >>> def twice(x):
    ...     return 2 * x
    >>> kernel(twice, cache=False)(21)
    42
    """
    cache = not config.BOUNDSCHECK or bool(config.CACHE_DIR)
    compile_it = njit(**{"nogil": True, "error_model": "numpy", "cache": cache, **options})
    return compile_it if function is None else compile_it(function)


class _Announce(event.Listener):
    """Announces once, on a terminal, that kernels are being compiled, which takes seconds the first time.

    A process of a pool announces nothing: the one that started it has its own kernels to compile, or shows progress.
    """

    def __init__(self) -> None:
        self.announced = False

    def on_start(self, event: Any) -> None:
        if not self.announced and multiprocessing.parent_process() is None and sys.stderr.isatty():
            say("compiling for this machine; this happens once and takes a few seconds ...")
            self.announced = True

    def on_end(self, event: Any) -> None:
        pass


event.register("numba:compile", _Announce())
