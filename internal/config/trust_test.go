package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/strict"
)

// keysOf lists every key of a type that is decoded from YAML, whatever its kind.
func keysOf(key string, t reflect.Type) []string {
	switch t.Kind() {
	case reflect.Pointer:
		return keysOf(key, t.Elem())
	case reflect.Slice:
		return keysOf(key+"[]", t.Elem())
	case reflect.Struct:
		var list []string
		for _, f := range strict.Fields(t) {
			list = append(list, keysOf(strict.Below(key, f.Name), f.Type)...)
		}
		if list != nil {
			return list
		}
	}
	return []string{key}
}

// TestEveryKeyHasATrustRule: a key that is added has to be classified. Those
// that are data by a rule for all below it are listed here by their sections'
// own words, so that a new one that names a host, a program or a place is
// out in the review.
func TestEveryKeyHasATrustRule(t *testing.T) {
	suspicious := []string{"repository", "fork", "api", "git", "smtp", "kubeconfig", "context", "ledger", "url", "host", "server", "command", "program", "webhook", "registry", "proxy"}
	data := map[string]bool{
		"stack.components[].image.repository":      true, // named in the table
		"stack.places[].repository":                true, // the name of a component
		"release.downstream[].places[].repository": true, // the same
	}
	for _, key := range keysOf("", reflect.TypeFor[Config]()) {
		rule := RuleOf(key)
		if rule == nil {
			t.Errorf("%s has no rule in keyRules", key)
			continue
		}
		last := strings.TrimSuffix(key[strings.LastIndexByte(key, '.')+1:], "[]")
		for _, word := range suspicious {
			if last == word && rule.takes == nil && !data[key] {
				t.Errorf("%s is taken from any tree (rule %s)", key, rule.Key)
			}
		}
	}
}

