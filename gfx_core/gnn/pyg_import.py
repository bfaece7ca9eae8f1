"""Import PyG in a fifth of the time: without what it loads besides and what nobody here uses.

PyG loads PyTorch's compiler only to recognise compiled models, and pandas, if there is one, for data sets of its own.
Both are loaded as usual by whoever asks for them afterwards: the compiler by PyTorch itself, when it is first needed.
"""

import sys
from importlib import import_module
from types import ModuleType

_COMPILER = "torch._dynamo"


def import_pyg() -> None:
    """Import PyTorch and PyG. Meant for a process that does nothing else yet: for a moment some modules are hidden."""
    import torch

    hidden: dict[str, ModuleType | None] = {"pandas": None}  # PyG does without it
    if "_dynamo" in getattr(torch, "_lazy_modules", ()):
        hidden[_COMPILER] = ModuleType(_COMPILER)  # PyG does not look into it yet
    hidden = {name: module for name, module in hidden.items() if name not in sys.modules}
    sys.modules.update(hidden)  # type: ignore[arg-type]
    try:
        import_module("torch_geometric")
    finally:
        for name in hidden:
            del sys.modules[name]


def import_compiler() -> None:
    """Load the compiler after all: optimisers ask for it, so who trains waits for it."""
    import_module(_COMPILER)
