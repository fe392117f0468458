"""Certificates for one test run."""

import subprocess
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import trustme


@dataclass(frozen=True)
class CertificatePair:
    """A certificate and its key."""

    certificate: Path
    key: Path


def openssl(*arguments: str) -> None:
    """Run the openssl command."""
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)  # noqa: S607


def make_certificate(
    folder: Path,
    name: str,
    authority: trustme.CA,
    *,
    not_before: datetime | None = None,
    not_after: datetime | None = None,
) -> CertificatePair:
    """Create a certificate for this host, signed by an authority."""
    leaf = authority.issue_cert("localhost", "127.0.0.1", not_before=not_before, not_after=not_after)
    pair = CertificatePair(folder / f"{name}.crt", folder / f"{name}.key")
    leaf.cert_chain_pems[0].write_to_path(pair.certificate)
    leaf.private_key_pem.write_to_path(pair.key)
    return pair
