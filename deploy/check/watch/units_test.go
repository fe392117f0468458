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

// units tells in which of Grafana's units an expression may be shown, by the names of its metrics: those end in _seconds
// or _time where they are in seconds, and in _bytes where they are in bytes.
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
		return unitsOfBoth(e)
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

func unitsOfBoth(e *parser.BinaryExpr) []string {
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

// unitsOfBuckets looks for the metric itself: how often its buckets are filled does not matter to a quantile.
func unitsOfBuckets(expr parser.Expr) []string {
	var found []string
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		if selector, ok := node.(*parser.VectorSelector); ok {
			found = unitsOf(selector.Name)
		}
		return nil
	})
	return found
}

func TestUnitsComeFromTheMetricsNames(t *testing.T) {
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
			t.Errorf("%s is in %q, not %q", text, got, want)
		}
	}
}
