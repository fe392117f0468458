package main

// Kinds of calls.
const (
	kindEcho  = "echo"
	kindLoop  = "MatchLoop"
	kindBatch = "MatchBatch"
)

// closedRow is what callers found that each wait for an answer before the next call. A call of several claims is measured
// against an echo as long as all of them.
type closedRow struct {
	Callers int    `json:"callers"`
	Size    int    `json:"claims_per_call"`
	Kind    string `json:"kind"`
	Calls   int    `json:"calls"`
	spread
	ClaimsPerS   float64 `json:"claims_per_s"` // the median of the rounds
	ServiceUs    float64 `json:"service_us"`   // the service's processor time for each claim
	RequestBytes int     `json:"request_bytes"`
	AnswerBytes  int     `json:"answer_bytes"`
}

// closedLoops measures MatchLoop beside its echo with one caller and with many.
func closedLoops(s *service, p plan) (any, error) {
	return closedRows(s, p, []shape{{callers: 1, size: 1}, {callers: 64, size: 1}})
}

// batchLoops measures batches of several sizes beside their echoes, with a caller for each connection.
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
		found, err := closedLoop(&round{service: s, matches: matches, shape: one}, p.rounds)
		if err != nil {
			return nil, err
		}
		rows = append(rows, found...)
	}
	return rows, nil
}

// closedLoop plays rounds of one claim for each match, echo and claims in turn, after one that warms up and tells the sizes.
func closedLoop(r *round, rounds int) ([]closedRow, error) {
	if err := r.claims(&tally{}); err != nil {
		return nil, err
	}
	echo, claims := &tally{}, &tally{}
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

func (r *round) row(kind string, t *tally) closedRow {
	row := closedRow{Callers: r.callers, Size: r.size, Kind: kind, Calls: len(t.took), spread: spreadOf(t.took)}
	row.ClaimsPerS = median(t.rates)
	row.ServiceUs = float64(t.ran.Nanoseconds()) / 1000 / float64(len(t.took)*r.size)
	row.RequestBytes, row.AnswerBytes = meanSizes(r.like)
	return row
}
