package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/project-codeflare/cfctl/internal/config"
	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
)

const (
	schemaID = "https://github.com/project-codeflare/cfctl/config.schema.json"
	draft    = "https://json-schema.org/draft/2020-12/schema"
)

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// configPage is docs/config.md.
func configPage(t *testing.T, keys []describedKey) []byte {
	var b strings.Builder
	b.WriteString(`# Configuration

<!-- Generated from the comments of the configuration's types: make generate -->

cfctl reads one file ` + "`.cfctl.yaml`" + `: that of the working directory, or the nearest one above
it, up to the root of the git work tree. A flag wins over an environment variable, which wins
over the file, which wins over the default. An unknown key is an error that names its line and
the nearest known key.

` + "```" + `
cfctl init            write one for this repository
cfctl config show     show each key with its value and where that comes from
cfctl config check    check it for mistakes
cfctl config schema   print the JSON Schema, for editors
` + "```" + `

Keys that name hosts which receive credentials, kubeconfigs or paths outside of the tree are
not read from a file that came with a repository: see [security.md](security.md).

## Keys with a flag

Each key has an environment variable. Items of a list are separated by commas there.

| key | variable | flag | default | of |
|---|---|---|---|---|
`)
	root := newRoot(newTerminal(nil, nil, nil, nil))
	for _, s := range settings(root) {
		users := slices.Compact(slices.Sorted(slices.Values(s.users)))
		of := strings.Join(users, "`, `")
		if len(users) > 4 {
			of = strings.Join(strings.Fields(users[0])[:2], " ") + " ..."
		}
		preset := strings.Trim(s.flag.DefValue, "[]")
		if strings.HasPrefix(s.key, "import.ledger") {
			preset = "cfctl-import-KIND.jsonl"
		}
		if preset != "" {
			preset = "`" + preset + "`"
		}
		fmt.Fprintf(&b, "| `%s` | `%s` | `--%s` | %s | `%s` |\n", s.key, config.Variable(s.key), s.flag.Name, preset, of)
	}
	b.WriteString("\n## All keys\n\n`[]` is an item of a list.\n")
	section := ""
	for _, k := range keys {
		top, _, nested := strings.Cut(k.key, ".")
		if top != section {
			section = top
			fmt.Fprintf(&b, "\n### %s\n\n%s.\n\n| key | | meaning |\n|---|---|---|\n", top, sentence(k.doc))
		}
		if nested {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.key, k.kind, strings.ReplaceAll(k.doc, "|", `\|`))
		}
	}
	b.WriteString("\n## Variables\n\nIn addition to those of the keys above:\n\n| variable | meaning |\n|---|---|\n")
	for _, v := range config.Environment {
		fmt.Fprintf(&b, "| `%s` | %s |\n", v.Name, v.Doc)
	}
	return []byte(b.String())
}

func sentence(text string) string {
	return strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".")
}

