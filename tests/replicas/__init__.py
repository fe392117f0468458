"""Faults and changes of replicas behind a DNS name, with the real Nakama and real rules services."""
