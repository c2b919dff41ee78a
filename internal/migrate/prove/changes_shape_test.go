package prove

// changesOfShape are of objects that take another shape.
var changesOfShape = []change{
	{name: "a renamed field", file: "a.yaml", mode: "s", before: `
apiVersion: same.example.com/v1beta1
kind: Pear
spec:
  colour: red
`, after: `
apiVersion: same.example.com/v1
kind: Pear
spec:
  color: red
`},
	{name: "a blank line more", file: "a.yaml", mode: "s", before: `
apiVersion: same.example.com/v1beta1
kind: Pear
spec:
  colour: red
`, after: `
apiVersion: same.example.com/v1
kind: Pear

spec:
  color: red
`, why: "blank lines"},
	{name: "a renamed field's value", file: "a.yaml", mode: "s", before: `
apiVersion: same.example.com/v1beta1
kind: Pear
spec:
  colour: red
  x: kind
`, after: `
apiVersion: same.example.com/v1
kind: Pear
spec:
  color: kind
  x: kind
`, why: "would be lost"},
	{name: "a moved field", file: "a.yaml", mode: "s", before: `
apiVersion: same.example.com/v1beta1
kind: Pear
spec:
  size: 3
`, after: `
apiVersion: same.example.com/v1
kind: Pear
spec:
  dimensions:
    size: "3"
`},
	{name: "a moved field twice", file: "a.yaml", mode: "s", before: `
apiVersion: same.example.com/v1beta1
kind: Pear
spec:
  size: 3
`, after: `
apiVersion: same.example.com/v1
kind: Pear
spec:
  size: 3
  dimensions: {size: 3}
`, why: "from nowhere"},
	{name: "items", file: "a.yaml", mode: "s", before: `
apiVersion: same.example.com/v1beta1
kind: Pear
spec:
  seeds: [{kind: a}, {kind: b}]
`, after: `
apiVersion: same.example.com/v1
kind: Pear
spec:
  seeds: [{of: {kind: a}}, {of: {kind: b}}]
`},
	{name: "items that change places", file: "a.yaml", mode: "s", before: `
apiVersion: same.example.com/v1beta1
kind: Pear
spec:
  seeds: [{kind: a}, {kind: b}]
`, after: `
apiVersion: same.example.com/v1
kind: Pear
spec:
  seeds: [{of: {kind: b}}, {of: {kind: a}}]
`, why: "would be lost"},
	{name: "a field for every item", file: "a.yaml", mode: "s", before: `
apiVersion: same.example.com/v1beta1
kind: Pear
spec:
  soil: wet
  seeds: [{a: 1}, {a: 2}]
`, after: `
apiVersion: same.example.com/v1
kind: Pear
spec:
  seeds: [{a: 1, soil: wet}, {a: 2, soil: wet}]
`},
	{name: "a copy", file: "a.yaml", mode: "s", before: `
apiVersion: same.example.com/v1beta1
kind: Pear
spec:
  name: n
`, after: `
apiVersion: same.example.com/v1
kind: Pear
spec:
  name: n
  title: n
`},
	{name: "a list of one", file: "a.yaml", mode: "s", before: `
apiVersion: same.example.com/v1beta1
kind: Pear
spec:
  tree: {a: b}
  bark: c
`, after: `
apiVersion: same.example.com/v1
kind: Pear
spec:
  tree: [{a: b}]
  bark: {layers: c}
`},
	{name: "mapped values", file: "a.yaml", mode: "s", before: `
apiVersion: same.example.com/v1beta1
kind: Pear
spec:
  ripe: Yes
`, after: `
apiVersion: same.example.com/v1
kind: Pear
spec:
  ripe: Ripe
`},
	{name: "a mapped value that goes", file: "a.yaml", mode: "s", before: `
apiVersion: same.example.com/v1beta1
kind: Pear
spec:
  x: 1
  ripe: Perhaps
`, after: `
apiVersion: same.example.com/v1
kind: Pear
spec:
  x: 1
`},
	{name: "a dropped field", file: "a.yaml", mode: "s", before: `
apiVersion: same.example.com/v1beta1
kind: Pear
spec:
  # about it
  worm: x
`, after: `
apiVersion: same.example.com/v1
kind: Pear
spec:
  {}
`},
	{name: "a field that nothing drops", file: "a.yaml", mode: "s", before: `
apiVersion: same.example.com/v1beta1
kind: Pear
spec:
  worm: x
  apple: y
`, after: `
apiVersion: same.example.com/v1
kind: Pear
spec:
  worm: x
`, why: "spec.apple: the str \"y\" would be lost"},
	{name: "a written value", file: "a.yaml", mode: "s", before: `
apiVersion: same.example.com/v1beta1
kind: Pear
spec:
  x: 1
`, after: `
apiVersion: same.example.com/v1
kind: Pear
spec:
  x: 1
  kept: {cool: true}
`},
	{name: "another written value", file: "a.yaml", mode: "s", before: `
apiVersion: same.example.com/v1beta1
kind: Pear
spec:
  x: 1
`, after: `
apiVersion: same.example.com/v1
kind: Pear
spec:
  x: 1
  kept: {cool: x}
`, why: "from nowhere"},
	{name: "a shape without its version", file: "a.yaml", mode: "s", before: `
apiVersion: same.example.com/v1beta1
kind: Pear
spec:
  colour: red
`, after: `
apiVersion: new.example.org/v1
kind: Pear
spec:
  color: red
`, why: "would"},
	{name: "a shape in a list", file: "a.yaml", mode: "s", before: `
items:
- apiVersion: same.example.com/v1beta1
  kind: Pear
  spec: {colour: red}
`, after: `
items:
- apiVersion: same.example.com/v1
  kind: Pear
  spec: {color: red}
`},
	{name: "a key of a moved label", file: "a.yaml", mode: "s", before: `
apiVersion: same.example.com/v1beta1
kind: Pear
spec:
  old.example.com/x: 1
  colour: red
`, after: `
apiVersion: same.example.com/v1
kind: Pear
spec:
  new.example.org/x: 1
  color: red
`},
	{name: "a shape in a comment", file: "a.yaml", mode: "s", before: `
a: 1
# apiVersion: same.example.com/v1beta1
# kind: Pear
# spec: {colour: red}
`, after: `
a: 1
# apiVersion: same.example.com/v1
# kind: Pear
# spec: {color: red}
`},
	{name: "a shape in a template", file: "a.tpl", mode: "s", before: `
apiVersion: same.example.com/v1beta1
kind: Pear
spec:
  colour: {{ .red }}
`, after: `
apiVersion: same.example.com/v1
kind: Pear
spec:
  color: {{ .red }}
`},
	{name: "a document in Go", file: "a.go", mode: "s", before: "package a\n\nvar x = `\napiVersion: same.example.com/v1beta1\nkind: Pear\nspec:\n  colour: red\n`\n", after: "package a\n\nvar x = `\napiVersion: same.example.com/v1\nkind: Pear\nspec:\n  color: red\n`\n"},
	{name: "a long string", file: "a.py", mode: "s", before: `
x = '''
apiVersion: same.example.com/v1beta1
kind: Pear
spec:
  colour: red
'''
y = """
`, after: `
x = '''
apiVersion: same.example.com/v1
kind: Pear
spec:
  color: red
'''
y = """
`},
	{name: "a string that loses a word", file: "a.py", mode: "s", before: `
x = "colour: red, a: b"
`, after: `
x = "color: red"
`, why: "\"a\" would be lost|would be lost"},
	{name: "a string that drops", file: "a.py", mode: "s", before: `
x = "worm: red, a: b"
`, after: `
x = "a: b"
`},
	{name: "a cell", file: "a.ipynb", mode: "s", before: "{\"source\": [\"x = '''\\n\", \"apiVersion: same.example.com/v1beta1\\n\", \"kind: Pear\\n\", \"spec:\\n\", \"  size: 1\\n\", \"'''\\n\"], \"n\": [1]}", after: "{\"source\": [\"x = '''\\n\", \"apiVersion: same.example.com/v1\\n\", \"kind: Pear\\n\", \"spec:\\n\", \"  dimensions:\\n\", \"    size: 1\\n\", \"'''\\n\"], \"n\": [1]}"},
}
