"""Let everything go wrong, and print what is left: ``python -m tests.faults``; 1 if anything was damaged or lost."""

import sys

from tests.faults.faults import run_faults

if __name__ == "__main__":
    sys.exit(run_faults())
