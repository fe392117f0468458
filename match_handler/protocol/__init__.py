"""What players and the rules service exchange: payloads, options and their JSON forms."""
