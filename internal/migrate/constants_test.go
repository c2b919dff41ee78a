package migrate

import (
	"strings"
	"testing"
)

const constantRules = `
name: constants
rules:
  - {id: all, from: {group: old.example.com}, to: {group: new.example.org}}
  - {id: plum, from: {group: old.example.com, kind: Plum, plural: plums}, to: {group: new.example.org, kind: Prune, plural: prunes}}
`

// A kind or resource that stands beside the use of a constant for its group is for a
// person, in whatever language, and in other files than that of the constant; before
// the group moves, and behind, until it is done.
func TestNamesBesideConstants(t *testing.T) {
	m := parsedMigration(t, constantRules, false)
	for _, tt := range []struct {
		name string
		tree memory
		want string // lines and names of use
	}{
		{"java: a class, and the constants in it", memory{"Api.java": "class Api {\n  static final String GROUP = \"old.example.com\";\n}\n", "use.java": "@Version(\"v1\")\n@Group(Api.GROUP)\npublic class Plum extends CustomResource {\n  static final String RESOURCE_KIND = \"Plum\";\n  static final String RESOURCE_LIST_KIND = \"PlumList\";\n  static final String RESOURCE_GROUP = Api.GROUP;\n  static final String RESOURCE_PLURAL = \"plums\";\n  static final String RESOURCE_SINGULAR = \"plum\";\n}\n"}, "3 Plum\n4 Plum\n5 PlumList\n7 plums\n8 plum"},
		{"java: a class with its own kind", memory{"Api.java": "class Api {\n  static final String GROUP = \"old.example.com\";\n}\n", "use.java": "@Group(Api.GROUP)\n@ShortNames({\"p\"})\n@Kind(\"Plum\") @Plural(\"plums\")\npublic class Fruit {}\n"}, "3 Plum\n3 plums"},
		{"java: calls", memory{"Api.java": "class Api {\n  static final String GROUP = \"old.example.com\";\n}\n", "use.java": "class B {\n  Rule r = new RuleBuilder().addToApiGroups(Api.GROUP)\n    .addToResources(\"plums\", \"plums/status\", \"pears\").build();\n  Ref o = new RefBuilder().withApiVersion(Api.GROUP + \"/v1\").withKind(\"Plum\").build();\n}\n"}, "3 plums\n3 plums\n4 Plum"},
		{"python: arguments and keys", memory{"api/consts.py": "GROUP = \"old.example.com\"\n", "use.py": "from api.consts import GROUP\napi.list(GROUP, \"v1\", \"plums\")\nbody = {\"apiVersion\": f\"{GROUP}/v1\", \"kind\": \"Plum\"}\nurl = f\"/apis/{GROUP}/v1/plums\"\nname = \"plums.\" + GROUP\n"}, "2 plums\n3 Plum\n4 plums\n5 plums"},
		{"python: a package, and a name that is made of it", memory{"api/__init__.py": "GROUP = \"old.example.com\"\n", "use.py": "from api import GROUP\nAPI_VERSION = GROUP + \"/v1\"\ndef f():\n    return dict(apiVersion=API_VERSION, kind=\"Plum\")\n"}, "4 Plum"},
		{"python: constants for several kinds", memory{"use.py": "X_GROUP = \"old.example.com\"\nX_KIND_PEAR = \"Pear\"\nX_KIND_PLUM = \"Plum\"\nX_PLURAL_PLUM = \"plums\"\n"}, "3 Plum\n4 plums"},
		{"python: names that are filled in", memory{"use.py": "G = \"old.example.com\"\nx = \"plums.{}\".format(G)\ny = \"plums.%s\" % G\n"}, "2 plums\n3 plums"},
		{"java: a constant that another file makes of the group", memory{"Api.java": "class Api {\n  static final String GROUP = \"old.example.com\";\n  static final String V1 = GROUP + \"/v1\";\n}\n", "use.java": "class B {\n  Object o = get(Api.V1, \"Plum\");\n}\n"}, "2 Plum"},
		{"typescript: fields", memory{"consts.ts": "export const GROUP = 'old.example.com';\n", "use.ts": "import { GROUP } from './consts';\nconst gvk = { group: GROUP, version: 'v1', kind: 'Plum' };\nconst path = `/apis/${GROUP}/v1/namespaces/a/plums`;\n"}, "2 Plum\n3 plums"},
		{"rust: arguments", memory{"use.rs": "const GROUP: &str = \"old.example.com\";\nlet gvk = GroupVersionKind::gvk(GROUP, \"v1\", \"Plum\");\n"}, "2 Plum"},
		{"shell: names and paths", memory{"use.sh": "API_GROUP=\"${API_GROUP:-old.example.com}\"\nkubectl get plums.$API_GROUP -A\nkubectl get \"plums.v1.${API_GROUP}\"\nkubectl get --raw /apis/$API_GROUP/v1/plums\n"}, "2 plums\n3 plums\n4 plums"},
		{"make: a name", memory{"Makefile": "GROUP := old.example.com\nx:\n\techo\n", "use.mk": "include Makefile\ny:\n\tkubectl get plums.$(GROUP)\n"}, "3 plums"},
		{"helm: a variable", memory{"templates/use.yaml": "{{- $group := \"old.example.com\" }}\napiVersion: {{ $group }}/v1\n{{- if .Values.a }}\nkind: Plum\n{{- end }}\nmetadata:\n  name: plums.{{ $group }}\n"}, "4 Plum\n7 plums"},
		{"helm: a value", memory{"chart/values.yaml": "api:\n  # of the objects\n  group: old.example.com\n", "chart/templates/use.yaml": "kind: Role\nrules:\n- apiGroups:\n  - {{ .Values.api.group | quote }}\n  resources:\n  - plums\n  - plums/status\n  verbs: [get]\n- apiGroups: [{{ .Values.api.group }}]\n  resources: [pears, plums]\n- apiGroups: [other.example.com]\n  resources: [plums]\n"}, "6 plums\n7 plums\n10 plums"},
		{"helm: a CRD", memory{"chart/values.yaml": "group: old.example.com\n", "chart/templates/use.yaml": "spec:\n  group: {{ .Values.group }}\n  names:\n    kind: Plum\n    listKind: PlumList\n    plural: plums\n"}, "4 Plum\n5 PlumList\n6 plums"},
		{"terraform: fields", memory{"use.tf": "locals {\n  group = \"old.example.com\"\n}\nresource \"m\" \"x\" {\n  manifest = {\n    apiVersion = \"${local.group}/v1\"\n    kind       = \"Plum\"\n  }\n}\n"}, "7 Plum"},
		{"jsonnet: fields", memory{"use.jsonnet": "local group = 'old.example.com';\n{ apiVersion: group + '/v1', kind: 'Plum' }\n"}, "2 Plum"},

		{"a constant of another file that nobody names", memory{"consts.py": "GROUP = \"old.example.com\"\n", "use.py": "api.list(GROUP, \"v1\", \"plums\")\n"}, ""},
		{"a constant of that name with another value", memory{"consts.py": "GROUP = \"old.example.com\"\n", "use.py": "import consts\nGROUP = \"apps\"\napi.list(GROUP, \"v1\", \"plums\")\n"}, ""},
		{"a local name of another file", memory{"consts.py": "group = \"old.example.com\"\n", "use.py": "import consts\napi.list(group, \"v1\", \"plums\")\n"}, ""},
		{"another kind, and the new one", memory{"use.py": "GROUP = \"old.example.com\"\napi.list(GROUP, \"v1\", \"pears\")\napi.list(GROUP, \"v1\", \"prunes\")\n"}, ""},
		{"another statement", memory{"use.py": "GROUP = \"old.example.com\"\nlog(GROUP)\nlog(\"plums\")\n"}, ""},
		{"a word in a text, a comment and the name of a file", memory{"use.py": "GROUP = \"old.example.com\"\nlog(\"no plums in\", GROUP)  # \"plums\"\n# api.list(GROUP, \"plums\")\napply(GROUP, \"plums.yaml\")\n"}, ""},
		{"a comment in a call", memory{"use.py": "GROUP = \"old.example.com\"\nlog(  # of GROUP\n    \"plums\")\n"}, ""},
		{"an argument called kind, lines away", memory{"use.py": "GROUP = \"old.example.com\"\nX = GROUP\nlog(kind=\"Plum\")\n"}, ""},
		{"a name in a string that fills in nothing", memory{"use.py": "GROUP = \"old.example.com\"\nlog(\"GROUP of plums\", \"plums\")\n"}, ""},
		{"a label of the group", memory{"use.sh": "GROUP=old.example.com\nkubectl get pods -l $GROUP/plums=a\n"}, ""},
		{"a value of another chart", memory{"chart/values.yaml": "group: old.example.com\n", "other/templates/use.yaml": "apiVersion: {{ .Values.group }}/v1\nkind: Plum\n"}, ""},
		{"another object", memory{"chart/values.yaml": "group: old.example.com\n", "chart/templates/use.yaml": "apiVersion: {{ .Values.group }}/v1\nkind: Pear\n---\nkind: Plum\n"}, ""},
	} {
		var want []string
		for line := range strings.Lines(tt.want) {
			at, name, _ := strings.Cut(strings.TrimSpace(line), " ")
			want = append(want, at+" constant "+name+" → "+strings.NewReplacer("Plum", "Prune", "plum", "prune").Replace(name))
		}
		for _, group := range []string{"old.example.com", "new.example.org"} {
			tree := memory{}
			for name, text := range tt.tree {
				tree[name] = strings.ReplaceAll(text, "old.example.com", group)
			}
			var got []string
			for line := range strings.Lines(outcomesIn(t, m, tree)) {
				if _, at, of := strings.Cut(line, "use."); of && strings.Contains(line, " constant ") {
					_, at, _ = strings.Cut(at, ":")
					got = append(got, strings.TrimSpace(at))
				}
			}
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("%s, %s: got\n%s\nwant\n%s", tt.name, group, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
}

// So is a version that becomes another one, where no kind stands beside it that keeps it.
func TestVersionsBesideConstants(t *testing.T) {
	m := parsedMigration(t, "name: versions\nrules:\n  - {id: plum, from: {group: old.example.com, version: v1alpha1, kind: Plum, plural: plums}, to: {group: old.example.com, version: v1}}\n", false)
	for _, tt := range []struct {
		name string
		tree memory
		want string
	}{
		{"java", memory{"Api.java": "class Api {\n  static final String KIND = \"Plum\";\n  static final String GROUP = \"old.example.com\";\n  static final String V = \"v1alpha1\";\n  static final String API = GROUP + \"/v1alpha1\";\n}\n"}, "Api.java:4 Api.java:5"},
		{"java: annotations", memory{"Api.java": "class Api {\n  static final String GROUP = \"old.example.com\";\n}\n", "a.java": "@Version(\"v1alpha1\")\n@Group(Api.GROUP)\nclass Plum {}\n"}, "a.java:1"},
		{"shell", memory{"a.sh": "GROUP=old.example.com\nkubectl get --raw /apis/${GROUP}/v1alpha1/plums\nkubectl apply -f - <<EOF\napiVersion: $GROUP/v1alpha1\nkind: Plum\nEOF\n"}, "a.sh:2 a.sh:4"},
		{"a template", memory{"a.yaml": "{{- $g := \"old.example.com\" }}\napiVersion: {{ $g }}/v1alpha1\nkind: Plum\n---\napiVersion: {{ $g }}/v1alpha1\nkind: Pear\n"}, "a.yaml:2"},
		{"python: in other files", memory{"consts.py": "GROUP = \"old.example.com\"\n", "a.py": "from consts import GROUP\nget(GROUP, \"v1alpha1\", \"plums\")\nx = f\"{GROUP}/v1alpha1\"\ny = \"%s/v1alpha1\" % GROUP\nz = {\"apiVersion\": f\"{GROUP}/v1alpha1\", \"kind\": \"Pear\"}\n"}, "a.py:2 a.py:3 a.py:4"},
		{"the new version", memory{"a.sh": "GROUP=old.example.com\nkubectl get --raw /apis/${GROUP}/v1/plums\n"}, ""},
	} {
		var got []string
		for line := range strings.Lines(outcomesIn(t, m, tt.tree)) {
			if at, _, ok := strings.Cut(line, " constant v1alpha1 → v1\n"); ok || strings.HasSuffix(line, " constant v1alpha1 → v1") {
				got = append(got, strings.TrimSuffix(at, " constant v1alpha1 → v1"))
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, strings.Join(got, " "), tt.want)
		}
	}
}

// Where a rule moves a group alone, nothing beside its constants is told, and no file is
// read for keys that are made of one but source, and the templates of charts.
func TestNothingBesideConstantsOfWholeGroups(t *testing.T) {
	m := parsedMigration(t, "name: x\nrules:\n  - {id: all, from: {group: old.example.com}, to: {group: new.example.org}}\n", false)
	c := m.newGroupConstants()
	for _, name := range []string{"a.yaml", "config/b.yml", "a.go", "a.json", "a.md", "a.py", "chart/templates/a.yaml", "Makefile"} {
		c.tell([]byte(name))
	}
	if got := strings.Join(c.files(), " "); got != "a.py chart/templates/a.yaml Makefile" || len(c.needles()) > 0 {
		t.Errorf("%s are read for %q", got, c.needles())
	}
	if m = parsedMigration(t, constantRules, true); m.newGroupConstants() != nil {
		t.Error("constants are looked for while both groups are served")
	}
}

// A file is searched for what is made of a constant only where it defines one, and once
// for each group of which it does.
func TestDerivedIsAskedWhereConstantsAre(t *testing.T) {
	searched, search := 0, derived
	derived = func(data []byte, known func(string) bool) map[string]string {
		searched++
		return search(data, known)
	}
	t.Cleanup(func() { derived = search })
	c := parsedMigration(t, constantRules, false).newGroupConstants()
	for _, tt := range []struct {
		name, data string
		want       int
	}{
		{"a.yaml", "apiVersion: old.example.com/v1\nkind: Plum\n", 0},
		{"a.py", "list(\"old.example.com\", \"plums\")\nx = 1\n", 0},
		{"b.py", "GROUP = \"old.example.com\"\nAPI = GROUP + \"/v1\"\n", 1},
	} {
		searched = 0
		c.owns(tt.name, []byte(tt.data))
		if searched != tt.want {
			t.Errorf("%s was searched %d times, want %d", tt.data, searched, tt.want)
		}
	}
	var names []string
	for _, d := range c.defined {
		names = append(names, d.Name)
	}
	if got := strings.Join(names, " "); got != "GROUP API" {
		t.Errorf("constants: %s", got)
	}
}

// A group that is spelled out, and is given its kind or resource by a constant of the file,
// does not move without it.
func TestGroupsThatAreGivenConstants(t *testing.T) {
	m := parsedMigration(t, constantRules, false)
	const moves, left = "old.example.com → new.example.org", "splits old.example.com → "
	const apart = "no-group plums → prunes\na.py:2 " + moves // it is told by itself
	for _, tt := range []struct{ name, file, text, want string }{
		{"an argument", "a.py", "P = \"plums\"\nlist(\"old.example.com\", \"v1\", P)\n", left},
		{"a call behind", "A.java", "class A {\n  static final String PLURAL = \"plums\";\n  Object a = new C().withGroup(\"old.example.com\").withPlural(PLURAL);\n}\n", left},
		{"an argument on another line", "a.ts", "const plural = 'plums';\nlist(\n  'old.example.com',\n  'v1',\n  plural,\n);\n", left},
		{"the name of an argument", "a.py", "fruits = \"plums\"\nlist(\"old.example.com\", \"v1\", fruits=other)\n", apart},
		{"an argument of another call", "a.py", "fruits = \"plums\"\nlist(\"old.example.com\", \"v1\", other)\nlist(fruits)\n", apart},
		{"a string, and a comment", "a.py", "fruits = \"plums\"\nlist(\"old.example.com\", \"v1\", \"fruits\") # fruits\n", apart},
		{"another resource", "a.py", "P = \"pears\"\nlist(\"old.example.com\", \"v1\", P)\n", moves},
		{"the argument of a call", "a.py", "make(P=\"plums\")\nlist(\"old.example.com\", \"v1\", P)\n", apart},
	} {
		got := outcomesIn(t, m, memory{tt.file: tt.text})
		if _, is, _ := strings.Cut(got, " "); is != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
