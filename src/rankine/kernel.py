"""The one way to compile: a plain function over flat arrays, cached on disk, without the GIL.

Numba's cache looks at the file of the compiled function only: after a change to a kernel that other files' kernels
call, run ``make clean``.
"""

from typing import Any

from numba import njit


def kernel(function: Any = None, **options: Any) -> Any:
    """Compile ``function`` with the project's options; usable with or without arguments.

    >>> def twice(x):
    ...     return 2 * x
    >>> kernel(twice, cache=False)(21)
    42
    """
    compile_it = njit(**{"nogil": True, "cache": True, "error_model": "numpy", **options})
    return compile_it if function is None else compile_it(function)
