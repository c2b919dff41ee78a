package text

import (
	"bytes"
	"testing"
)

// Reading is the most of what a file with a name in it costs.
func BenchmarkScan(b *testing.B) {
	block := bytes.Repeat([]byte("---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: \"web\" # text\n  labels: {app: web, 'a/b': c}\nspec:\n  list:\n  - name: x\n    image: registry.example.com/a/b:v1.2.3@sha256:0123456789abcdef0123456789abcdef\n  - value: some words that go on for a while, as in a description of a field\n"), 200)
	source := bytes.Repeat([]byte("// a comment\nfunc f(x map[string]string) { x[\"key\"] = \"a value\"; y := `raw`; z(x, y, 'c') }\n"), 500)
	for name, run := range map[string]func(){
		"block":    func() { ScanYAML(block, 0, len(block), false) },
		"template": func() { ScanYAML(block, 0, len(block), true) },
		"go":       func() { Languages["go"].Lex(source) },
		"python":   func() { Languages["python"].Lex(source) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				run()
			}
		})
	}
}
