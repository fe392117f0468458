"""The gRPC service around matches: servicer, server, workers, settings and metrics."""
