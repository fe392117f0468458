"""One server without extra settings, shared by the tests of this folder."""

from collections.abc import Iterator

import pytest

from match_handler.v1.match_handler_pb2_grpc import MatchHandlerServiceStub
from tests.service.served import Shim, serving, stub_at


@pytest.fixture(scope="package")
def stub() -> Iterator[MatchHandlerServiceStub]:
    with serving(allow_seed=True) as running, stub_at(running.port) as client:
        yield client


@pytest.fixture
def shim(stub: MatchHandlerServiceStub) -> Shim:
    return Shim(stub)
