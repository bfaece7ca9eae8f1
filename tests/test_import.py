"""Importing the package is cheap."""

import subprocess
import sys

_SCRIPT = """
import sys
before = set(sys.modules)
import gfx_core
print(*sorted({name.split(".")[0] for name in {*sys.modules} - before}))
"""


def test_import_is_light() -> None:
    result = subprocess.run([sys.executable, "-c", _SCRIPT], capture_output=True, text=True, check=True)
    assert set(result.stdout.split()) - {"gfx_core"} <= sys.stdlib_module_names


def test_datasets_and_headers_need_no_torch() -> None:
    script = (
        "import sys; from gfx_core import load_dataset; from gfx_core.gnn.checkpoint import model_path, read_header;"
        "load_dataset('tree_cycles').instance(600); read_header(model_path('tree_cycles'));"
        "from gfx_core.device import detect_device; detect_device();"
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script]).returncode == 0


def test_every_lazy_name_is_there() -> None:
    import gfx_core

    for name in gfx_core.__all__:
        assert getattr(gfx_core, name) is not None
