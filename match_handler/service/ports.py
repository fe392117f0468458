"""Ports taken by hand before gRPC takes them: a busy one is then one clear line, not a page of gRPC's own."""

import socket

from match_handler.service.config import Address, SettingsError


def take_port(address: Address, *, shared: bool) -> socket.socket:
    """A socket that is bound but does not listen; `shared`: other processes may bind the same port.

    Raises:
        SettingsError: the address is no address of this machine, or another program listens there.
    """
    host = address.host.strip("[]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    taken = socket.socket(family, socket.SOCK_STREAM)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT if shared else socket.SO_REUSEADDR, 1)
    try:
        taken.bind((host, address.port))
    except OSError as error:
        taken.close()
        raise SettingsError(f"listen: {address} cannot be used: {error.strerror}") from error
    return taken


def free_port(address: Address) -> Address:
    """The same address, its port chosen if it was 0, when no other program listens there.

    Raises:
        SettingsError: as `take_port`.
    """
    with take_port(address, shared=False) as probe:
        return Address(address.host, probe.getsockname()[1])
