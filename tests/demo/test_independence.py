"""The client side checks the server independently: it must not import the rules service."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent.parent
LOOK = """
import sys
import demo.client.player, demo.client.duel, demo.client.transcript
print([name for name in sys.modules if name.split('.')[0] in ('set_core', 'match_handler')])
"""


def test_client_side_does_not_import_the_rules_service() -> None:
    looked = subprocess.run(
        [sys.executable, "-c", LOOK], cwd=PROJECT, capture_output=True, text=True, check=False
    )
    assert (looked.stdout, looked.stderr) == ("[]\n", "")
