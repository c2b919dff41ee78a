package find

import "testing"

// A value that is spelled with escapes, over lines or by a template is read as what it
// says, by its key.
func TestSpelledValues(t *testing.T) { reads(t, spelledValuesRead) }

var spelledValuesRead = []reading{
	{"escapes", "a.yaml", `
apiVersion: "old.example.com/v\x31"
---
group: "old.example.com\x20"
---
apiVersion: "old.example.com\
  /v1"
---
groups: ["old.example.com\
  "]
---
group: "old.example.com\
  "
---
apiVersion: "of old.example.com/v\x31"
---
name: "old.example.com\
  "
`, `
1:14 api-version old.example.com/v1
3:9 mention old.example.com
5:14 api-version old.example.com/v1
8:11 doubt old.example.com
11:9 group old.example.com
14:17 said-version old.example.com/v1
16:8 mention old.example.com
`},
	{"versions that a template fills in", "templates/a.yaml", `
apiVersion: old.example.com/{{ .v }}
kind: Apple
---
apiVersion: {{ .x }}old.example.com/{{ .v }}
kind: Apple
---
apiVersion: old.example.com/v1{{ .v }}
kind: {{ .k | default "Apple" }}
---
apiVersion: '{{ .g | default "old.example.com" }}'
kind: Cherry
`, `
1:13 version-head old.example.com of Apple with Apple
4:21 key old.example.com/
7:13 api-version old.example.com/v1 of Apple with Apple
10:31 group old.example.com loose Cherry
`},
	{"words of a value", "a.yaml", `
labels: {a: old.example.com/v1, b: x=old.example.com/v1, c: "x,apples.old.example.com"}
image: apples.old.example.com/x:1
host: x.apples.old.example.com:80
kinds: [old.example.com/*/*, x.old.example.com/*/*]
finalizers: [a, old.example.com/v1]
`, `
1:13 label-value old.example.com/v1
1:38 said-version old.example.com/v1
1:64 resource apples.old.example.com
2:8 path apples.old.example.com
3:7 longer-domain x.apples.old.example.com
4:9 every-kind old.example.com
4:30 perhaps-resource x.old.example.com of x
5:17 finalizer old.example.com/v1
`},
	{"lists of kinds by their names", "a.go", `
package a

var a = map[schema.GroupVersionResource]string{{Group: "old.example.com", Resource: "apples"}: "Apples"}
var b = x["old.example.com/v1"]["Apple"]
var c = x["old.example.com/v1"].Cherry
var d = kind == Apple && group == "old.example.com"
`, `
3:57 literal old.example.com of apples with apples apart apples
4:12 literal old.example.com/v1 of Apple with Apple
5:12 literal old.example.com/v1 of Cherry with Cherry
6:36 literal old.example.com of Apple with Apple loose Apple
`},
}
