"""Certificates for one run: valid ones, an expired one, and an untrusted authority."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import trustme

if TYPE_CHECKING:
    from pathlib import Path

RULES_NAMES = ("rules-tls", "rules-expired")
READABLE_FOR_ALL = 0o755


def make_certificates(folder: Path) -> None:
    """Write ca.pem, untrusted.pem, and NAME.crt and NAME.key of rules, expired and nakama."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(folder / "ca.pem")
    trustme.CA().cert_pem.write_to_path(folder / "untrusted.pem")
    yesterday = datetime.now(UTC) - timedelta(days=1)
    _write(folder, "rules", authority.issue_cert(*RULES_NAMES))
    _write(folder, "expired", authority.issue_cert(*RULES_NAMES, not_after=yesterday))
    _write(folder, "nakama", authority.issue_cert("nakama"))
    folder.chmod(READABLE_FOR_ALL)


def _write(folder: Path, name: str, leaf: trustme.LeafCert) -> None:
    leaf.private_key_pem.write_to_path(folder / f"{name}.key")
    leaf.cert_chain_pems[0].write_to_path(folder / f"{name}.crt")
