"""Messages between players and the rules service: payloads, options and their JSON forms."""
