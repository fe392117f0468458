package watch

import (
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/promql/parser"
)

const (
	number    = "short"
	seconds   = "s"
	size      = "bytes"
	perSecond = "cps"
	share     = "percentunit"
)

// units returns the allowed Grafana units of an expression. Names of metrics in seconds end in _seconds or _time, names of
// metrics in bytes end in _bytes.
func units(expr parser.Expr) []string {
	switch e := expr.(type) {
	case *parser.VectorSelector:
		return unitsOf(e.Name)
	case *parser.MatrixSelector:
		return units(e.VectorSelector)
	case *parser.AggregateExpr:
		return units(e.Expr)
	case *parser.ParenExpr:
		return units(e.Expr)
	case *parser.BinaryExpr:
		return unitsOfBinary(e)
	case *parser.Call:
		return unitsOfCall(e)
	default:
		return nil
	}
}

func unitsOf(metric string) []string {
	metric = strings.TrimSuffix(metric, "_bucket")
	switch {
	case strings.HasSuffix(metric, "_seconds"), strings.HasSuffix(metric, "_time"):
		return []string{seconds}
	case strings.HasSuffix(metric, "_bytes"):
		return []string{size}
	default:
		return []string{number}
	}
}

func unitsOfBinary(e *parser.BinaryExpr) []string {
	left := units(e.LHS)
	switch {
	case e.Op == parser.DIV && slices.Equal(left, units(e.RHS)):
		return []string{number, share}
	case e.Op.IsComparisonOperator():
		return left
	default:
		return nil
	}
}

func unitsOfCall(e *parser.Call) []string {
	switch {
	case e.Func.Name == "histogram_quantile":
		return unitsOfBuckets(e.Args[1])
	case e.Func.Name == "rate" && slices.Equal(units(e.Args[0]), []string{number}):
		return []string{perSecond}
	default:
		return nil
	}
}

// unitsOfBuckets returns the units of the metric of a histogram. The rate of its buckets does not affect the unit of a quantile.
func unitsOfBuckets(expr parser.Expr) []string {
	var metricUnits []string
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		if selector, ok := node.(*parser.VectorSelector); ok {
			metricUnits = unitsOf(selector.Name)
		}
		return nil
	})
	return metricUnits
}

func TestUnitsDependOnMetricNames(t *testing.T) {
	for text, want := range map[string]string{
		`sum(rate(a_total[1m]))`: perSecond,
		`histogram_quantile(0.5, sum by (le) (rate(a_seconds_bucket[1m])))`: seconds,
		`max(call_time{quantile="0.5"})`:                                    seconds,
		`a_resident_bytes`:                                                  size,
		`sum(rate(a_total[1m])) / (sum(rate(b_total[1m])) > 0)`:             number,
		`sum(rate(a_seconds[1m]))`:                                          "",
		`a_seconds + b_bytes`:                                               "",
	} {
		expr, err := parser.NewParser(parser.Options{}).ParseExpr(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := units(expr); want == "" && len(got) > 0 || want != "" && !slices.Contains(got, want) {
			t.Errorf("%s: units %q, want %q", text, got, want)
		}
	}
}
