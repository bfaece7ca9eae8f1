"""``figure``: explainers side by side, as one page."""

import argparse
from pathlib import Path

from gfx_core.commands.options import Commands


def add_figure(commands: Commands) -> None:
    """The command and its options."""
    figure = commands.add_parser("figure", help="draw explainers side by side on molecules and sentences, as one page")
    figure.add_argument("traces", nargs="*", type=Path, metavar="TRACE", help="traces with masks (default: shipped)")
    figure.add_argument("--methods", nargs="+", metavar="NAME", help="explainers, one column each")
    figure.add_argument("--edges", type=int, metavar="K", help="edges each keeps (default: as the motif or the answer)")
    figure.add_argument(
        "--out", type=Path, default=Path("explanations.html"), metavar="FILE", help="default: %(default)s"
    )
    figure.set_defaults(run=_figure)


def _figure(options: argparse.Namespace) -> None:
    from gfx_core.drawing.qualitative import COLUMNS, qualitative_html, shipped
    from gfx_core.files import write_text
    from gfx_core.trace import io

    traces = [io.load(path) for path in options.traces] if options.traces else shipped()
    write_text(options.out, qualitative_html(traces, options.methods or COLUMNS, options.edges))
    print(f"{len(traces)} predictions → {options.out}")
