package main

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/release"
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
		for f := range t.Fields() {
			name, opts, _ := strings.Cut(f.Tag.Get("yaml"), ",")
			switch {
			case !f.IsExported() || name == "-":
			case strings.Contains(opts, "inline"):
				list = append(list, keysOf(key, f.Type)...)
			default:
				list = append(list, keysOf(strings.TrimPrefix(key+"."+name, "."), f.Type)...)
			}
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
	for _, key := range keysOf("", reflect.TypeFor[config]()) {
		rule := ruleOf(key)
		if rule == nil {
			t.Errorf("%s has no rule in trustRules", key)
			continue
		}
		last := strings.TrimSuffix(key[strings.LastIndexByte(key, '.')+1:], "[]")
		for _, word := range suspicious {
			if last == word && rule.takes == nil && !data[key] {
				t.Errorf("%s is taken from any tree (rule %s)", key, rule.key)
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
	tr := &trustees{env: map[string]string{"GITHUB_API_URL": "https://ghe.example.com/api/v3", "GITHUB_SERVER_URL": "https://ghe.example.com"}}
	believed := &trustees{trees: []string{dir}}
	all := &trustees{all: true}
	for _, rule := range trustRules {
		c, ok := cases[rule.key]
		if !ok {
			if rule.takes != nil {
				t.Errorf("%s has no cases", rule.key)
			}
			continue
		}
		file := treeConfig{path: configName, dir: dir}
		for _, value := range c.yes {
			if err := tr.refuse(file, rule.key, value); err != nil {
				t.Errorf("%s: %v", rule.key, err)
			}
		}
		for _, value := range c.no {
			if tr.refuse(file, rule.key, value) == nil {
				t.Errorf("%s: %q was taken", rule.key, value)
			}
			for name, tr := range map[string]*trustees{"trees": believed, "--trust-config": all} {
				if err := tr.refuse(file, rule.key, value); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
	listed := &trustees{hosts: []string{"127.0.0.1:1", "mail.example.com:587"}, repos: []string{"./evil"}}
	for key, value := range map[string]string{"release.forge.api": "http://127.0.0.1:1", "release.announce.smtp": "mail.example.com:587", "stack.components[].repository": "./evil"} {
		if err := listed.refuse(treeConfig{dir: dir}, key, value); err != nil {
			t.Errorf("listed: %v", err)
		}
		if listed.refuse(treeConfig{dir: dir}, key, value+"x") == nil {
			t.Errorf("%s: %sx was taken", key, value)
		}
	}
	err := (&trustees{}).refuse(treeConfig{dir: dir}, "stack.components[].repository", "http://me:hunter2@h/x")
	if err == nil || strings.Contains(fmt.Sprint(err, hintOf(err)), "hunter2") {
		t.Errorf("a password in %v", err)
	}
	given := &trustees{env: map[string]string{"CFCTL_RELEASE_FORGE_API": "x"}}
	if err := given.refuse(treeConfig{dir: dir}, "release.forge.api", "https://evil.com"); err != nil {
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
		tr, err := (&terminal{env: map[string]string{"XDG_CONFIG_HOME": value}}).trusted()
		if err != nil || len(tr.hosts) != want || len(tr.trees) != want || len(tr.repos) != want {
			t.Errorf("XDG_CONFIG_HOME=%s: %+v, %v", value, tr, err)
		}
	}
	for value, want := range map[string]bool{"true": true, "1": true, "false": false} {
		if tr, err := (&terminal{env: map[string]string{"CFCTL_TRUST_CONFIG": value}}).trusted(); err != nil || tr.all != want {
			t.Errorf("CFCTL_TRUST_CONFIG=%s: %+v, %v", value, tr, err)
		}
	}
	if _, err := (&terminal{env: map[string]string{"CFCTL_TRUST_CONFIG": "perhaps"}}).trusted(); err == nil {
		t.Error("CFCTL_TRUST_CONFIG=perhaps was taken")
	}
}

// TestTokensGoToTheirHosts: which token is taken for which forge.
func TestTokensGoToTheirHosts(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // no gh
	job := map[string]string{"GITHUB_SERVER_URL": "https://ghe.example.com", "GITHUB_API_URL": "https://ghe.example.com/api/v3"}
	with := func(env map[string]string, more ...string) map[string]string {
		all := map[string]string{}
		for k, v := range env {
			all[k] = v
		}
		for i := 0; i < len(more); i += 2 {
			all[more[i]] = more[i+1]
		}
		return all
	}
	const gh, api, ghe, gheAPI = "https://github.com", "https://api.github.com", "https://ghe.example.com", "https://ghe.example.com/api/v3"
	for _, c := range []struct {
		env      map[string]string
		api, git string
		want     string // token; "!" and a part of the error
	}{
		{with(nil, "GITHUB_TOKEN", "a"), api, gh, "a"},
		{with(nil, "GH_TOKEN", "b"), api, gh, "b"},
		{nil, "https://evil.com", "https://evil.com", ""},
		{with(nil, "GITHUB_TOKEN", "a"), gheAPI, ghe, "!GITHUB_TOKEN is not for"},
		{with(nil, "GITHUB_TOKEN", "a"), api, "https://evil.com", "!is not for the forge"},
		{with(nil, "GITHUB_TOKEN", "a"), "https://evil.com", gh, "!is not for the forge"},
		{with(nil, "GITHUB_TOKEN", "a"), "https://api.github.com:8443", gh, "!is not for the forge"},
		{with(job, "GITHUB_TOKEN", "a"), gheAPI, ghe, "a"},
		{with(job, "GITHUB_TOKEN", "a"), api, gh, "!GITHUB_TOKEN is not for"},
		{with(job, "GITHUB_TOKEN", "a", "GH_TOKEN", "b"), api, gh, "b"},
		{with(nil, "GH_ENTERPRISE_TOKEN", "e"), gheAPI, ghe, "!GH_ENTERPRISE_TOKEN is not for"},
		{with(nil, "GH_ENTERPRISE_TOKEN", "e", "GH_HOST", "ghe.example.com", "GITHUB_TOKEN", "a"), gheAPI, ghe, "e"},
		{with(nil, "GH_ENTERPRISE_TOKEN", "e", "GH_HOST", "github.com"), api, gh, "!is not for"},
		{with(nil, "GITEA_TOKEN", "t", "GITEA_SERVER_URL", "https://gitea.example.com"), "https://gitea.example.com/api/v1", "https://gitea.example.com", "t"},
		{with(nil, "GITEA_TOKEN", "t"), "https://gitea.example.com/api/v1", "https://gitea.example.com", "!GITEA_TOKEN is not for"},
		{with(nil, "GITEA_TOKEN", "t", "GITEA_SERVER_URL", "https://gitea.example.com"), api, gh, "!is not for the forge"},
		{with(nil, "GITEA_TOKEN", "t", "GITEA_SERVER_URL", "http://gitea.example.com"), "http://gitea.example.com/api/v1", "http://gitea.example.com", "!in the clear"},
		{with(nil, "GITHUB_TOKEN", "a"), "http://api.github.com", "http://github.com", "!in the clear"},
		{with(nil, "GITHUB_TOKEN", "a", "GITHUB_API_URL", "http://127.0.0.1:80"), "http://127.0.0.1:80", "http://127.0.0.1:80", "a"},
	} {
		got, err := forgeToken(t.Context(), &terminal{env: c.env}, &release.Recipe{Forge: release.Servers{API: c.api, Git: c.git}})
		wrong, fails := strings.CutPrefix(c.want, "!")
		switch {
		case fails && (err == nil || got != "" || !strings.Contains(err.Error(), wrong)):
			t.Errorf("%v for %s: %q, %v; want %s", c.env, c.api, got, err, wrong)
		case !fails && (err != nil || got != c.want):
			t.Errorf("%v for %s: %q, %v; want %q", c.env, c.api, got, err, c.want)
		}
	}
}

// trustTable is the table of keys in docs/security.md.
func trustTable() string {
	var b strings.Builder
	b.WriteString("| key | what it says | a tree may say |\n|---|---|---|\n")
	for _, r := range trustRules {
		from := r.from
		if from == "" {
			from = "anything: it is data"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.key, r.what, from)
	}
	return b.String()
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
		if !strings.Contains(after, variableOf(key)) {
			t.Errorf("%s is not in docs/security.md", variableOf(key))
		}
	}
}
