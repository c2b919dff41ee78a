package text

var entriesRead = []struct {
	name     string
	json     bool
	in, want string // without their first line break
}{
	{"scalars", false, `
a: b
c: 'd' # e
f: "g"
h:
`, `
a: [a: b⏎] [ b⏎] [x: b]
c: [c: 'd' # e⏎] [ 'd' # e⏎] -
f: [f: "g"⏎] [ "g"⏎] [x: "g"]
h: [h:⏎] [⏎] - takes
`},
	{"mappings and lists", false, `
a:
  b: c
  d:
  - e: f
    g: h
  - i
j: k
`, `
a: [a:⏎  b: c⏎  d:⏎  - e: f⏎    g: h⏎  - i⏎] [⏎  b: c⏎  d:⏎  - e: f⏎    g: h⏎  - i⏎] - takes
b: [  b: c⏎] [ c⏎] [x: c]
d: [  d:⏎  - e: f⏎    g: h⏎  - i⏎] [⏎  - e: f⏎    g: h⏎  - i⏎] -
e: [  - e: f⏎] [ f⏎] [x: f] shares
g: [    g: h⏎] [ h⏎] [x: h]
j: [j: k⏎] [ k⏎] [x: k]
`},
	{"comments above", false, `
# of a
a: b

# of c
# and more
c:
  # of d
  d: e
`, `
a: [a: b⏎] # of a⏎[ b⏎] -
c: [c:⏎  # of d⏎  d: e⏎] # of c⏎# and more⏎[⏎  # of d⏎  d: e⏎] - takes
d: [  d: e⏎]   # of d⏎[ e⏎] -
`},
	{"texts of several lines", false, `
a: |
  b

  c

d: >-
  e
f:
  g: |
    h
i: j
`, `
a: [a: |⏎  b⏎⏎  c⏎] [ |⏎  b⏎⏎  c⏎] -
d: [d: >-⏎  e⏎] [ >-⏎  e⏎] -
f: [f:⏎  g: |⏎    h⏎] [⏎  g: |⏎    h⏎] - takes
g: [  g: |⏎    h⏎] [ |⏎    h⏎] -
i: [i: j⏎] [ j⏎] [x: j]
`},
	{"flow style", false, `
a: {b: c, "d": [e, f], g: {}}
h: [i, {j: k}] # l
m: {}
`, `
a: [a: {b: c, "d": [e, f], g: {}}⏎] [ {b: c, "d": [e, f], g: {}}⏎] - flow takes
b: [b: c] [ c⏎] [b: c] shares
d: ["d": [e, f]] [ [e, f]⏎] ["d": [e, f]] shares flow
g: [g: {}] [ {}⏎] [g: {}] shares flow takes
h: [h: [i, {j: k}] # l⏎] [ [i, {j: k}] # l⏎] - flow
j: [j: k] [ k⏎] [j: k] shares
m: [m: {}⏎] [ {}⏎] - flow takes
`},
	{"flow style over lines", false, `
a: {
  b: c, # d
  e: [
    f
  ]
}
g: h
`, `
a: [a: {⏎  b: c, # d⏎  e: [⏎    f⏎  ]⏎}⏎] [ {⏎  b: c, # d⏎  e: [⏎    f⏎  ]⏎}⏎] - flow takes
b: [b: c] [ c⏎] [b: c]
e: [e: [⏎    f⏎  ]] - [e: [⏎    f⏎  ]] flow
g: [g: h⏎] [ h⏎] [x: h]
`},
	{"anchors and tags", false, `
a: &x {b: c}
d: !!map
  e: f
g: &y
  h: *x
`, `
a: [a: &x {b: c}⏎] [ &x {b: c}⏎] - flow takes
b: [b: c] [ c⏎] [b: c] shares
d: [d: !!map⏎  e: f⏎] [ !!map⏎  e: f⏎] - takes
e: [  e: f⏎] [ f⏎] [x: f]
g: [g: &y⏎  h: *x⏎] [ &y⏎  h: *x⏎] - takes
h: [  h: *x⏎] [ *x⏎] [x: *x]
`},
	{"entries of items", false, `
a:
- b: c
  d: e
- # f
  g: h
- - i: j
`, `
a: [a:⏎- b: c⏎  d: e⏎- # f⏎  g: h⏎- - i: j⏎] [⏎- b: c⏎  d: e⏎- # f⏎  g: h⏎- - i: j⏎] -
b: [- b: c⏎] [ c⏎] [x: c] shares
d: [  d: e⏎] [ e⏎] [x: e]
g: [  g: h⏎] [ h⏎] [x: h]
i: [- - i: j⏎] [ j⏎] [x: j] shares
`},
	{"keys that are asked for", false, `
? a
: b
? c # d
:
  e: f
g: {? h : i, j: k}
`, `
a: [? a⏎: b⏎] - -
c: [? c # d⏎:⏎  e: f⏎] - - takes
e: [  e: f⏎] [ f⏎] [x: f]
g: [g: {? h : i, j: k}⏎] [ {? h : i, j: k}⏎] - flow takes
h: [? h : i] [ i⏎] [? h : i] shares
j: [j: k] [ k⏎] [j: k] shares
`},
	{"templates", false, `
a: {{ .b }}
c:
  {{- if d }}
  e: f
  {{- end }}
g: {{ .h }} # i
`, `
a: [a: {{ .b }}⏎] [ {{ .b }}⏎] -
c: [c:⏎  {{- if d }}⏎  e: f⏎] [⏎  {{- if d }}⏎  e: f⏎] - takes
e: [  e: f⏎] [ f⏎] [x: f]
g: [g: {{ .h }} # i⏎] [ {{ .h }} # i⏎] -
`},
	{"plain text over lines", false, `
a: b
  c
  d
e: f
`, `
a: [a: b⏎  c⏎  d⏎] [ b⏎  c⏎  d⏎] -
e: [e: f⏎] [ f⏎] [x: f]
`},
	{"ends of lines as Windows has them", false, "a: b\r\nc:\r\n  d: e\r\nf: [g]\r\n", "a: [a: b\r⏎] [ b\r⏎] [x: b]\nc: [c:\r⏎  d: e\r⏎] [\r⏎  d: e\r⏎] - takes\nd: [  d: e\r⏎] [ e\r⏎] [x: e]\nf: [f: [g]\r⏎] [ [g]\r⏎] - flow\n"},
	{"no end of the last line", false, `
a:
  b: c`, `
a: [a:⏎  b: c] [⏎  b: c] - takes
b: [  b: c] [ c] [x: c]
`},
	{"JSON", true, `
{"a": 1, "b": {"c": [2, {"d": null}]},
 "e": "f"}
`, `
a: ["a": 1] [ 1⏎] ["a": 1] shares
b: ["b": {"c": [2, {"d": null}]}] [ {"c": [2, {"d": null}]}⏎] ["b": {"c": [2, {"d": null}]}] shares flow takes
c: ["c": [2, {"d": null}]] [ [2, {"d": null}]⏎] ["c": [2, {"d": null}]] shares flow
d: ["d": null] [ null⏎] ["d": null] shares
e: ["e": "f"] [ "f"⏎] ["e": "f"] shares
`},
	{"JSON with comments", true, `
{
  // a
  "b": [1, 2,], /* c */
  "d": {}
}
`, `
b: ["b": [1, 2,]] [ [1, 2,]⏎] ["b": [1, 2,]] shares flow
d: ["d": {}] [ {}⏎] ["d": {}] shares flow takes
`},
	{"what breaks off", true, `
{"a": {"b": [1, "c`, `
a: ["a": {"b": [1, "c] [ {"b": [1, "c⏎] ["a": {"b": [1, "c] shares flow takes
b: ["b": [1, "c] [ [1, "c⏎] ["b": [1, "c] shares flow
`},
}