// TestTrustRules goes through the table row by row: what a tree may say, and
// what it may not.
func TestTrustRules(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.Symlink(t.TempDir(), "out"); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("nowhere/at/all", "dangling"); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct{ yes, no []string }{
		"migrate.rulesets[]": {
			[]string{"velero", "hack/rules.yaml", "", "https://raw.githubusercontent.com/o/n/main/r.yaml@sha256:" + strings.Repeat("0", 64), "git+https://github.com/o/n//r.yaml@" + strings.Repeat("0", 40), "git+https://ghe.example.com/o/n//r.yaml@" + strings.Repeat("0", 40)},
			[]string{"../r.yaml", "/etc/passwd", "out/r.yaml", "https://evil.com/r.yaml@sha256:" + strings.Repeat("0", 64), "https://github.com/r.yaml", "git+https://github.com/o/n//r.yaml@v1", "git+https://evil.com/o/n//r.yaml@" + strings.Repeat("0", 40), "http://127.0.0.1:2/r.yaml@sha256:" + strings.Repeat("0", 64), "git+ssh://github.com/o/n//r.yaml@" + strings.Repeat("0", 40)},
		},
		"stack.components[].repository":   {[]string{"o/n", "https://git.example.com/o/n.git"}, []string{"./evil", "evil", "../x/y", "/srv/git/x", ".hidden/x", "o/.git", "file:///srv/x", "http://h/o/n", "git@h:o/n", "ssh://h/o/n", "git://h/o/n", "ext::sh -c id", "https://me:secret@h/o/n", "C:\\git\\x", "a/b/c"}},
		"release.forge.api":               {[]string{"https://api.github.com", "https://api.github.com/", "https://ghe.example.com/api/v3"}, []string{"http://api.github.com", "https://api.github.com.evil.com", "https://evil.com", "http://127.0.0.1:1"}},
		"release.forge.git":               {[]string{"https://github.com", "https://ghe.example.com"}, []string{"https://github.com@evil.com", "https://github.com:444", "/srv/git", "."}},
		"release.catalog.repository":      {[]string{"o/n"}, []string{"./evil"}},
		"release.catalog.fork":            {[]string{"o/n"}, []string{"/srv/x"}},
		"release.downstream[].repository": {[]string{"o/n"}, []string{"file:///x"}},
		"release.downstream[].fork":       {[]string{"o/n"}, []string{"http://h/x"}},
		"release.announce.smtp":           {nil, []string{"mail.example.com:587", "127.0.0.1:25", "smtps://mail.example.com:465"}},
		"import.to":                       {[]string{"cluster", "out2", "deploy/new"}, []string{"/tmp/x", "../x", "out", "out/ns", "dangling", ".git/hooks", "a/.GIT"}},
		"import.kubeconfig":               {nil, []string{"kc.yaml", "/home/me/.kube/config"}},
		"import.context":                  {nil, []string{"production"}},
		"import.ledger":                   {[]string{"l.jsonl"}, []string{"../l.jsonl", "out/l.jsonl", ".git/info/attributes"}},
	}
	tr := &Trust{env: map[string]string{"GITHUB_API_URL": "https://ghe.example.com/api/v3", "GITHUB_SERVER_URL": "https://ghe.example.com"}}
	believed := &Trust{trees: []string{dir}}
	all := &Trust{all: true}
	for _, rule := range keyRules {
		c, ok := cases[rule.Key]
		if !ok {
			if rule.takes != nil {
				t.Errorf("%s has no cases", rule.Key)
			}
			continue
		}
		file := File{Path: Name, Dir: dir}
		for _, value := range c.yes {
			if err := tr.Refuse(file, rule.Key, value); err != nil {
				t.Errorf("%s: %v", rule.Key, err)
			}
		}
		for _, value := range c.no {
			if tr.Refuse(file, rule.Key, value) == nil {
				t.Errorf("%s: %q was taken", rule.Key, value)
			}
			for name, tr := range map[string]*Trust{"trees": believed, "--trust-config": all} {
				if err := tr.Refuse(file, rule.Key, value); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
	listed := &Trust{hosts: []string{"127.0.0.1:1", "mail.example.com:587"}, repos: []string{"./evil"}}
	for key, value := range map[string]string{"release.forge.api": "http://127.0.0.1:1", "release.announce.smtp": "mail.example.com:587", "stack.components[].repository": "./evil"} {
		if err := listed.Refuse(File{Dir: dir}, key, value); err != nil {
			t.Errorf("listed: %v", err)
		}
		if listed.Refuse(File{Dir: dir}, key, value+"x") == nil {
			t.Errorf("%s: %sx was taken", key, value)
		}
	}
	err := (&Trust{file: "c.yaml"}).Refuse(File{Dir: dir}, "stack.components[].repository", `x"], trees: ["/`)
	var placed *source.Error
	if !errors.As(err, &placed) || !strings.HasSuffix(placed.Hint, `trust: {repositories: ["x\"], trees: [\"/"]}`) {
		t.Errorf("%v: the hint says more than the value", placed.Hint)
	}
	err = (&Trust{}).Refuse(File{Dir: dir}, "stack.components[].repository", "http://me:hunter2@h/x")
	if !errors.As(err, &placed) || strings.Contains(placed.Error()+placed.Hint, "hunter2") {
		t.Errorf("a password in %v", err)
	}
	given := &Trust{env: map[string]string{"CFCTL_RELEASE_FORGE_API": "x"}}
	if err := given.Refuse(File{Dir: dir}, "release.forge.api", "https://evil.com"); err != nil {
		t.Errorf("a variable overrides the file: %v", err)
	}
}

// TestPersonsConfiguration: what $XDG_CONFIG_HOME/cfctl/config.yaml says, and
// that it cannot come from the folder that cfctl runs in.
func TestPersonsConfiguration(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.MkdirAll(filepath.Join(dir, "x", "cfctl"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "x", "cfctl", "config.yaml"), []byte("trust: {hosts: [h], trees: [/t], repositories: [r]}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", filepath.Join(dir, "home"))
	t.Setenv("XDG_CONFIG_HOME", "")
	for value, want := range map[string]int{filepath.Join(dir, "x"): 1, "x": 0, "": 0} {
		tr, err := ReadTrust(false, map[string]string{"XDG_CONFIG_HOME": value})
		if err != nil || len(tr.hosts) != want || len(tr.trees) != want || len(tr.repos) != want {
			t.Errorf("XDG_CONFIG_HOME=%s: %+v, %v", value, tr, err)
		}
	}
	for value, want := range map[string]bool{"true": true, "1": true, "false": false} {
		if tr, err := ReadTrust(false, map[string]string{"CFCTL_TRUST_CONFIG": value}); err != nil || tr.all != want {
			t.Errorf("CFCTL_TRUST_CONFIG=%s: %+v, %v", value, tr, err)
		}
	}
	if _, err := ReadTrust(false, map[string]string{"CFCTL_TRUST_CONFIG": "perhaps"}); err == nil {
		t.Error("CFCTL_TRUST_CONFIG=perhaps was taken")
	}
}

// trustTable is the table of keys in docs/security.md.
func trustTable() string {
	var b strings.Builder
	b.WriteString("| key | what it says | a tree may say |\n|---|---|---|\n")
	for _, r := range keyRules {
		from := r.From
		if from == "" {
			from = "anything: it is data"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.Key, r.What, from)
	}
	return b.String()
}

// A file of the user that cannot be read gives no trust, also to those who ask again.
func TestReadTrustRefusesBrokenFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "cfctl"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "cfctl", "config.yaml"), []byte("trust: {hosts: [h], wrong: 1}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if tr, err := ReadTrust(false, map[string]string{"XDG_CONFIG_HOME": dir}); tr != nil || err == nil {
		t.Errorf("got %v, %v", tr, err)
	}
}

// TestTrustIsDocumented holds docs/security.md to the table; UPDATE=1 writes it.
func TestTrustIsDocumented(t *testing.T) {
	const file, begin, end = "../../docs/security.md", "<!-- trust -->\n", "<!-- /trust -->"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), begin)
	table, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("the marks of the table are not there")
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, []byte(before+begin+trustTable()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if table != trustTable() {
		t.Errorf("docs/security.md is out of date: make generate")
	}
	for _, key := range []string{"release.forge.api", "release.forge.git", "release.announce.smtp", "import.kubeconfig", "import.context"} {
		if !strings.Contains(after, Variable(key)) {
			t.Errorf("%s is not in docs/security.md", Variable(key))
		}
	}
}

// TestTrustOfFolders: who trusts a folder trusts the file that lies there, and neither that of
// one of its commits nor, by a relative name, whatever folder is current.
func TestTrustOfFolders(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, c := range []struct {
		tree string
		past bool
		ok   bool
	}{{dir, false, true}, {dir, true, false}, {".", false, false}} {
		err := (&Trust{trees: []string{c.tree}}).Refuse(File{Dir: dir, Past: c.past}, "stack.components[].repository", "/elsewhere")
		if (err == nil) != c.ok {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
