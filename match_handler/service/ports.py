"""Port checks before gRPC binds: gRPC's own error for a port in use is many lines long."""

import socket

from match_handler.service.config import Address, SettingsError


def family_of(host: str) -> socket.AddressFamily:
    """Return the address family of a host without brackets."""
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def bind_port(address: Address, *, shared: bool) -> socket.socket:
    """Return a socket that is bound to the address and does not listen.

    Args:
        address: the address to bind to.
        shared: whether other processes can bind to the same port.

    Raises:
        SettingsError: this machine does not have the address, or another program listens on it.
    """
    host = address.host.strip("[]")
    bound = socket.socket(family_of(host), socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT if shared else socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, address.port))
    except OSError as error:
        bound.close()
        raise SettingsError(f"listen: {address} cannot be used: {error.strerror}") from error
    return bound


def free_port(address: Address) -> Address:
    """Return the address after a check that no other program listens on it; port 0 becomes a free port.

    Raises:
        SettingsError: the address cannot be used, as in `bind_port`.
    """
    with bind_port(address, shared=False) as probe:
        return Address(address.host, probe.getsockname()[1])
