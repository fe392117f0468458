package watch

// What the metrics of the rules service say.
var serviceTable = map[string][]row{
	"SetCallsWait": {
		{
			when:   "calls wait all the time",
			series: `set_match_calls_waiting{} 0x39 20x39 0x80`,
			fires:  []string{"SetCallsWait 12m45s-20m45s"},
			says:   "20 calls wait for a thread of one replica of the rules service: it needs more workers or replicas",
		},
		{
			when: "calls wait at one of two replicas",
			series: `set_match_calls_waiting{} 0x160
				set_match_calls_waiting{instance="rules-1:9100"} 0x39 20x120`,
			fires: []string{"SetCallsWait 12m45s-"},
			says:  "20 calls wait for a thread of one replica of the rules service: it needs more workers or replicas",
		},
		{
			when:   "calls wait for half a minute",
			series: `set_match_calls_waiting{} 0x39 20x1 0x118`,
		},
		{
			when: "a call or two wait at each of many replicas",
			series: `set_match_calls_waiting{instance="rules-1:9100"} 2x160
				set_match_calls_waiting{instance="rules-2:9100"} 2x160
				set_match_calls_waiting{instance="rules-3:9100"} 2x160
				set_match_calls_waiting{instance="rules-4:9100"} 2x160
				set_match_calls_waiting{instance="rules-5:9100"} 2x160`,
		},
	},
	"SetCallsSlow": {
		{
			when: "one call in twenty takes longer than a tenth of a second",
			series: `set_match_call_seconds_bucket{method="MatchLoop",le="0.01"} 0+199x39 7951+190x120
				set_match_call_seconds_bucket{method="MatchLoop",le="0.1"} 0+200x39 7990+190x120`,
			fires: []string{"SetCallsSlow 15m45s-"},
			says:  "1 % of the MatchLoop calls take longer than 220ms; the shim waits 250 ms",
		},
		{
			when: "every batch does",
			series: `set_match_call_seconds_bucket{method="MatchBatch",le="0.01"} 0+9x39 351x120
				set_match_call_seconds_bucket{method="MatchBatch",le="0.1"} 0+9x39 351x120`,
			fires: []string{"SetCallsSlow 15m0s-"},
			says:  "1 % of the MatchBatch calls take longer than 248.5ms; the shim waits 250 ms",
		},
		{
			when: "one call in two hundred does",
			series: `set_match_call_seconds_bucket{method="MatchLoop",le="0.01"} 0+199x160
				set_match_call_seconds_bucket{method="MatchLoop",le="0.1"} 0+199x160`,
		},
		{
			when: "the only call of the night does",
			series: `set_match_call_seconds_bucket{method="MatchLoop",le="0.001"} 0x160
				set_match_call_seconds_bucket{method="MatchLoop",le="0.01"} 0x160
				set_match_call_seconds_bucket{method="MatchLoop",le="0.1"} 0x160
				set_match_call_seconds_bucket{method="MatchLoop",le="0.25"} 0x39 1x120
				set_match_call_seconds_bucket{method="MatchLoop",le="+Inf"} 0x39 1x120`,
		},
	},
	"SetServiceFault": {
		{
			when:   "an input makes the service fail",
			series: `set_match_input_faults_total{} 0x39 1x120`,
			fires:  []string{"SetServiceFault 10m0s-24m30s"},
			says:   "inputs or calls that the rules service failed on: 1; a bug, its log has it",
		},
		{
			when:   "a call makes the service fail, three times at once",
			series: `set_match_calls_total{method="MatchLoop",code="INTERNAL"} 0x39 3x120`,
			fires:  []string{"SetServiceFault 10m0s-24m30s"},
			says:   "inputs or calls that the rules service failed on: 3; a bug, its log has it",
		},
		{
			when: "a call fails and no input was ever counted",
			series: `set_match_input_faults_total{} _x160
				set_match_calls_total{method="MatchLoop",code="INTERNAL"} 0x39 3x120`,
			fires: []string{"SetServiceFault 10m0s-24m30s"},
			says:  "inputs or calls that the rules service failed on: 3; a bug, its log has it",
		},
		{
			when: "there were faults long before a restart",
			series: `set_match_input_faults_total{} 5x39 0x120
				set_match_calls_total{method="MatchLoop",code="INTERNAL"} 5x39 0x120`,
		},
		{
			when:   "calls are refused for reasons of their own",
			series: `set_match_calls_total{method="MatchLoop",code="FAILED_PRECONDITION"} _x40 9+9x120`,
		},
	},
	"SetFlood": {
		{
			when:   "somebody sends thirty messages a second too many",
			series: `set_match_claims_total{outcome="rate_limited"} _x40 450+450x120`,
			fires:  []string{"SetFlood 18m15s-"},
			says:   "30 messages a second are over the rate limit: a broken or hostile client",
		},
		{
			when:   "somebody does so for two minutes",
			series: `set_match_claims_total{outcome="rate_limited"} _x40 450+450x7 4050x112`,
		},
		{
			when:   "somebody sends ten",
			series: `set_match_claims_total{outcome="rate_limited"} _x40 150+150x120`,
		},
	},
}
