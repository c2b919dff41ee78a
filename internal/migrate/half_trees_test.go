package migrate

import (
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strconv"
	"strings"

	k8syaml "sigs.k8s.io/yaml"
)

// A halver makes trees at random.
type halver struct {
	*rand.Rand
	count int
}

func oneOf[T any](h *halver, list ...T) T { return list[h.IntN(len(list))] }

func (h *halver) api() api {
	kind := oneOf(h, halfKinds...)
	return api{oneOf(h, halfGroups...), oneOf(h, halfVersions...), kind[0], kind[1]}
}

// scalar spells a value.
func (h *halver) scalar(text string) string {
	switch h.IntN(8) {
	case 0:
		return "'" + text + "'"
	case 1:
		return strconv.Quote(text)
	}
	return text
}

// pair is an apiVersion with its kind, in whatever order, each line with an indent.
func (h *halver) pair(a api, indent string) string {
	lines := []string{indent + "apiVersion: " + h.scalar(a.Group+"/"+a.Version) + "\n", indent + "kind: " + h.scalar(a.Kind) + "\n"}
	if h.IntN(4) == 0 {
		slices.Reverse(lines)
	}
	if h.IntN(6) == 0 {
		lines[0] += indent + "# what it is\n"
	}
	return strings.Join(lines, "")
}

// document is a YAML document that names APIs.
func (h *halver) document() string {
	h.count++
	a, b := h.api(), h.api()
	name := fmt.Sprintf("metadata:\n  name: x%d\n", h.count)
	switch h.IntN(12) {
	case 0:
		return h.pair(a, "") + name + "spec:\n  ref:\n" + h.pair(b, "    ") + "    name: y\n"
	case 1:
		return h.pair(a, "") + name + "  ownerReferences:\n  - controller: true\n" + h.pair(b, "    ")
	case 2:
		return "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\n" + name + "spec:\n  scaleTargetRef: {apiVersion: " + h.scalar(a.Group+"/"+a.Version) + ", kind: " + h.scalar(a.Kind) + ", name: y}\n"
	case 3:
		return "apiVersion: v1\nkind: List\nitems:\n- metadata: {name: x}\n" + h.pair(a, "  ") + "- spec: {}\n" + h.pair(b, "  ")
	case 4:
		return "apiVersion: example.net/v1\nkind: Binding\n" + name + "spec:\n  subject:\n    apiGroup: " + h.scalar(a.Group) + "\n    kind: " + h.scalar(a.Kind) + "\n"
	case 5:
		return "apiVersion: example.net/v1\nkind: Target\n" + name + "spec:\n  target: {group: " + a.Group + ", version: " + a.Version + ", kind: " + a.Kind + "}\n"
	case 6, 7:
		rule := func() string {
			var groups, resources []string
			for range 1 + h.IntN(2) {
				a := h.api()
				groups, resources = append(groups, h.scalar(a.Group)), append(resources, h.scalar(a.Plural))
			}
			if h.IntN(2) == 0 {
				return "- apiGroups: [" + strings.Join(groups, ", ") + "]\n  resources: [" + strings.Join(resources, ", ") + "]\n  verbs: [get]\n"
			}
			return "- apiGroups:\n  - " + strings.Join(groups, "\n  - ") + "\n  resources:\n  - " + strings.Join(resources, "\n  - ") + "\n  verbs:\n  - get\n"
		}
		return "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\n" + name + "rules:\n" + rule() + rule()
	case 8:
		return "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: " + a.Plural + "." + a.Group + "\nspec:\n  group: " + a.Group +
			"\n  names:\n    kind: " + a.Kind + "\n    listKind: " + a.Kind + "List\n    plural: " + a.Plural + "\n    singular: " + strings.ToLower(a.Kind) + "\n  scope: Namespaced\n  versions:\n  - name: " + a.Version + "\n    served: true\n    storage: true\n"
	}
	return h.pair(a, "") + name + "spec:\n  size: 3\n"
}

// A wrapping puts a text into a file of another format, and takes it out again.
type wrapping struct {
	name string // of the file
	into func(text, name string) string
	out  func(text string) string
	not  string // what a text cannot have there, separated by spaces
}

