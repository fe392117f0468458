"""Client connections over gRPC, which never use a proxy: the service is in a private network."""

import grpc

from match_handler.service.config import Address


def open_channel(
    target: Address, credentials: grpc.ChannelCredentials | None = None, name: str | None = None
) -> grpc.Channel:
    """Return a channel to an address.

    Docker and clusters set `http_proxy` in containers, and gRPC would send even loopback calls there.

    Args:
        target: the address of the service.
        credentials: the TLS credentials; None: plain text.
        name: the name to expect in the server's certificate; None: the host of the address.
    """
    options: list[tuple[str, int | str]] = [("grpc.enable_http_proxy", 0)]
    if credentials is None:
        return grpc.insecure_channel(str(target), options)
    if name is not None:
        options.append(("grpc.ssl_target_name_override", name))
    return grpc.secure_channel(str(target), credentials, options)
