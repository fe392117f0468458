"""The gRPC service: servicer, server, worker processes, settings and metrics."""