func (w wrapping) without(not string) wrapping {
	w.not = not
	return w
}

func pad(by string) (func(string) string, func(string) string) {
	add := func(s string) string { return indented(strings.TrimSuffix(s, "\n")+"\n", by) }
	return func(s string) string {
			return strings.ReplaceAll(add(s), "\n"+by+"\n", "\n"+strings.TrimRight(by, " ")+"\n")
		}, func(s string) string {
			var b strings.Builder
			for line := range strings.Lines(s) {
				if cut, ok := strings.CutPrefix(line, by); ok {
					line = cut
				} else {
					line = strings.TrimPrefix(line, strings.TrimRight(by, " "))
				}
				b.WriteString(line)
			}
			return b.String()
		}
}

// framed is a text between two others, each line of it behind a pad.
func framed(name, before, by, after string) wrapping {
	add, strip := pad(by)
	return wrapping{name: name, into: func(s, inner string) string {
		if by != "" {
			s = add(s)
		}
		return strings.ReplaceAll(before, "FILE", inner) + s + after
	}, out: func(s string) string {
		key, _, more := strings.Cut(before, "FILE")
		i := strings.Index(s, key)
		j := strings.LastIndex(s, after)
		if i < 0 || j < 0 {
			return "no frame"
		}
		rest := s[i+len(key) : j]
		if more { // what is behind the name of the file, up to the end of its line
			_, rest, _ = strings.Cut(rest, "\n")
		}
		return strip(rest)
	}}
}

// quoted is a text as a string literal with escapes, between two others.
func quoted(name, before, after string) wrapping {
	return wrapping{name: name, into: func(s, _ string) string { return before + strconv.Quote(s) + after }, out: func(s string) string {
		s, ok := strings.CutPrefix(s, before)
		s, also := strings.CutSuffix(s, after)
		out, err := strconv.Unquote(s)
		if err != nil || !ok || !also {
			return fmt.Sprint("no string: ", err, s)
		}
		return out
	}}
}

// joined is a text as string literals, one for each line.
func joined(name, before, by, after string) wrapping {
	return wrapping{name: name, into: func(s, _ string) string {
		var lines []string
		for line := range strings.Lines(s) {
			lines = append(lines, strconv.Quote(line))
		}
		return before + strings.Join(lines, by) + after
	}, out: func(s string) string {
		s = strings.TrimSuffix(strings.TrimPrefix(s, before), after)
		out := ""
		for _, line := range strings.Split(s, by) {
			text, err := strconv.Unquote(line)
			if err != nil {
				return fmt.Sprint("no string: ", line)
			}
			out += text
		}
		return out
	}}
}

