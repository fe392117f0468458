"""The native stack: PostgreSQL, the rules service, Nakama with the plugin, and the page, as processes."""
