package find

import "testing"

// What a name is in a path, in the name of a file and in a list of them.
func TestFilesAndFolders(t *testing.T) { reads(t, filesAndFoldersRead) }

var filesAndFoldersRead = []reading{
	{"files of CRDs", "kustomization.yaml", `
resources:
- ../crd/old.example.com_apples.yaml
- old.example.com_cherries.yaml
- github.com/x/y/config/crd/bases/old.example.com_apples.yaml?ref=v1
`, `
2:10 crd-file old.example.com_apples.yaml
3:3 crd-file old.example.com_cherries.yaml
4:35 crd-file old.example.com_apples.yaml
`},
	{"files in a script", "run.sh", `
cp config/crd/bases/old.example.com_apples.yaml out/
for f in crds/old.example.com_*; do kubectl apply -f "$f"; done
test -f "$DIR/old.example.com_apples.yaml" || exit 1
`, `
1:21 crd-file old.example.com_apples.yaml
2:15 crd-files old.example.com
3:15 crd-file old.example.com_apples.yaml
`},
	{"files in code", "a.go", `
package a

var files = []string{filepath.Join("crd", "old.example.com_apples.yaml"), "crd/bases/old.example.com_cherries.yaml"}

//go:embed crd/old.example.com_apples.yaml
var crd []byte
`, `
3:44 crd-file old.example.com_apples.yaml
3:86 crd-file old.example.com_cherries.yaml
5:16 crd-file old.example.com_apples.yaml
`},
	{"files in documents", "a.md", `
See [the CRD](config/crd/bases/old.example.com_apples.yaml) and ‵crd/old.example.com_cherries.yaml‵.
`, `
1:32 crd-file old.example.com_apples.yaml
1:70 crd-file old.example.com_cherries.yaml
`},
	{"folders of a group", "run.sh", `
ls must-gather/cluster-scoped-resources/old.example.com/apples
cat namespaces/x/apples.old.example.com/y.yaml
cd pkg/apis/old.example.com
`, `
1:41 path old.example.com/apples
2:18 path apples.old.example.com
3:13 import-like-path old.example.com
`},
	{"paths of an image", "a.yaml", `
image: old.example.com/apple:v1
containers:
- image: registry.dev/old.example.com/apple@sha256:0
imageRef: old.example.com/v1
`, `
1:8 key old.example.com/apple
3:23 key old.example.com/apple
4:11 api-version old.example.com/v1
`},
	{"URLs", "a.md", `
[a](https://old.example.com/v1) [b](https://docs.old.example.com) [c](https://x.dev/apis/old.example.com/v1/apples)
[d](https://github.com/x/y/tree/main/config/crd/bases/old.example.com_apples.yaml) <http://old.example.com>
`, `
1:13 host old.example.com
1:45 host docs.old.example.com
1:90 rest-path old.example.com/v1 of apples with apples
2:55 crd-file old.example.com_apples.yaml
2:92 host old.example.com
`},
	{"patterns", "a.yaml", `
paths: ["config/crd/bases/old.example.com_*.yaml", "**/old.example.com/**"]
exclude: ^old\.example\.com/
`, `
1:27 crd-files old.example.com
1:56 key old.example.com/
`},
	{"what a test expects on a terminal", "a.txt", `
NAME                     CREATED AT
apples.old.example.com   2024-01-01T00:00:00Z
customresourcedefinition.apiextensions.k8s.io/apples.old.example.com created
apple.old.example.com/x configured
error: the server doesn't have a resource type "apples" in group "old.example.com"
`, `
2:1 resource apples.old.example.com
3:47 resource apples.old.example.com
4:1 object apple.old.example.com/x
5:67 group old.example.com
`},
}