// wrappings are containers, those whose text can be anything.
var wrappings = []wrapping{
	{name: "cm.yaml", into: func(s, inner string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata:\n  " + inner + ": |\n" + indented(s, "    ")
	}, out: firstOfData},
	{name: "quoted.yaml", into: func(s, inner string) string {
		return "kind: ConfigMap\ndata:\n  " + inner + ": " + strconv.Quote(s) + "\n"
	}, out: firstOfData},
	{name: "single.yaml", into: func(s, inner string) string {
		return "kind: ConfigMap\ndata:\n  " + inner + ": '" + strings.ReplaceAll(strings.ReplaceAll(s, "'", "''"), "\n", "\n\n    ") + "'\n"
	}, out: firstOfData},
	{name: "env.yaml", into: func(s, inner string) string {
		return "kind: Pod\nspec:\n  containers:\n  - name: x\n    args:\n    - -c\n    - |\n" + indented(s, "      ")
	}, out: func(s string) string {
		var pod struct {
			Spec struct{ Containers []struct{ Args []string } }
		}
		if err := k8syaml.Unmarshal([]byte(s), &pod); err != nil || len(pod.Spec.Containers) != 1 || len(pod.Spec.Containers[0].Args) != 2 {
			return fmt.Sprint(err)
		}
		return pod.Spec.Containers[0].Args[1]
	}},
	{name: "cm.json", into: func(s, inner string) string {
		return `{"kind": "ConfigMap", "data": {"` + inner + `": ` + strconv.Quote(s) + "}}\n"
	}, out: firstOfData},
	{name: "comment.yaml", into: func(s, _ string) string { return "a: 1\n" + indented(s, "# ") + "b: 1\n" }, out: framed("", "a: 1\n", "# ", "b: 1\n").out},
	framed("raw.go", "package a\n\nconst x = `", "", "`\n").without("`"),
	quoted("quoted.go", "package a\n\nconst x = ", "\n"),
	joined("joined.go", "package a\n\nconst x = ", " +\n\t", "\n"),
	framed("comment.go", "package a\n\n", "// ", "var x = 1\n"),
	framed("a.md", "Text.\n\n```yaml\n", "", "```\n").without("```"),
	framed("b.md", "Text.\n\n- item\n\n  ```\n", "  ", "  ```\n").without("```"),
	framed("c.md", "Text.\n\n> ```\n", "> ", "> ```\n").without("```"),
	framed("a.adoc", "Text.\n\n[source,yaml]\n----\n", "", "----\n").without("----"),
	framed("a.rst", "Text.\n\n.. code-block:: yaml\n\n", "   ", "\nMore.\n"),
	framed("heredoc.sh", "#!/bin/sh\nkubectl apply -f - <<EOF\n", "", "EOF\n").without("EOF $"),
	framed("plain.sh", "#!/bin/sh\ncat > FILE <<'EOF'\n", "", "EOF\n").without("EOF"),
	framed("echo.sh", "#!/bin/sh\necho '", "", "' | kubectl apply -f -\n").without("'"),
	quoted("printf.sh", "#!/bin/sh\nprintf ", " | kubectl apply -f -\n").without("%"),
	framed("triple.py", "x = \"\"\"\n", "", "\"\"\"\n").without(`""" \`),
	framed("single.py", "def f():\n    apply('''", "", "''')\n").without("''' \\"),
	quoted("quoted.py", "x = ", "\n"),
	joined("joined.py", "x = (", "\n     ", ")\n"),
	framed("a.ts", "const x = `", "", "`;\n").without("` \\ ${"),
	quoted("b.ts", "const x = ", ";\n"),
	joined("c.js", "const x = ", " +\n  ", ";\n"),
	framed("a.java", "class A {\n    String x = \"\"\"\n", "        ", "        \"\"\";\n}\n").without(`""" \`),
	joined("b.java", "class A {\n    String x = ", "\n        + ", ";\n}\n"),
	framed("a.kt", "val x = \"\"\"\n", "", "\"\"\"\n").without(`""" $`),
	framed("a.rs", "const X: &str = r#\"", "", "\"#;\n").without(`"#`),
	quoted("b.rs", "const X: &str = ", ";\n"),
	framed("a.rb", "x = <<~EOF\n", "  ", "EOF\n").without("EOF \\ #{"),
	framed("a.tf", "locals {\n  x = <<EOF\n", "", "EOF\n}\n").without("EOF ${"),
	quoted("b.tf", "locals {\n  x = ", "\n}\n").without("${"),
	framed("Dockerfile", "FROM x\nCOPY <<EOF /FILE\n", "", "EOF\n").without("EOF $"),
	framed("a.toml", "x = '''\n", "", "'''\n").without("'''"),
	quoted("b.toml", "x = ", "\n"),
	framed("a.jsonnet", "{\n  x: |||\n", "    ", "  |||,\n}\n").without("|||"),
	framed("a.html", "<pre>\n", "", "</pre>\n").without("<"),
	framed("a.xml", "<x><![CDATA[\n", "", "]]></x>\n").without("]]>"),
	framed("a.groovy", "def x = '''\n", "", "'''\n").without("''' \\"),
	framed("templates/a.yaml", "{{- if .Values.x }}\n", "", "{{- end }}\n").without("{{"),
	framed("templates/b.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\ndata:\n  FILE: |\n", "    ", "  z: {{ .Values.z }}\n").without("{{"),
	framed("Makefile", "define X\n", "", "endef\n").without("define $"),
	{name: "code.ipynb", into: func(s, inner string) string { return notebook("code", "%%writefile "+inner+"\n"+s) }, out: func(s string) string { _, s, _ = strings.Cut(cellOf(s), "\n"); return s }},
	{name: "python.ipynb", into: func(s, inner string) string { return notebook("code", "x = '''\n"+s+"'''\n") }, out: func(s string) string { return between("'''\n", "'''")(cellOf(s)) }, not: "''' \\"},
	{name: "text.ipynb", into: func(s, inner string) string { return notebook("markdown", "Text.\n\n```yaml\n"+s+"```\n") }, out: func(s string) string { return between("```yaml\n", "```")(cellOf(s)) }, not: "```"},
}

func firstOfData(s string) string {
	var object struct{ Data map[string]string }
	if err := k8syaml.Unmarshal([]byte(s), &object); err != nil || len(object.Data) != 1 {
		return fmt.Sprint("no data: ", err)
	}
	for _, text := range object.Data {
		return text
	}
	return ""
}

func notebook(kind, text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, "    "+strconv.Quote(line))
	}
	return "{\n \"cells\": [\n  {\n   \"cell_type\": \"" + kind + "\",\n   \"metadata\": {},\n   \"source\": [\n" + strings.Join(lines, ",\n") + "\n   ]\n  }\n ],\n \"metadata\": {},\n \"nbformat\": 4,\n \"nbformat_minor\": 5\n}\n"
}

func cellOf(s string) string {
	var book struct{ Cells []struct{ Source []string } }
	if err := k8syaml.Unmarshal([]byte(s), &book); err != nil || len(book.Cells) != 1 {
		return fmt.Sprint("no cell: ", err)
	}
	return strings.Join(book.Cells[0].Source, "")
}

// A composed file is documents in containers, the innermost first.
type composed struct {
	docs []string
	in   []wrapping
}

// file is the name and the text of a composed file.
func (c composed) file() (name, text string) {
	name, text = "plain.yaml", strings.Join(c.docs, "---\n")
	if strings.HasPrefix(text, "{") {
		name = "plain.json"
	}
	for _, w := range c.in {
		name, text = w.name, w.into(text, path.Base(name))
	}
	return name, text
}

// read takes the documents of a text out of its containers.
func (c composed) read(text string) (string, []any) {
	for _, w := range slices.Backward(c.in) {
		text = w.out(text)
	}
	var list []any
	for _, doc := range strings.Split("\n"+text, "\n---\n") {
		var v any
		if err := k8syaml.UnmarshalStrict([]byte(doc), &v); err != nil {
			v = err.Error()
		}
		list = append(list, v)
	}
	return text, list
}

// composed makes a file; false = its containers do not go together.
func (h *halver) composed() (c composed, ok bool) {
	for range 1 + h.IntN(3) {
		c.docs = append(c.docs, h.document())
	}
	if h.IntN(6) == 0 {
		out, err := k8syaml.YAMLToJSON([]byte(c.docs[0]))
		if err != nil {
			panic(err)
		}
		c.docs = []string{string(out) + "\n"}
	}
	for range oneOf(h, 0, 1, 1, 1, 2, 2, 3) {
		c.in = append(c.in, oneOf(h, wrappings...))
	}
	return c, c.fits()
}

// fits says whether what is taken out of the containers is what was put in.
func (c composed) fits() bool {
	for i, w := range c.in {
		_, text := composed{c.docs, c.in[:i]}.file()
		if slices.ContainsFunc(strings.Fields(w.not), func(not string) bool { return strings.Contains(text, not) }) {
			return false
		}
	}
	_, text := c.file()
	got, _ := c.read(text)
	return got == strings.Join(c.docs, "---\n")
}

// smaller are the files with one container or one document less.
func (c composed) smaller() (list []composed) {
	for i := range c.in {
		list = append(list, composed{c.docs, slices.Delete(slices.Clone(c.in), i, i+1)})
	}
	for i := range c.docs {
		if len(c.docs) > 1 {
			list = append(list, composed{slices.Delete(slices.Clone(c.docs), i, i+1), c.in})
		}
	}
	return list
}
