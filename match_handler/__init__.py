"""The rules service: matches of SET around the rules in `set_core`, served to Nakama over gRPC."""
