package find

import "testing"

// What a name is in documents for people, and in notebooks.
func TestDocuments(t *testing.T) { reads(t, documentsRead) }

var documentsRead = []reading{
	{"the end of emphasis, and of the names of files", "a.md", `
see _the group of old.example.com_
`, `
1:19 mention old.example.com
`},
	{"fences", "a.md", `
# Apples

~~~yaml
apiVersion: old.example.com/v1
kind: Apple
~~~

~~~sh
kubectl get apples.old.example.com
~~~

~~~go
var g = "old.example.com"
~~~

~~~json
{"apiVersion": "old.example.com/v1", "kind": "Apple"}
~~~
`, `
4:13 api-version old.example.com/v1 of Apple with Apple
9:13 resource apples.old.example.com
13:10 literal old.example.com
17:17 api-version old.example.com/v1 of Apple with Apple
`},
	{"fences in lists and quotations", "a.md", `
1. First

   ~~~yaml
   apiVersion: old.example.com/v1
   kind: Apple
   ~~~

> ~~~yaml
> apiVersion: old.example.com/v1
> kind: Cherry
> ~~~
`, `
4:16 api-version old.example.com/v1 of Apple with Apple
9:15 api-version old.example.com/v1 of Cherry with Cherry
`},
	{"code without a fence", "a.md", `
See

    kind: ClusterRole
    rules:

    - apiGroups: [old.example.com]
      resources: [apples]
    kind of old.example.com
The group old.example.com
    rules of old.example.com

    as old.example.com
`, `
6:19 permissions old.example.com
8:13 mention old.example.com
9:11 group old.example.com
10:14 mention old.example.com
12:8 mention old.example.com
`},
	{"a fence of no language", "a.md", `
~~~
apiVersion: old.example.com/v1
kind: Apple
~~~
~~~text
cat <<EOF
apiVersion: old.example.com/v1
EOF
~~~
`, `
2:13 api-version old.example.com/v1 of Apple with Apple
7:13 api-version old.example.com/v1
`},
	{"a fence that does not end", "a.md", `
~~~yaml
apiVersion: old.example.com/v1
kind: Apple
`, `
2:13 api-version old.example.com/v1 of Apple with Apple
`},
	{"a patch in a fence", "a.md", `
~~~diff
-apiVersion: old.example.com/v1
+apiVersion: next.example.com/v1
~~~
`, `
2:14 said-version old.example.com/v1
3:14 said-version next.example.com/v1
`},
	{"prose", "a.md", `
The ‵old.example.com‵ API group has apples.old.example.com, an old.example.com/v1 Apple.
It was ‵old.example.com/v1‵. Ask me@old.example.com or see [docs](https://old.example.com/v1).
The label ‵old.example.com/name‵ stays, as does the annotation old.example.com/note=x.
`, `
1:6 group old.example.com
1:37 resource apples.old.example.com
1:64 said-version old.example.com/v1 of Apple
2:9 said-version old.example.com/v1
2:37 email old.example.com
2:75 host old.example.com
3:12 key old.example.com/name
3:64 key old.example.com/note
`},
	{"a table", "a.md", `
| group | kind | version |
|---|---|---|
| old.example.com | Apple | v1 |
| ‵old.example.com/v1‵ | Cherry | |
`, `
3:3 group old.example.com
4:4 said-version old.example.com/v1
`},
	{"links into a reference", "a.md", `
See [Apple](api.md#old.example.com/v1.Apple) and [all](#old.example.com/v1).
`, `
1:20 anchor old.example.com/v1.Apple
1:57 said-version old.example.com/v1
`},
	{"lines of code in prose", "a.md", `
Run ‵kubectl get apples.old.example.com‵ or ‵GET /apis/old.example.com/v1/apples‵.
`, `
1:18 resource apples.old.example.com
1:56 rest-path old.example.com/v1 of apples with apples
`},
	{"text of another kind", "a.rst", `
Apples
======

::

   apiVersion: old.example.com/v1
   kind: Apple

Use ‵‵old.example.com/v1‵‵ for the old.example.com API group.
`, `
6:16 api-version old.example.com/v1 of Apple with Apple
9:7 said-version old.example.com/v1
9:36 group old.example.com
`},
	{"AsciiDoc", "a.adoc", `
[source,yaml]
----
apiVersion: old.example.com/v1
kind: Apple
----
`, `
3:13 api-version old.example.com/v1 of Apple with Apple
`},
	{"text without a name", "LICENSE", `
Copyright old.example.com, see old.example.com/v1 and apples.old.example.com.
`, `
1:11 mention old.example.com
1:32 said-version old.example.com/v1
1:55 resource apples.old.example.com
`},
	{"a module file", "go.mod", `
module old.example.com/v1

require old.example.com/apple v1.0.0 // indirect
`, `
1:8 module-path old.example.com/v1
3:9 module-path old.example.com/apple
`},
	{"code of a notebook", "a.ipynb", `
{"cells": [
 {"cell_type": "code", "source": ["group = \"old.example.com\"\n", "version = \"v1\"\n"], "outputs": [{"text": ["apple.old.example.com/x created\n"]}]},
 {"cell_type": "code", "source": "api = 'old.example.com/v1'"}
]}
`, `
2:46 literal old.example.com of v1 with v1
2:114 object apple.old.example.com/x
3:42 literal old.example.com/v1
`},
	{"shell of a notebook", "a.ipynb", `
{"cells": [
 {"cell_type": "code", "source": ["%%bash\n", "kubectl get apples.old.example.com\n"]},
 {"cell_type": "code", "source": ["!kubectl get apples.old.example.com"]},
 {"cell_type": "code", "source": ["%%writefile a.yaml\n", "apiVersion: old.example.com/v1\n", "kind: Apple\n"]}
]}
`, `
2:60 resource apples.old.example.com
3:49 resource apples.old.example.com
4:72 api-version old.example.com/v1 of Apple with Apple
`},
	{"text of a notebook", "a.ipynb", `
{"cells": [
 {"cell_type": "markdown", "source": ["~~~yaml\n", "apiVersion: old.example.com/v1\n", "kind: Apple\n", "~~~\n"]},
 {"cell_type": "raw", "source": ["apiVersion: old.example.com/v1\n", "kind: Apple\n"]}
], "metadata": {"group": "old.example.com"}}
`, `
2:65 api-version old.example.com/v1 of Apple with Apple
3:47 api-version old.example.com/v1 of Apple with Apple
4:27 group old.example.com
`},
	{"results of a notebook", "a.ipynb", `
{"cells": [{"cell_type": "code", "source": [], "outputs": [
 {"data": {"text/plain": ["{'apiVersion': 'old.example.com/v1', 'kind': 'Apple'}"], "text/html": "<a href=\"#old.example.com/v1\">"}},
 {"traceback": ["NotFound: apples.old.example.com \"x\""]}
]}]}
`, `
2:44 said-version old.example.com/v1 of Apple with Apple
2:110 said-version old.example.com/v1
3:28 resource apples.old.example.com
`},
	{"JSON", "a.json", `
{
  "apiVersion": "old.example.com\/v1", // of apples
  "kind": "Apple",
  "metadata": {"labels": {"old.example.com/name": "x"}},
  "inner": "{\"apiVersion\": \"old.example.com/v1\", \"kind\": \"Cherry\"}"
}
`, `
2:18 api-version old.example.com\/v1 of Apple with Apple
4:28 yaml-key old.example.com/name
5:32 api-version old.example.com/v1 of Cherry with Cherry
`},
	{"JSON that breaks off", "a.json", `
{"apiVersion": "old.example.com/v1", "kind": "App
`, `
1:17 api-version old.example.com/v1
`},
}
