package watch

// What the plugin's metrics say. A rate needs two samples, so a series that is born with an event shows the next one.
var nakamaTable = map[string][]row{
	"SetMatchesPaused": {
		{
			when:   "matches stay paused",
			series: `nakama_custom_set_paused_matches{} 0x39 7x23 0x96`,
			fires:  []string{"SetMatchesPaused 11m0s-15m45s"},
			says:   "7 matches wait for the rules service",
		},
		{
			when: "matches of two nodes are paused",
			series: `nakama_custom_set_paused_matches{} 0x39 1x120
				nakama_custom_set_paused_matches{instance="nakama-1:9101",node_name="nakama-1"} 0x39 2x120`,
			fires: []string{"SetMatchesPaused 11m0s-"},
			says:  "3 matches wait for the rules service",
		},
		{
			when: "the node dies with its paused matches",
			series: `nakama_custom_set_paused_matches{} 0x39 7x11 stale
				nakama_custom_set_paused_matches{instance="nakama-1:9101",node_name="nakama-1"} 0x160`,
			fires: []string{"SetMatchesPaused 11m0s-12m45s"},
			says:  "7 matches wait for the rules service",
		},
		{
			when:   "the service is back within a minute",
			series: `nakama_custom_set_paused_matches{} 0x39 7x3 0x116`,
		},
	},
	"SetMatchesClosed": {
		{
			when:   "a match is closed",
			series: `nakama_custom_set_closed_matches{} 0x39 1x120`,
			fires:  []string{"SetMatchesClosed 10m0s-24m30s"},
			says:   "matches closed because the rules service could not go on with them: 1",
		},
		{
			when:   "twelve are closed one after the other",
			series: `nakama_custom_set_closed_matches{} 0x39 1+1x10 12x109`,
			fires:  []string{"SetMatchesClosed 10m0s-27m15s"},
			says:   "matches closed because the rules service could not go on with them: 1",
		},
		{
			when:   "a match is closed right after a restart",
			series: `nakama_custom_set_closed_matches{} 7x39 1x120`,
			fires:  []string{"SetMatchesClosed 10m0s-24m30s"},
			says:   "matches closed because the rules service could not go on with them: 1",
		},
		{
			when:   "matches were closed long before a restart",
			series: `nakama_custom_set_closed_matches{} 7x39 0x120`,
		},
		{
			when:   "matches were closed long before Prometheus looked",
			series: `nakama_custom_set_closed_matches{} _x40 7x119`,
		},
	},
	"SetRulesCallsFail": {
		{
			when:   "one call in fifty fails",
			series: `nakama_custom_set_rules_calls{code="Unavailable",method="MatchLoop"} _x40 4+4x120`,
			fires:  []string{"SetRulesCallsFail 17m30s-"},
			says:   "1.942% of the calls to the rules service fail",
		},
		{
			when: "no replica answers",
			series: `nakama_custom_set_rules_calls{code="OK",method="MatchLoop"} 0+200x39 7800x120
				nakama_custom_set_rules_calls{code="OK",method="MatchInit"} 0+1x39 39x120
				nakama_custom_set_rules_calls{code="OK",method="MatchOptions"} 0+1x39 39x120
				nakama_custom_set_rules_calls{code="Unavailable",method="MatchLoop"} _x40 50+50x120`,
			fires: []string{"SetRulesCallsFail 15m15s-"},
			says:  "100% of the calls to the rules service fail",
		},
		{
			when:   "a state is refused again and again",
			series: `nakama_custom_set_rules_calls{code="InvalidArgument",method="MatchLoop"} _x40 20+20x120`,
			fires:  []string{"SetRulesCallsFail 15m30s-"},
			says:   "9.009% of the calls to the rules service fail",
		},
		{
			when:   "no match can be made",
			series: `nakama_custom_set_rules_calls{code="Unavailable",method="MatchInit"} _x40 20+20x120`,
			fires:  []string{"SetRulesCallsFail 15m30s-"},
			says:   "9.009% of the calls to the rules service fail",
		},
		{
			when:   "one call in two hundred fails",
			series: `nakama_custom_set_rules_calls{code="Unavailable",method="MatchLoop"} _x40 1+1x120`,
		},
		{
			when: "players send wrong options",
			series: `nakama_custom_set_rules_calls{code="InvalidArgument",method="MatchOptions"} _x40 90+90x120
				nakama_custom_set_rules_calls{code="InvalidArgument",method="MatchInit"} _x40 90+90x120`,
		},
		{
			when:   "the service is too old for batches",
			series: `nakama_custom_set_rules_calls{code="Unimplemented",method="MatchBatch"} _x40 12+12x120`,
		},
		{
			when: "one of few calls fails",
			series: `nakama_custom_set_rules_calls{code="OK",method="MatchLoop"} 0x3 1x19 2x19 3x19 4x19 5x80
				nakama_custom_set_rules_calls{code="OK",method="MatchInit"} 0x160
				nakama_custom_set_rules_calls{code="OK",method="MatchOptions"} 0x160
				nakama_custom_set_rules_calls{code="Unavailable",method="MatchLoop"} 0x39 1x120`,
		},
	},
	"SetResultsWait": {
		{
			when:   "the database is away",
			series: `nakama_custom_set_waiting_effects{} 0x39 3x39 0x80`,
			fires:  []string{"SetResultsWait 15m0s-19m45s"},
			says:   "3 results wait to be written: look at Nakama's database",
		},
		{
			when:   "the database is back before five minutes",
			series: `nakama_custom_set_waiting_effects{} 0x39 3x18 0x101`,
		},
	},
	"SetResultsLost": {
		{
			when:   "results are given up",
			series: `nakama_custom_set_aside_effects{reason="rejected"} 0x39 2x120`,
			fires:  []string{"SetResultsLost 10m0s-24m30s"},
			says:   "results not written (rejected): 2",
		},
		{
			when:   "results were lost long before a restart",
			series: `nakama_custom_set_aside_effects{reason="expired"} 2x39 0x120`,
		},
	},
	"SetPluginFault": {
		{
			when:   "a panic is survived",
			series: `nakama_custom_set_recovered_panics{} 0x39 1x120`,
			fires:  []string{"SetPluginFault 10m0s-24m30s"},
			says:   "panics or malformed replies in the plugin: 1; a bug, the log of Nakama has it",
		},
		{
			when:   "a reply is malformed",
			series: `nakama_custom_set_malformed_replies{} 0x39 1x120`,
			fires:  []string{"SetPluginFault 10m0s-24m30s"},
			says:   "panics or malformed replies in the plugin: 1; a bug, the log of Nakama has it",
		},
		{
			when: "there were panics long before a restart",
			series: `nakama_custom_set_recovered_panics{} 9x39 0x120
				nakama_custom_set_malformed_replies{} 9x39 0x120`,
		},
	},
	"SetNotWatched": {
		{
			when:   "nothing of Nakama is scraped any more",
			series: `nakama_custom_set_paused_matches{} 0x39 stale`,
			fires:  []string{"SetNotWatched 15m0s-"},
			says:   "Nakama is not scraped: the alarms cannot see it",
		},
		{
			when:   "nothing of the service is scraped any more",
			series: `set_match_calls_waiting{} 0x39 stale`,
			fires:  []string{"SetNotWatched 15m0s-"},
			says:   "the rules service is not scraped: the alarms cannot see it",
		},
		{
			when: "one of two replicas is gone",
			series: `set_match_calls_waiting{} 0x39 stale
				set_match_calls_waiting{instance="rules-1:9100"} 0x160`,
		},
		{
			when: "both restart",
			series: `set_match_calls_waiting{} 0x39 stale _x8 0x119
				nakama_custom_set_paused_matches{} 0x39 stale _x8 0x119`,
		},
	},
}
