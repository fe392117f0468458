"""One match: seats, inputs, time, views, records and the state between two calls."""
