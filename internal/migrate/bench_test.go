package migrate

import (
	"bytes"
	"fmt"
	"testing"
)

// dense are files of one line, or of one literal after the other, with a site
// every 16 bytes or so: whatever looks around a site must not look at all of
// the file.
func dense(sites int) map[string][]byte {
	repeat := func(head, item, tail string) []byte {
		return append(append([]byte(head), bytes.Repeat([]byte(item), sites)...), tail...)
	}
	return map[string][]byte{
		"a.json":         repeat(`[`, `"old.example.com",`, `""]`),
		"objects.json":   repeat(`[`, `{"apiVersion":"old.example.com/v1"},`, `{}]`),
		"guarded.json":   repeat(`[`, `{"apiVersion":"old.example.com/v1","kind":"Apple"},`, `{}]`),
		"string.json":    repeat(`{"a":"`, `old.example.com/v1 `, `"}`),
		"a.yaml":         repeat("a: [", "old.example.com/v1, ", "x]\n"),
		"plain.yaml":     repeat("a: ", "old.example.com/v1 ", "\n"),
		"block.yaml":     repeat("a: |\n  ", "old.example.com/v1 ", "\n"),
		"lines.yaml":     repeat("a:\n", "- old.example.com/v1\n", ""),
		"roles.yaml":     repeat("rules:\n", "- {apiGroups: [old.example.com], resources: [x], verbs: [y]}\n", ""),
		"comment.yaml":   repeat("a: b # ", "old.example.com/v1 ", "\n"),
		"a.tpl":          repeat("a: ", "old.example.com/v1 {{ .x }} ", "\n"),
		"a.go":           repeat("package a\n\nvar x = []string{", `"old.example.com", `, "}\n"),
		"raw.go":         repeat("package a\n\nvar x = `", "old.example.com/v1 ", "`\n"),
		"a.py":           repeat("x = [", `"old.example.com/v1", `, "]\n"),
		"a.ts":           repeat("x = [", `"x.old.example.com/v1", `, "]\n"),
		"a.sh":           repeat("echo ", `g="old.example.com" `, "\n"),
		"a.md":           repeat("", "`old.example.com/v1` ", "\n"),
		"a.txt":          repeat("", "/apis/old.example.com/v1/xs ", "\n"),
		"a.ipynb":        repeat(`{"cells":[{"cell_type":"code","source":["`, `x('old.example.com') `, `"]}]}`),
		"cells.ipynb":    repeat(`{"cells":[`, `{"cell_type":"code","source":["x('old.example.com')"]},`, `{}]}`),
		"keep.yaml":      repeat("a:\n", "- old.example.com/v1 # cfctl:keep x\n", ""),
		"documents.yaml": repeat("", "---\napiVersion: old.example.com/v1\n", ""),
	}
}

// Twice the sites take about twice the time.
func BenchmarkDense(b *testing.B) {
	m := fuzzMigration(b)
	for _, sites := range []int{1000, 4000} {
		for name, data := range dense(sites) {
			b.Run(fmt.Sprintf("%s/%d", name, sites), func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				for b.Loop() {
					fileOf(m, name, data)
				}
			})
		}
	}
}

// Twice the objects that change their shape take about twice the time.
func BenchmarkObjects(b *testing.B) {
	_, m := kubernetesRemoved(b, Options{})
	const object = "---\napiVersion: autoscaling/v2beta1\nkind: HorizontalPodAutoscaler\nmetadata:\n  name: x\nspec:\n  maxReplicas: 3\n" +
		"  metrics:\n  - type: Resource\n    resource:\n      name: cpu\n      targetAverageUtilization: 50\n"
	for _, n := range []int{800, 1600} {
		data := bytes.Repeat([]byte(object), n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				m.One("a.yaml", data)
			}
		})
	}
}
