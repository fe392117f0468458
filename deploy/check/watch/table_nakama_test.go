package watch

// nakamaCases has the cases of alarms on the plugin's metrics. A rate needs two samples, so the first sample of a new series
// has no rate.
var nakamaCases = map[string][]alarmCase{
	"SetMatchesPaused": {
		{
			name:    "one match stays paused",
			series:  `nakama_custom_set_paused_matches{} 0x39 1x23 0x96`,
			fires:   []string{"SetMatchesPaused 11m0s-15m45s"},
			summary: "matches paused because the rules service is not reachable: 1",
		},
		{
			name: "matches of two nodes are paused",
			series: `nakama_custom_set_paused_matches{} 0x39 1x120
				nakama_custom_set_paused_matches{instance="nakama-1:9101",node_name="nakama-1"} 0x39 2x120`,
			fires:   []string{"SetMatchesPaused 11m0s-"},
			summary: "matches paused because the rules service is not reachable: 3",
		},
		{
			name: "the node ends while its matches are paused",
			series: `nakama_custom_set_paused_matches{} 0x39 7x11 stale
				nakama_custom_set_paused_matches{instance="nakama-1:9101",node_name="nakama-1"} 0x160`,
			fires:   []string{"SetMatchesPaused 11m0s-12m45s"},
			summary: "matches paused because the rules service is not reachable: 7",
		},
		{
			name:   "an outage of less than a minute",
			series: `nakama_custom_set_paused_matches{} 0x39 7x3 0x116`,
		},
	},
	"SetMatchesClosed": {
		{
			name:    "a match is closed",
			series:  `nakama_custom_set_closed_matches{} 0x39 1x120`,
			fires:   []string{"SetMatchesClosed 10m0s-24m30s"},
			summary: "matches closed because the rules service could not continue them: 1",
		},
		{
			name:    "twelve matches are closed one after the other",
			series:  `nakama_custom_set_closed_matches{} 0x39 1+1x10 12x109`,
			fires:   []string{"SetMatchesClosed 10m0s-27m15s"},
			summary: "matches closed because the rules service could not continue them: 1",
		},
		{
			name:    "a match is closed right after a restart",
			series:  `nakama_custom_set_closed_matches{} 7x39 1x120`,
			fires:   []string{"SetMatchesClosed 10m0s-24m30s"},
			summary: "matches closed because the rules service could not continue them: 1",
		},
		{
			name:   "matches were closed long before a restart",
			series: `nakama_custom_set_closed_matches{} 7x39 0x120`,
		},
		{
			name:   "matches were closed long before the first scrape",
			series: `nakama_custom_set_closed_matches{} _x40 7x119`,
		},
	},
	"SetRulesCallsFail": {
		{
			name:    "one call in fifty fails",
			series:  `nakama_custom_set_rules_calls{code="Unavailable",method="MatchLoop"} _x40 4+4x120`,
			fires:   []string{"SetRulesCallsFail 17m30s-"},
			summary: "1.942% of the calls to the rules service fail",
		},
		{
			name: "no replica responds",
			series: `nakama_custom_set_rules_calls{code="OK",method="MatchLoop"} 0+200x39 7800x120
				nakama_custom_set_rules_calls{code="OK",method="MatchInit"} 0+1x39 39x120
				nakama_custom_set_rules_calls{code="OK",method="MatchOptions"} 0+1x39 39x120
				nakama_custom_set_rules_calls{code="Unavailable",method="MatchLoop"} _x40 50+50x120`,
			fires:   []string{"SetRulesCallsFail 15m15s-"},
			summary: "100% of the calls to the rules service fail",
		},
		{
			name:    "a state is rejected repeatedly",
			series:  `nakama_custom_set_rules_calls{code="InvalidArgument",method="MatchLoop"} _x40 20+20x120`,
			fires:   []string{"SetRulesCallsFail 15m30s-"},
			summary: "9.009% of the calls to the rules service fail",
		},
		{
			name:    "no match can be created",
			series:  `nakama_custom_set_rules_calls{code="Unavailable",method="MatchInit"} _x40 20+20x120`,
			fires:   []string{"SetRulesCallsFail 15m30s-"},
			summary: "9.009% of the calls to the rules service fail",
		},
		{
			name:   "one call in two hundred fails",
			series: `nakama_custom_set_rules_calls{code="Unavailable",method="MatchLoop"} _x40 1+1x120`,
		},
		{
			name: "clients send invalid options",
			series: `nakama_custom_set_rules_calls{code="InvalidArgument",method="MatchOptions"} _x40 90+90x120
				nakama_custom_set_rules_calls{code="InvalidArgument",method="MatchInit"} _x40 90+90x120`,
		},
		{
			name:   "the service does not support batches",
			series: `nakama_custom_set_rules_calls{code="Unimplemented",method="MatchBatch"} _x40 12+12x120`,
		},
		{
			name: "one of a few calls fails",
			series: `nakama_custom_set_rules_calls{code="OK",method="MatchLoop"} 0x3 1x19 2x19 3x19 4x19 5x80
				nakama_custom_set_rules_calls{code="OK",method="MatchInit"} 0x160
				nakama_custom_set_rules_calls{code="OK",method="MatchOptions"} 0x160
				nakama_custom_set_rules_calls{code="Unavailable",method="MatchLoop"} 0x39 1x120`,
		},
	},
	"SetMatchesNotSaved": {
		{
			name:    "a long outage of the database",
			series:  `nakama_custom_set_failed_saves{} 0x39 1+1x40 41x80`,
			fires:   []string{"SetMatchesNotSaved 15m0s-21m30s"},
			summary: "matches are not saved: check the database of Nakama",
		},
		{
			name:   "an outage of the database of less than five minutes",
			series: `nakama_custom_set_failed_saves{} 0x39 1+1x8 9x112`,
		},
	},
	"SetMatchesNotRevived": {
		{
			name:    "damaged rows at the start",
			series:  `nakama_custom_set_aside_matches{reason="corrupted"} 0x39 _x2 2x60 _x2 0x57`,
			fires:   []string{"SetMatchesNotRevived 10m30s-26m0s"},
			summary: "matches not revived after the start of Nakama (corrupted): 2",
		},
		{
			name:   "all matches are revived",
			series: `nakama_custom_set_aside_matches{reason="corrupted"} 0x39 _x2 0x118`,
		},
	},
	"SetResultsWait": {
		{
			name:    "a long outage of the database",
			series:  `nakama_custom_set_waiting_effects{} 0x39 3x39 0x80`,
			fires:   []string{"SetResultsWait 15m0s-19m45s"},
			summary: "3 results are not written yet: check the database of Nakama",
		},
		{
			name:   "an outage of the database of less than five minutes",
			series: `nakama_custom_set_waiting_effects{} 0x39 3x18 0x101`,
		},
	},
	"SetResultsLost": {
		{
			name:    "results are set aside",
			series:  `nakama_custom_set_aside_effects{reason="rejected"} 0x39 2x120`,
			fires:   []string{"SetResultsLost 10m0s-24m30s"},
			summary: "results not written (rejected): 2",
		},
		{
			name:   "results were set aside long before a restart",
			series: `nakama_custom_set_aside_effects{reason="expired"} 2x39 0x120`,
		},
	},
	"SetPluginFault": {
		{
			name:    "a recovered panic",
			series:  `nakama_custom_set_recovered_panics{} 0x39 1x120`,
			fires:   []string{"SetPluginFault 10m0s-24m30s"},
			summary: "panics or malformed responses in the plugin: 1; this is a bug, see the log of Nakama",
		},
		{
			name:    "a malformed response",
			series:  `nakama_custom_set_malformed_replies{} 0x39 1x120`,
			fires:   []string{"SetPluginFault 10m0s-24m30s"},
			summary: "panics or malformed responses in the plugin: 1; this is a bug, see the log of Nakama",
		},
		{
			name: "panics long before a restart",
			series: `nakama_custom_set_recovered_panics{} 9x39 0x120
				nakama_custom_set_malformed_replies{} 9x39 0x120`,
		},
	},
	"SetNotWatched": {
		{
			name:    "Nakama is no longer scraped",
			series:  `nakama_custom_set_paused_matches{} 0x39 stale`,
			fires:   []string{"SetNotWatched 15m0s-"},
			summary: "Nakama is not scraped: the alarms do not work for it",
		},
		{
			name:    "the rules service is no longer scraped",
			series:  `set_match_calls_waiting{} 0x39 stale`,
			fires:   []string{"SetNotWatched 15m0s-"},
			summary: "the rules service is not scraped: the alarms do not work for it",
		},
		{
			name: "one of two replicas has ended",
			series: `set_match_calls_waiting{} 0x39 stale
				set_match_calls_waiting{instance="rules-1:9100"} 0x160`,
		},
		{
			name: "Nakama and the rules service restart",
			series: `set_match_calls_waiting{} 0x39 stale _x8 0x119
				nakama_custom_set_paused_matches{} 0x39 stale _x8 0x119`,
		},
	},
}
