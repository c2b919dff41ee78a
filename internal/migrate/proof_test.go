package migrate

import (
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/prove"
	"github.com/project-codeflare/cfctl/internal/report"
)

// changing is a file of every format that fuzzRules change.
var changing = map[string][2]string{
	"notebook":   {"a.ipynb", `{"cells":[{"cell_type":"code","source":["x = \"old.example.com/v1\"\n"]}]}`},
	"helm":       {"templates/a.tpl", "apiVersion: old.example.com/v1\nkind: {{ .Kind }}\n"},
	"yaml":       {"a.yaml", "apiVersion: old.example.com/v1\nkind: X\n"},
	"json":       {"a.json", `{"apiVersion":"old.example.com/v1","kind":"X"}`},
	"markdown":   {"a.md", "```yaml\napiVersion: old.example.com/v1\nkind: X\n```\n"},
	"go":         {"a.go", "package a\n\nvar x = \"old.example.com/v1\"\n"},
	"python":     {"a.py", "x = \"old.example.com/v1\"\n"},
	"typescript": {"a.ts", "const x = \"old.example.com/v1\"\n"},
	"java":       {"A.java", "String x = \"old.example.com/v1\";\n"},
	"groovy":     {"Jenkinsfile", "def x = 'old.example.com/v1'\n"},
	"lua":        {"a.lua", "x = \"old.example.com/v1\"\n"},
	"rust":       {"a.rs", "const X: &str = \"old.example.com/v1\";\n"},
	"shell":      {"a.sh", "kubectl get xs.old.example.com\ncat <<E\napiVersion: old.example.com/v1\nkind: X\nE\n"},
	"config":     {"a.toml", "x = \"old.example.com/v1\"\n"},
	"text":       {"a.txt", "apiVersion: old.example.com/v1\nkind: X\n"},
}

// A change that the proof refuses is in no plan, whatever the format and the
// mode, and it is a fault of cfctl. Rules that permit nothing refuse all.
func TestEveryChangeIsProven(t *testing.T) {
	role := "rules:\n- apiGroups: [old.example.com]\n  resources: [apples]\n  verbs: [get]\n"
	crd := "kind: CustomResourceDefinition\nmetadata: {name: apples.old.example.com}\nspec: {group: old.example.com, names: {plural: apples, kind: Apple}}\n"
	for _, dual := range []bool{false, true} {
		m := fuzzMigration(t)
		m.opts.Dual = dual
		files := map[string]string{"role.yaml": role, "old.example.com_apples.yaml": crd, "crds.yaml": crd, "pear.yaml": "apiVersion: same.example.com/v1beta1\nkind: Pear\nspec:\n  colour: red\n"}
		for _, f := range Formats() {
			c, ok := changing[f]
			if !ok {
				t.Fatalf("no file of the format %s", f)
			}
			files[c[0]] = c[1]
		}
		taken := map[string]bool{}
		for name, text := range files {
			f := m.File(name, []byte(text))
			if f != nil && f.Fault {
				t.Errorf("%s: %v", name, f.Skip)
			}
			taken[name] = f != nil && f.Changes()
			if !taken[name] && !dual {
				t.Errorf("%s does not change", name)
			}
		}
		m.proof = prove.Compile(nil, nil, nil)
		var all []*File
		for name, text := range files {
			f := m.File(name, []byte(text))
			if taken[name] && (f == nil || !f.Fault || f.Changes()) {
				t.Errorf("%s (dual %v) is changed without a proof", name, dual)
			}
			all = append(all, f)
		}
		p := m.Finish(all, nil)
		if err := p.Fault(); err == nil || !strings.Contains(err.Error(), "not proven") || !strings.Contains(err.Error(), "more files") {
			t.Errorf("the plan says %v", err)
		}
		for _, x := range p.Report(ReportOptions{}).Findings {
			if x.Severity == report.Error && x.Rule != FindingFault {
				t.Errorf("%s is reported as %s", x.Path, x.Rule)
			}
		}
	}
}

// A file whose change cannot be proven does not keep the others from theirs.
func TestFaultsLeaveTheOthersAlone(t *testing.T) {
	m := fuzzMigration(t)
	good := m.File("good.yaml", []byte("apiVersion: old.example.com/v1\nkind: X\n"))
	m.proof = prove.Compile(nil, nil, nil)
	bad := m.File("bad.yaml", []byte("apiVersion: old.example.com/v1\nkind: X\n"))
	p := m.Finish([]*File{bad, good}, nil)
	if s := p.Summary(); s.Files != 1 || s.Unread != 1 || p.Fault() == nil {
		t.Errorf("the plan has %+v", s)
	}
}

// What waits for other files is held against the rules when it is settled.
func TestSettledNamesAreProven(t *testing.T) {
	crd := "kind: CustomResourceDefinition\nmetadata: {name: apples.old.example.com}\nspec: {group: old.example.com, names: {plural: apples, kind: Apple}}\n"
	for _, forbid := range []bool{false, true} {
		m := fuzzMigration(t)
		files := []*File{m.File("old.example.com_apples.yaml", []byte(crd)), m.File("kustomization.yaml", []byte("resources:\n- old.example.com_apples.yaml\n"))}
		if forbid {
			m.proof = prove.Compile(nil, nil, nil)
		}
		p := m.Finish(files, nil)
		if k := p.Files[0]; k.Path != "kustomization.yaml" || k.Fault != forbid || k.Changes() == forbid {
			t.Errorf("forbidden %v: %s has the fault %v, changes %v", forbid, k.Path, k.Skip, k.Changes())
		}
	}
}
