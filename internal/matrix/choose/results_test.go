package choose

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/strict"
)

// What was recorded is read back, the same combination once, in the order of days.
func TestResultsAreKept(t *testing.T) {
	s, c := acme(t), &matrix.Config{Results: "ci/results.yaml"}
	tree := fstest.MapFS{}
	for _, r := range []Result{
		{"2026-11-02", Pass, "https://ci.example.com/2", map[string]string{"lib": "v1.2.0"}},
		{"2026-11-01", Pass, "", map[string]string{"Acme App": "v1.0.0", "lib": "v1.1.0"}},
		{"2026-11-03", Fail, "https://ci.example.com/3?a:b&c=,", map[string]string{"lib": "v1.1.0", "acme app": "v1.0.0"}},
	} {
		rs, err := ReadResults(s, c, tree)
		if err == nil {
			err = rs.Record(r)
		}
		if err != nil {
			t.Fatal(err)
		}
		tree[c.Results] = &fstest.MapFile{Data: rs.Encode()}
	}
	rs, err := ReadResults(s, c, tree)
	if err != nil || len(rs.List) != 2 || rs.List[0].Date != "2026-11-02" || rs.List[1].Result != Fail || rs.List[1].URL != "https://ci.example.com/3?a:b&c=," || len(rs.List[1].Components) != 2 {
		t.Errorf("%v, %v in\n%s", rs, err, tree[c.Results].Data)
	}
	if got := string(rs.Encode()); got != string(tree[c.Results].Data) {
		t.Errorf("it is written in another way:\n%s", got)
	}
}

func TestUnreadableResults(t *testing.T) {
	for text, want := range map[string]string{
		"results: [{date: \"2026-11-01\", result: passed, components: {lib: v1.0.0}}]":                      `result "passed" is neither pass nor fail`,
		"results: [{date: today, result: pass, components: {lib: v1.0.0}}]":                                 `date "today" is not YYYY-MM-DD`,
		"results: [{date: \"2026-11-01\", result: pass}]":                                                   "it has no components",
		"results: [{date: \"2026-11-01\", result: pass, components: {none: v1.0.0}}]":                       `unknown component "none"`,
		"results: [{date: \"2026-11-01\", result: pass, url: \"javascript:x\", components: {lib: v1.0.0}}]": `url "javascript:x" is not the address of a page`,
		"runs: []": "runs",
	} {
		_, err := ReadResults(acme(t), &matrix.Config{}, fstest.MapFS{(&matrix.Config{}).ResultsPath(): &fstest.MapFile{Data: []byte(text)}})
		if err == nil || !strings.HasPrefix(err.Error(), (&matrix.Config{}).ResultsPath()) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for _, path := range []string{"../results.yaml", "/etc/results.yaml", "."} {
		if err := (&matrix.Config{Results: path}).Complete("x", acme(t)); err == nil {
			t.Errorf("%s is taken", path)
		}
	}
}

// acme is the stack of the fixtures of checks.
func acme(t testing.TB) *stack.Stack {
	t.Helper()
	data, err := os.ReadFile("../testdata/stack.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return stackOf(t, data)
}

func stackOf(t testing.TB, data []byte) *stack.Stack {
	t.Helper()
	var s stack.Stack
	if err := strict.Decode("stack.yaml", data, &s); err != nil {
		t.Fatal(err)
	}
	if err := s.Complete("stack.yaml"); err != nil {
		t.Fatal(err)
	}
	return &s
}
