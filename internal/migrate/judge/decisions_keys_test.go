package judge

// ofKeys is what becomes of label, annotation and finalizer keys.
var ofKeys = []decision{
	{"a.yaml", setting{}, `
metadata:
  finalizers: [old.example.com/x, pear.old.example.com]
`, `
old.example.com/x: key new.example.org/
pear.old.example.com: stay
`},
	{"a.yaml", setting{}, `
metadata:
  labels: {old.example.com/x: a, new.example.org/x: a}
`, `
old.example.com/x: stay
`},
	{"a.yaml", setting{}, `
metadata:
  labels: {old.example.com/x: a, new.example.org/xy: a}
`, `
old.example.com/x: key new.example.org/
`},
	{"a.yaml", setting{}, `
x: things.old.example.com/name
y: pears/old.example.com/x
`, `
things.old.example.com/name: stay
old.example.com/x: key new.example.org/
`},
	{"a.txt", setting{}, `
old.example.com/apple-x is a word, apple.old.example.com too
`, `
old.example.com/apple-x: key new.example.org/
apple.old.example.com: key apple.new.example.org
`},
	{"a.go", setting{}, `
package v1

const K = "same.example.com/mark"
const L = "old.example.com/x"
`, `
same.example.com/mark: key same.example.com/sign
old.example.com/x: key new.example.org/
`},
	{"a.go", setting{}, `
package v1beta1

const K = "same.example.com/mark"
`, `
same.example.com/mark: key same.example.com/sign
`},
	{"a.go", setting{}, `
package v2

const K = "same.example.com/mark"
`, `
same.example.com/mark: stay
`},
}
