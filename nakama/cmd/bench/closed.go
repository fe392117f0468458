package main

// Kinds of calls, as in the report.
const (
	kindEcho  = "echo"
	kindLoop  = "MatchLoop"
	kindBatch = "MatchBatch"
)

// closedRow is the result of a closed loop, in which each caller waits for the response before its next call. The echo of a
// batch has the size of the batch.
type closedRow struct {
	Callers      int     `json:"callers"`
	Size         int     `json:"claims_per_call"`
	Kind         string  `json:"kind"`
	Calls        int     `json:"calls"`
	spread               // of the duration of a call
	ClaimsPerS   float64 `json:"claims_per_s"` // median of the rounds
	ServiceUs    float64 `json:"service_us"`   // processor time of the service per claim
	RequestBytes int     `json:"request_bytes"`
	AnswerBytes  int     `json:"answer_bytes"`
}

// closedLoops measures MatchLoop and its echo with one caller and with many.
func closedLoops(s *service, p plan) (any, error) {
	return closedRows(s, p, []shape{{callers: 1, size: 1}, {callers: 64, size: 1}})
}

// batchLoops measures batches of several sizes and their echoes, with one caller for each connection.
func batchLoops(s *service, p plan) (any, error) {
	shapes := []shape{}
	for _, size := range []int{1, 4, 16, 64} {
		shapes = append(shapes, shape{callers: p.connections, size: size})
	}
	return closedRows(s, p, shapes)
}

func closedRows(s *service, p plan, shapes []shape) (any, error) {
	matches, err := openMatches(s, nil, p.matches)
	if err != nil {
		return nil, err
	}
	rows := []closedRow{}
	for _, one := range shapes {
		pair, err := closedLoop(&round{service: s, matches: matches, shape: one}, p.rounds)
		if err != nil {
			return nil, err
		}
		rows = append(rows, pair...)
	}
	return rows, nil
}

// closedLoop plays rounds of one claim for each match, alternately as echoes and as claims. A first round of claims warms up
// the service and sets the sizes of the echoes.
func closedLoop(r *round, rounds int) ([]closedRow, error) {
	if err := r.claims(&samples{}); err != nil {
		return nil, err
	}
	echo, claims := &samples{}, &samples{}
	for number := range rounds {
		turns := []func() error{func() error { return r.echoes(echo) }, func() error { return r.claims(claims) }}
		if err := turns[number%2](); err != nil {
			return nil, err
		}
		if err := turns[1-number%2](); err != nil {
			return nil, err
		}
	}
	return []closedRow{r.row(kindEcho, echo), r.row(r.kind(), claims)}, nil
}

func (r *round) row(kind string, s *samples) closedRow {
	row := closedRow{Callers: r.callers, Size: r.size, Kind: kind, Calls: len(s.durations), spread: spreadOf(s.durations)}
	row.ClaimsPerS = median(s.rates)
	row.ServiceUs = float64(s.cpu.Nanoseconds()) / 1000 / float64(len(s.durations)*r.size)
	row.RequestBytes, row.AnswerBytes = meanSizes(r.sizes)
	return row
}
