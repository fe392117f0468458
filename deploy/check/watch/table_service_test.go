package watch

// serviceCases has the cases of alarms on the metrics of the rules service.
var serviceCases = map[string][]alarmCase{
	"SetCallsWait": {
		{
			name:    "calls wait for ten minutes",
			series:  `set_match_calls_waiting{} 0x39 20x39 0x80`,
			fires:   []string{"SetCallsWait 12m45s-20m45s"},
			summary: "20 calls wait for a worker thread of one replica of the rules service: add workers or replicas",
		},
		{
			name: "calls wait at one of two replicas",
			series: `set_match_calls_waiting{} 0x160
				set_match_calls_waiting{instance="rules-1:9100"} 0x39 20x120`,
			fires:   []string{"SetCallsWait 12m45s-"},
			summary: "20 calls wait for a worker thread of one replica of the rules service: add workers or replicas",
		},
		{
			name:   "calls wait for half a minute",
			series: `set_match_calls_waiting{} 0x39 20x1 0x118`,
		},
		{
			name: "two calls wait at each of many replicas",
			series: `set_match_calls_waiting{instance="rules-1:9100"} 2x160
				set_match_calls_waiting{instance="rules-2:9100"} 2x160
				set_match_calls_waiting{instance="rules-3:9100"} 2x160
				set_match_calls_waiting{instance="rules-4:9100"} 2x160
				set_match_calls_waiting{instance="rules-5:9100"} 2x160`,
		},
	},
	"SetCallsSlow": {
		{
			name: "one call in twenty takes longer than a tenth of a second",
			series: `set_match_call_seconds_bucket{method="MatchLoop",le="0.01"} 0+199x39 7951+190x120
				set_match_call_seconds_bucket{method="MatchLoop",le="0.1"} 0+200x39 7990+190x120`,
			fires:   []string{"SetCallsSlow 15m45s-"},
			summary: "1 % of the MatchLoop calls take longer than 220ms; the timeout of the shim is 250 ms",
		},
		{
			name: "every batch takes longer",
			series: `set_match_call_seconds_bucket{method="MatchBatch",le="0.01"} 0+9x39 351x120
				set_match_call_seconds_bucket{method="MatchBatch",le="0.1"} 0+9x39 351x120`,
			fires:   []string{"SetCallsSlow 15m0s-"},
			summary: "1 % of the MatchBatch calls take longer than 248.5ms; the timeout of the shim is 250 ms",
		},
		{
			name: "one call in two hundred takes longer",
			series: `set_match_call_seconds_bucket{method="MatchLoop",le="0.01"} 0+199x160
				set_match_call_seconds_bucket{method="MatchLoop",le="0.1"} 0+199x160`,
		},
		{
			name: "a single slow call",
			series: `set_match_call_seconds_bucket{method="MatchLoop",le="0.001"} 0x160
				set_match_call_seconds_bucket{method="MatchLoop",le="0.01"} 0x160
				set_match_call_seconds_bucket{method="MatchLoop",le="0.1"} 0x160
				set_match_call_seconds_bucket{method="MatchLoop",le="0.25"} 0x39 1x120
				set_match_call_seconds_bucket{method="MatchLoop",le="+Inf"} 0x39 1x120`,
		},
	},
	"SetServiceFault": {
		{
			name:    "an input fails",
			series:  `set_match_input_faults_total{} 0x39 1x120`,
			fires:   []string{"SetServiceFault 10m0s-24m30s"},
			summary: "inputs or calls that failed in the rules service: 1; this is a bug, see the log of the rules service",
		},
		{
			name:    "three calls fail at the same time",
			series:  `set_match_calls_total{method="MatchLoop",code="INTERNAL"} 0x39 3x120`,
			fires:   []string{"SetServiceFault 10m0s-24m30s"},
			summary: "inputs or calls that failed in the rules service: 3; this is a bug, see the log of the rules service",
		},
		{
			name: "a call fails and the input fault series is missing",
			series: `set_match_input_faults_total{} _x160
				set_match_calls_total{method="MatchLoop",code="INTERNAL"} 0x39 3x120`,
			fires:   []string{"SetServiceFault 10m0s-24m30s"},
			summary: "inputs or calls that failed in the rules service: 3; this is a bug, see the log of the rules service",
		},
		{
			name: "faults long before a restart",
			series: `set_match_input_faults_total{} 5x39 0x120
				set_match_calls_total{method="MatchLoop",code="INTERNAL"} 5x39 0x120`,
		},
		{
			name:   "calls are rejected with FAILED_PRECONDITION",
			series: `set_match_calls_total{method="MatchLoop",code="FAILED_PRECONDITION"} _x40 9+9x120`,
		},
	},
	"SetFlood": {
		{
			name:    "thirty messages a second above the limit",
			series:  `set_match_claims_total{outcome="rate_limited"} _x40 450+450x120`,
			fires:   []string{"SetFlood 18m15s-"},
			summary: "30 messages a second exceed the rate limit: a faulty or hostile client",
		},
		{
			name:   "thirty messages a second for two minutes",
			series: `set_match_claims_total{outcome="rate_limited"} _x40 450+450x7 4050x112`,
		},
		{
			name:   "ten messages a second above the limit",
			series: `set_match_claims_total{outcome="rate_limited"} _x40 150+150x120`,
		},
	},
}
