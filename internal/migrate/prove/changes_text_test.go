package prove

// changesOfText are of files of other formats.
var changesOfText = []change{
	{name: "JSON", file: "a.json", before: "{\"a\": \"old.example.com\", \"b\": [1, true, null]}", after: "{\"a\": \"new.example.org\", \"b\": [1, true, null]}"},
	{name: "JSON that breaks", file: "a.json", before: "{\"a\": \"old.example.com\"}", after: "{\"a\": \"new.example.org\"", why: "would not be JSON"},
	{name: "JSON with comments", file: "a.json", before: "{\"a\": \"old.example.com\", // c, \"x\"\n/* d */ \"b\": [1,],\n# e\n}", after: "{\"a\": \"new.example.org\", // c, \"x\"\n/* d */ \"b\": [1,],\n# e\n}"},
	{name: "no JSON", file: "a.json", before: "{\"a\": old.example.com}", after: "{\"a\": new.example.org}"},
	{name: "a slash that JSON escapes", file: "a.json", before: "{\"0\" \"old.example.com\\/x", after: "{\"0\" \"new.example.org/x"},
	{name: "a template", file: "a.tpl", before: `
{{- if .x }}
a: old.example.com {{ .y }}
{{- end }}
`, after: `
{{- if .x }}
a: new.example.org {{ .y }}
{{- end }}
`},
	{name: "an action that changes", file: "a.tpl", before: `
a: {{ "old.example.com" }}
`, after: `
a: {{ "new.example.org" }}
`},
	{name: "an action less", file: "a.tpl", before: `
{{- if .x }}
a: old.example.com
{{- end }}
`, after: `
{{- if .x }}
a: new.example.org
`, why: "would be lost"},
	{name: "an action more", file: "a.tpl", before: `
a: old.example.com
# x
`, after: `
a: new.example.org
# {{ x }}
`, why: "from nowhere"},
	{name: "a template that breaks", file: "a.tpl", before: `
a: old.example.com
b: {{ .x }}
`, after: `
a: new.example.org
  b: {{ .x }}
`, why: "would"},
	{name: "a template that is no YAML", file: "a.tpl", before: `
a: [old.example.com {{ if x }}
b: "
`, after: `
a: [new.example.org {{ if x }}
b: "
`},
	{name: "a bracket less", file: "a.tpl", before: `
a: [old.example.com {{ if x }}
b: "
`, after: `
a: new.example.org {{ if x }}
b: "
`, why: "bracket"},
	{name: "a word less", file: "a.tpl", before: `
a: [old.example.com, x {{ if x }}
b: "
`, after: `
a: [new.example.org, {{ if x }}
b: "
`, why: "\"x\" would be lost"},
	{name: "a flow list with actions", file: "a.tpl", before: `
a: ["old.example.com"{{ if .x }}, {{ .x }}{{ end }}]
`, after: `
a: ["new.example.org"{{ if .x }}, {{ .x }}{{ end }}]
`},
	{name: "Go", file: "a.go", before: `
package a

var x = "old.example.com" // old.example.com
`, after: `
package a

var x = "new.example.org" // new.example.org
`},
	{name: "no Go", file: "a.go", before: `
package a

var x = "old.example.com
`, after: `
package a

var x = "new.example.org
`},
	{name: "words in Go", file: "a.go", before: `
old.example.com/v1 Apple
`, after: `
new.example.org/v1 Apple
`},
	{name: "Go that breaks", file: "a.go", before: `
package a

var x = "old.example.com"
`, after: `
package a

var x = "new.example.org
`, why: "would not be Go"},
	{name: "a token", file: "a.go", before: `
package a

var x = "old.example.com"
`, after: `
package a

const x = "new.example.org"
`, why: "comes from nowhere"},
	{name: "another token", file: "a.go", before: `
package a

var x = "old.example.com" + x
`, after: `
package a

var x = "new.example.org" - x
`, why: "+ would become -"},
	{name: "tokens", file: "a.go", before: `
package a

var x = "old.example.com" + x
`, after: `
package a

var x = "new.example.org"
`, why: "tokens would become"},
	{name: "a raw string", file: "a.go", before: `
package a

var x = "old.example.com"
`, after: "package a\n\nvar x = `new.example.org`\n", why: "the string"},
	{name: "a wrong document in Go", file: "a.go", before: "package a\n\nvar x = `\napiVersion: split.example.com/v1\nkind: Apple\n`\n", after: "package a\n\nvar x = `\napiVersion: b.example.org/v1\nkind: Apple\n`\n", why: "no rule makes"},
	{name: "a fence", file: "a.md", before: "x\n\n> ```yaml\n> apiVersion: split.example.com/v1\n> kind: Apple\n> ```\ny\n", after: "x\n\n> ```yaml\n> apiVersion: a.example.org/v1\n> kind: Apple\n> ```\ny\n"},
	{name: "a wrong fence", file: "a.md", before: "```yaml\napiVersion: split.example.com/v1\nkind: Apple\n```\n", after: "```yaml\napiVersion: b.example.org/v1\nkind: Apple\n```\n", why: "no rule makes"},
	{name: "a fence that does not close", file: "a.md", before: `
~~~
a: old.example.com
`, after: `
~~~
a: new.example.org
`},
	{name: "a fence more", file: "a.md", before: "```\nx: old.example.com\n```\n", after: "```\nx: new.example.org\n```\n~~~\n", why: "blocks"},
	{name: "a here document", file: "a.py", before: `
cat <<E
apiVersion: split.example.com/v1
kind: Apple
E
x <<F
`, after: `
cat <<E
apiVersion: a.example.org/v1
kind: Apple
E
x <<F
`},
	{name: "TOML", file: "a.toml", before: `
x = "old.example.com"
`, after: `
x = "new.example.org"
`},
	{name: "TOML that breaks", file: "a.toml", before: `
x = "old.example.com"
`, after: `
x = "new.example.org
`, why: "would not be TOML"},
}
