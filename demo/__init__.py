"""`make run`: the native stack (`demo.stack`) and two clients (`demo.client`) that play a match on it."""
