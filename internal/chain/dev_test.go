package chain

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/strict"
)

func tested(t *testing.T) (*stack.Stack, *stack.Component) {
	t.Helper()
	var s stack.Stack
	err := strict.Decode("x", []byte(`
name: Fans
root: operator
components:
- {name: blade, title: Blade, repository: acme/blade, module: {path: example.com/blade}, image: {repository: quay.io/acme/blade}}
- {name: old, title: Old, repository: acme/old, image: {repository: quay.io/acme/old}, until: v0.5.0}
- {name: fan, title: Fan, repository: acme/fan, needs: [blade, old]}
- {name: operator, title: Operator, repository: acme/operator, image: {repository: quay.io/acme/operator}, needs: [fan]}
`), &s)
	if err == nil {
		err = s.Complete("x")
	}
	if err != nil {
		t.Fatal(err)
	}
	c, _ := s.Component("fan")
	return &s, c
}

func TestDev(t *testing.T) {
	const digest = "@sha256:0123456789012345678901234567890123456789012345678901234567890123"
	const pseudo = "require example.com/blade v1.0.1-0.20261101120000-"
	tips := func(_ context.Context, url string) (string, string, error) {
		if url != "https://github.com/acme/blade" {
			return "", "", errors.New(url + " is asked")
		}
		return "trunk", "0123456789abcdef0123456789abcdef01234567", nil
	}
	seen := map[string]bool{}
	for name, c := range map[string]struct {
		path, text    string
		tips          Tips
		rule, expects string // expects is the text after the fix; empty = there is none
	}{
		"image":                   {"test/a.yaml", "image: quay.io/acme/blade:v1.0.0\n", tips, "dev-tag", "image: quay.io/acme/blade:dev\n"},
		"tag with a digest":       {"e2e/a.yaml", "image: quay.io/acme/blade:dev" + digest + "\n", tips, "dev-tag", "image: quay.io/acme/blade:dev\n"},
		"digest alone":            {"tests/e2e/a.sh", "docker pull quay.io/acme/blade" + digest + "\n", tips, "dev-tag", "docker pull quay.io/acme/blade:dev\n"},
		"dev already":             {"test/a.yaml", "image: quay.io/acme/blade:dev\n", tips, "", ""},
		"longer name":             {"test/a.yaml", "image: quay.io/acme/blade-more:v1.0.0\n", tips, "", ""},
		"another registry":        {"test/a.yaml", "image: mirror.example.com/quay.io/acme/blade:v1.0.0\n", tips, "", ""},
		"component below":         {"test/a.yaml", "image: quay.io/acme/operator:v1.0.0\n", tips, "", ""},
		"component of the past":   {"test/a.yaml", "image: quay.io/acme/old:v1.0.0\n", tips, "", ""},
		"no test":                 {"config/a.yaml", "image: quay.io/acme/blade:v1.0.0\n", tips, "", ""},
		"latest is no test":       {"latest/a.yaml", "image: quay.io/acme/blade:v1.0.0\n", tips, "", ""},
		"documents":               {"test/README.md", "quay.io/acme/blade:v1.0.0\n", tips, "", ""},
		"nightly":                 {".github/workflows/a.yaml", "on: {schedule: [{cron: 0 3 * * *}]}\njobs: {a: {container: 'quay.io/acme/blade:v1.0.0'}}\n", tips, "dev-tag", "on: {schedule: [{cron: 0 3 * * *}]}\njobs: {a: {container: 'quay.io/acme/blade:dev'}}\n"},
		"release workflow":        {".github/workflows/a.yaml", "on: {push: {tags: [v*]}}\njobs: {a: {container: 'quay.io/acme/blade:v1.0.0'}}\n", tips, "", ""},
		"ref":                     {"test/kustomization.yaml", "resources: ['https://github.com/acme/blade//config?timeout=90&ref=v1.0.0']\n", tips, "dev-ref", "resources: ['https://github.com/acme/blade//config?timeout=90&ref=trunk']\n"},
		"ref of another branch":   {"test/kustomization.yaml", "resources: ['github.com/acme/blade?ref=main']\n", tips, "dev-ref", "resources: ['github.com/acme/blade?ref=trunk']\n"},
		"ref of the branch":       {"test/kustomization.yaml", "resources: ['github.com/acme/blade?ref=trunk']\n", tips, "", ""},
		"ref, offline":            {"test/kustomization.yaml", "resources: ['github.com/acme/blade?ref=v1.0.0']\n", nil, "dev-ref", ""},
		"ref of a branch, off":    {"test/kustomization.yaml", "resources: ['github.com/acme/blade?ref=trunk']\n", nil, "", ""},
		"kustomize image":         {"test/kustomization.yaml", "images:\n- name: quay.io/acme/blade\n  newTag: v1.0.0\n", tips, "dev-tag", "images:\n- name: quay.io/acme/blade\n  newTag: dev\n"},
		"variable":                {".github/workflows/e2e.yaml", "env:\n  BLADE_VERSION: v1.0.0\n", tips, "dev-ref", ""},
		"module at a release":     {"test/go.mod", "module x\n\nrequire example.com/blade v1.0.0\n", tips, "dev-module", ""},
		"module at the head":      {"test/go.mod", "module x\n\n" + pseudo + "0123456789ab\n", tips, "", ""},
		"module at an old commit": {"test/go.mod", "module x\n\n" + pseudo + "fedcba987654\n", tips, "dev-module", ""},
		"any commit, offline":     {"test/go.mod", "module x\n\n" + pseudo + "fedcba987654\n", nil, "", ""},
		"its own module":          {"go.mod", "module x\n\nrequire example.com/blade v1.0.0\n", tips, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, fan := tested(t)
			findings, err := Dev(t.Context(), &DevInput{Stack: s, Component: fan, Tree: tree{c.path: c.text}.fs(), Tips: c.tips})
			if err != nil {
				t.Fatal(err)
			}
			var rules []string
			var edits []source.Edit
			for _, f := range findings {
				seen[f.Rule] = true
				rules = append(rules, f.Rule)
				for _, x := range f.Fixes {
					edits = append(edits, x.Edit)
				}
			}
			if strings.Join(rules, " ") != c.rule {
				t.Fatalf("%+v, want %s", findings, c.rule)
			}
			fixed, err := source.Apply([]byte(c.text), edits)
			if err != nil || len(edits) > 0 && string(fixed) != c.expects || len(edits) == 0 && c.expects != "" {
				t.Errorf("fixed: %q, %v, want %q", fixed, err, c.expects)
			}
		})
	}
	for _, r := range matrix.DevRules {
		if !seen[r.ID] {
			t.Errorf("no case in which %s has a finding", r.ID)
		}
	}
}

// A repository that cannot be asked is an error, not a finding that is missing.
func TestDevUnknown(t *testing.T) {
	s, fan := tested(t)
	_, err := Dev(t.Context(), &DevInput{
		Stack: s, Component: fan, Tree: tree{"test/go.mod": "module x\n\nrequire example.com/blade v1.0.0\n"}.fs(),
		Tips: func(context.Context, string) (string, string, error) { return "", "", errors.New("down") },
	})
	if err == nil || err.Error() != "down" {
		t.Error(err)
	}
}
