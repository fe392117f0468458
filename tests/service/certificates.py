"""Certificates for one test run, created with the openssl command."""

import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class CertificatePair:
    """A certificate and its key."""

    certificate: Path
    key: Path


def openssl(*arguments: str) -> None:
    """Run the openssl command."""
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)  # noqa: S607


def make_authority(folder: Path, name: str) -> CertificatePair:
    """Create a certificate authority."""
    pair = CertificatePair(folder / f"{name}.crt", folder / f"{name}.key")
    openssl(
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "1",
        "-subj",
        f"/CN={name}",
        "-keyout",
        str(pair.key),
        "-out",
        str(pair.certificate),
    )
    return pair


def make_certificate(folder: Path, name: str, authority: CertificatePair) -> CertificatePair:
    """Create a certificate for this host, signed by an authority."""
    pair = CertificatePair(folder / f"{name}.crt", folder / f"{name}.key")
    request, extension = folder / f"{name}.csr", folder / f"{name}.ext"
    extension.write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    openssl(
        "req",
        "-new",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-subj",
        f"/CN={name}",
        "-keyout",
        str(pair.key),
        "-out",
        str(request),
    )
    openssl(
        "x509",
        "-req",
        "-in",
        str(request),
        "-CA",
        str(authority.certificate),
        "-CAkey",
        str(authority.key),
        "-CAcreateserial",
        "-days",
        "1",
        "-extfile",
        str(extension),
        "-out",
        str(pair.certificate),
    )
    return pair
