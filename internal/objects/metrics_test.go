package objects

import (
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// TestMetrics: Prometheus reads what is written, each metric with its help,
// its type and a label for the kind.
func TestMetrics(t *testing.T) {
	tools := map[string]map[driftClass]int{"": {refusedSource: 1}, "web": {onlyInSource: 4, drifted: 2}}
	r := &DriftResult{tools: tools, tool: func(string) string { return "" }, objects: 7, counts: map[driftClass]int{onlyInSource: 1, onlyInTarget: 2, drifted: 1, recreated: 1, refusedSource: 3}, refused: map[string]int{"hand-made": 2, "od\"d\\ \n": 1}}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(r.Metrics("jobs")))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{
		"only_in_source": 1, "only_in_target": 2, "drifted": 2, "status_only": 0, "cosmetic": 0, "in_sync": 0, "source_objects": 7, "refused": 3, "tool_objects": 7, "tools": 1,
	}
	for name, value := range want {
		f := families["cfctl_import_"+name]
		if f.GetHelp() == "" || f.GetType().String() != "GAUGE" {
			t.Errorf("%s has no help or is no gauge", name)
		}
		sum := 0.0
		for _, m := range f.GetMetric() {
			sum += m.GetGauge().GetValue()
			if l := m.GetLabel(); len(l) == 0 || l[0].GetName() != "kind" || l[0].GetValue() != "jobs" {
				t.Errorf("%s: labels %v", name, l)
			}
		}
		if sum != value {
			t.Errorf("%s is %v, want %v", name, sum, value)
		}
	}
	if len(families) != len(want) {
		t.Errorf("%d metrics", len(families))
	}
}
