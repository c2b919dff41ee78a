package find

import "testing"

// The words of a command are read together, however it is written.
func TestCommandsAsLists(t *testing.T) { reads(t, commandsAsListsRead) }

var commandsAsListsRead = []reading{
	{"arguments behind a command", "a.yaml", `
command: [kubectl, get]
args: [figs.old.example.com]
---
command: [echo]
args: [figs.old.example.com]
---
words: [kubectl, get, figs.old.example.com]
`, `
2:8 object figs.old.example.com of figs
5:8 perhaps-resource figs.old.example.com of figs
7:23 perhaps-resource figs.old.example.com of figs
`},
	{"arguments that name the parts of a group", "a.yaml", `
args: [--group=old.example.com, --kind=Apple, --version=v1]
---
args: [--api-group, old.example.com, --api-version, v1, --kind, apple]
---
args: [--group=old.example.com, --resource, apples, --plural, cherries]
---
args: [--group=old.example.com, --version=1.2, --resource=Apples]
---
args: [--group=old.example.com, --kind, Apple, --kind=Cherry]
---
args: [--group=old.example.com/v1, --kind=Cherry]
---
args: ["--group=old.example.com", "--kind=\x41pple"]
`, `
1:16 group old.example.com of v1 Apple with Apple with v1
3:21 group-or-key old.example.com of v1 with v1
5:16 group old.example.com of apples with apples
7:16 group old.example.com
9:16 group old.example.com of Apple with Apple
11:16 said-version old.example.com/v1
13:17 group old.example.com
`},
	{"lines that go on", "a.txt", `
kubectl get \
  pods,apples.old.example.com
kubectl get pods \\
  figs.old.example.com
echo \
 figs.old.example.com \
`, `
2:8 resource apples.old.example.com
4:3 perhaps-resource figs.old.example.com of figs
6:2 perhaps-resource figs.old.example.com of figs
`},
	{"a list of words in a Dockerfile", "Dockerfile", `
CMD ["kubectl", "get", "figs.old.example.com"]
LABEL ["kubectl", "get", "figs.old.example.com"]
`, `
1:25 object figs.old.example.com of figs
2:27 key figs.old.example.com
`},
	{"objects and signers in strings", "a.go", `
package a

var a = []string{"pod/x", "apples.old.example.com/x"}
var b = []string{"x", "apples.old.example.com/x"}
var signerName = "figs.old.example.com/x"
var signerPrefix = "figs.old.example.com/"
var prefix = "apples.old.example.com/"
var prefixes = []string{"pod/x", "apples.old.example.com/"}
var name = "figs.old.example.com/" + version
`, `
3:28 argument apples.old.example.com of apples
4:24 doubt apples.old.example.com
5:19 key figs.old.example.com/x
6:21 agreed-name figs.old.example.com
7:15 doubt apples.old.example.com
8:35 resource apples.old.example.com
9:13 another-group figs.old.example.com
`},
}
