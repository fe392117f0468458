"""Restarts of Nakama during matches: matches, claims and results survive."""