// TestReference holds the schema and docs/config.md to the types, and each key
// to a comment; UPDATE=1 writes both.
func TestReference(t *testing.T) {
	schema, keys := describe(t)
	for file, want := range map[string][]byte{"config.schema.json": encoded(t, schema), "../../docs/config.md": configPage(t, keys)} {
		if os.Getenv("UPDATE") != "" {
			if err := os.WriteFile(file, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, _ := os.ReadFile(file); !bytes.Equal(got, want) {
			t.Errorf("%s is out of date: make generate", file)
		}
	}
	described := map[string]bool{}
	for _, k := range keys {
		described[k.key] = true
	}
	for _, s := range settings(newRoot(newTerminal(nil, nil, nil, nil))) {
		if !described[s.key] {
			t.Errorf("--%s is bound to %s, which the configuration does not have", s.flag.Name, s.key)
		}
	}
}

// TestVariables finds every variable of the environment that this package reads
// in the list, and every listed one in the code.
func TestVariables(t *testing.T) {
	used := regexp.MustCompile(`(?:\b[eE]nv\["|Getenv\("|LookupEnv\(")([A-Z][A-Z_]+)"|"((?:GH|GITHUB|CFCTL)_[A-Z_]+)"`)
	var all strings.Builder
	files, _ := filepath.Glob("*.go")
	more, _ := filepath.Glob("../../internal/*/*.go")
	found := map[string]bool{}
	for _, file := range append(files, more...) {
		if strings.HasSuffix(file, "_test.go") || filepath.Base(file) == "environment.go" || strings.HasSuffix(filepath.Dir(file), "test") { // packages for tests alone
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(data)
		for _, m := range used.FindAllStringSubmatch(string(data), -1) {
			if name := m[1] + m[2]; !strings.HasPrefix(name, "GIT_") && !strings.HasPrefix(name, "SSH_") {
				found[name] = true
			}
		}
	}
	listed := map[string]bool{
		"KUBECONFIG":      true, // client-go reads it
		"CFCTL_GIT_TOKEN": true, // cfctl's own word to the git that it starts
	}
	for _, v := range config.Environment {
		known := listed[v.Name]
		listed[v.Name] = true
		if !strings.Contains(all.String(), v.Name) && !known {
			t.Errorf("%s is listed, and nothing reads it", v.Name)
		}
	}
	for name := range found {
		if !listed[name] {
			t.Errorf("%s is read, and not listed in environment.go", name)
		}
	}
}

var yamlBlock = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$")

// TestExamplesObeySchema holds every configuration and ruleset in the documents,
// and the built-in ones, to the schemas.
func TestExamplesObeySchema(t *testing.T) {
	config, _ := describe(t)
	rules := map[string]any{}
	if err := json.Unmarshal(migrate.Schema(), &rules); err != nil {
		t.Fatal(err)
	}
	if rules["$schema"] != draft || rules["$id"] == nil {
		t.Errorf("the schema of rulesets: %v, %v", rules["$schema"], rules["$id"])
	}
	seen := map[string]int{}
	hold := func(where, text string) {
		var doc map[string]any
		if yaml.Unmarshal([]byte(text), &doc) != nil {
			return // a part of a file
		}
		schema, kind := config, "config"
		for key := range doc {
			if config["properties"].(map[string]any)[key] == nil {
				kind = ""
			}
		}
		if doc["name"] != nil && (doc["rules"] != nil || doc["convert"] != nil) {
			schema, kind = rules, "ruleset"
		}
		if kind == "" || len(doc) == 0 {
			return
		}
		seen[kind]++
		if err := compiled(t, schema).Validate(plainJSON(t, doc)); err != nil {
			t.Errorf("%s: %v", where, err)
		}
	}
	for file, text := range documents(t) {
		for _, m := range yamlBlock.FindAllStringSubmatch(text, -1) {
			hold(file, m[1])
		}
	}
	for _, name := range migrate.Builtin() {
		data, err := migrate.BuiltinSource(name)
		if err != nil {
			t.Fatal(err)
		}
		hold(name, string(data))
	}
	for _, file := range []string{"../../internal/stack/codeflare.yaml", "../../internal/matrix/codeflare.yaml", "../../internal/release/recipe/codeflare.yaml"} {
		data, err := source.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		hold(file, string(data))
	}
	if seen["config"] < 6 || seen["ruleset"] < 12 {
		t.Errorf("only %v were held", seen)
	}
}

// plainJSON is a decoded YAML value as JSON has it: dates are text.
func plainJSON(t *testing.T, v any) any {
	var out any
	if err := json.Unmarshal(encoded(t, v), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// compiled is a schema that can be held to something.
func compiled(t *testing.T, schema any) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", plainJSON(t, schema)); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSchemaRefuses: the schema is as strict as the reading is.
func TestSchemaRefuses(t *testing.T) {
	config, _ := describe(t)
	for _, text := range []string{"migrat: {}", "migrate: {ruleset: [a]}", "migrate: {mode: both}", "migrate: {rulesets: a}", "matrix: {rules: [{minors: two}]}", "stack: {places: [{kind: nowhere}]}", "import: {too: x}"} {
		var doc map[string]any
		if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatal(err)
		}
		if compiled(t, config).Validate(plainJSON(t, doc)) == nil {
			t.Errorf("%s is valid", text)
		}
	}
}

// written holds a page to what it is to be; UPDATE=1 writes it.
func written(t *testing.T, page string, want []byte) {
	t.Helper()
	path := filepath.Join("../../docs", page)
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("docs/%s is out of date: make generate: %v", page, err)
	}
}

// TestChecks holds docs/checks.md to the catalogues, and to the kinds of places.
func TestChecks(t *testing.T) {
	sections, err := catalogue()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	b.WriteString("# Checks\n\n<!-- Generated from the checks: make generate -->\n\n" +
		"The rules of the commands that check something. A rule that needs an option is skipped without it.\n" +
		"[findings.md](findings.md) lists the findings of all commands.\n")
	for _, s := range sections {
		if s.Holds {
			if err := writeChecks(&b, s); err != nil {
				t.Fatal(err)
			}
		}
	}
	b.WriteString("\n## Kinds of places\n\nA place (`stack.places`) is where a version is written. The rule of its kind checks it,\n" +
		"unless the place names another.\n\n| kind | finds | key | rule |\n|---|---|---|---|\n")
	for _, k := range stack.Kinds {
		fmt.Fprintf(&b, "| `%s` | %s | %s | `%s` |\n", k.Name, inCell(k.Doc), inCell(k.Key), k.Rule)
	}
	written(t, "checks.md", b.Bytes())
}

// TestFindings holds docs/findings.md to the catalogues, and every reason that an
// import gives to an explanation; UPDATE=1 writes the page.
func TestFindings(t *testing.T) {
	list, err := explanations()
	if err != nil {
		t.Fatal(err)
	}
	sections, err := catalogue()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	b.WriteString("# Findings\n\n<!-- Generated from the catalogues: make generate -->\n\n" +
		"The id in brackets at the end of a finding, in SARIF its rule. `cfctl explain ID` prints the same.\n")
	if err := writeFindingsPage(&b, sections); err != nil {
		t.Fatal(err)
	}
	written(t, "findings.md", b.Bytes())
	known := map[string]bool{}
	for _, e := range list {
		known[e.ID] = true
		if e.Doc == "" {
			t.Errorf("%s of cfctl %s says nothing", e.ID, e.command)
		}
	}
	files, _ := filepath.Glob("../../internal/objects/*/*.go")
	more, _ := filepath.Glob("../../internal/objects/*.go")
	reason := regexp.MustCompile(`(?:Reason: *|\brefuse\()"([a-z0-9-]+)"`)
	for _, file := range append(files, more...) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range reason.FindAllStringSubmatch(string(data), -1) {
			if !strings.HasSuffix(file, "_test.go") && !known[m[1]] {
				t.Errorf("%s: nothing explains the reason %s", file, m[1])
			}
		}
	}
}
