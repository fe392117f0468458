package watch

import (
	"slices"
	"testing"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/util/annotations"
)

// storageOf returns a storage with the series: values by series name, in the notation of promtool's unit tests.
func storageOf(t *testing.T, series map[string]string) storage.Queryable {
	t.Helper()
	all := make([]storage.Series, 0, len(series))
	for name, values := range series {
		all = append(all, storedSeries(t, name, values))
	}
	slices.SortFunc(all, func(a, b storage.Series) int { return labels.Compare(a.Labels(), b.Labels()) })
	find := func(_ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
		differs := func(one storage.Series) bool { return !matches(one.Labels(), matchers) }
		return &seriesSet{following: slices.DeleteFunc(slices.Clone(all), differs)}
	}
	return &storage.MockQueryable{MockQuerier: &storage.MockQuerier{SelectMockFunction: find}}
}

// storedSeries returns a series with one sample for each scrape, except for missing samples.
func storedSeries(t *testing.T, name, values string) storage.Series {
	t.Helper()
	metric, sequence, err := parser.NewParser(parser.Options{}).ParseSeriesDesc(name + " " + values)
	if err != nil {
		t.Fatalf("%s %s: %v", name, values, err)
	}
	chunk := chunkenc.NewXORChunk()
	appender, err := chunk.Appender()
	if err != nil {
		t.Fatal(err)
	}
	for index, sample := range sequence {
		if !sample.Omitted {
			appender.Append(0, int64(index)*scrapeInterval.Milliseconds(), sample.Value)
		}
	}
	return &storage.SeriesEntry{Lset: metric, SampleIteratorFn: chunk.Iterator}
}

func matches(metric labels.Labels, matchers []*labels.Matcher) bool {
	return !slices.ContainsFunc(matchers, func(matcher *labels.Matcher) bool { return !matcher.Matches(metric.Get(matcher.Name)) })
}

// seriesSet iterates over series.
type seriesSet struct {
	current   storage.Series
	following []storage.Series
}

func (s *seriesSet) Next() bool {
	if len(s.following) == 0 {
		return false
	}
	s.current, s.following = s.following[0], s.following[1:]
	return true
}

func (s *seriesSet) At() storage.Series                { return s.current }
func (s *seriesSet) Err() error                        { return nil }
func (s *seriesSet) Warnings() annotations.Annotations { return nil }
