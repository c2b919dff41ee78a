package find

import "testing"

// Values that are more than a name, and names that are joined to others, are read by
// what is written beside them.
func TestValuesOfMore(t *testing.T) { reads(t, valuesOfMoreRead) }

var valuesOfMoreRead = []reading{
	{"values of one word", "a.yaml", `
file: crd/old.example.com_apples.yaml
apis: Apple.v1.old.example.com,Cherry.v1.old.example.com
finalizers: [x/old.example.com/f]
labels: {a: old.example.com/v1:x, b: x.old.example.com:1}
topologyKey: old.example.com/zone,x
host: apples.old.example.com:443
image: old.example.com/v1:latest
args: [--api-group=old.example.com, --host=old.example.com]
`, `
1:11 crd-file old.example.com_apples.yaml
2:7 resource Apple.v1.old.example.com
2:32 resource Cherry.v1.old.example.com
3:16 finalizer old.example.com/f
4:13 label-word old.example.com/v1
4:38 label-word x.old.example.com
5:14 key old.example.com/zone
6:7 host-name apples.old.example.com
7:8 path old.example.com/v1
8:20 group old.example.com
8:44 other-name old.example.com
`},
	{"conditions and what is like them", "a.yaml", `
conditions:
- {type: old.example.com/Ready, reason: old.example.com/Done}
- {reason: old.example.com/Done}
event: {type: Warning, reason: old.example.com/Done}
conditionType: old.example.com/Ready
kinds: {type: old.example.com/Apple}
`, `
2:10 condition old.example.com/Ready
2:41 condition old.example.com/Done
3:12 condition old.example.com/Done
4:32 condition old.example.com/Done
5:16 condition old.example.com/Ready
6:15 group old.example.com/Apple
`},
	{"cells whose lines are strings", "a.ipynb", `
{"cells": [
{"cell_type": "code", "source": ["kind = 'Apple'\n",
"v = 'old.example.com/v1'\n",
"f\"{kind} of old.example.com/v1\""]},
{"cell_type": "code", "source": []},
{"cell_type": "code", "source": ["%%writefile a.yaml\n", "apiVersion: old.example.com/v1\n", "kind: Apple\n"]}
]}
`, `
3:7 literal old.example.com/v1 of Apple with Apple
4:15 said-version old.example.com/v1
6:71 api-version old.example.com/v1 of Apple with Apple
`},
	{"named templates", "templates/_helpers.tpl", `
{{- define "x.apiVersion" -}}
old.example.com/v1
{{- end }}
{{- define "x.apiGroup" -}}
old.example.com
{{- end }}
{{- define "x.host" -}}
old.example.com
{{- end }}
`, `
2:1 api-version old.example.com/v1 loose Apple Cherry
5:1 group old.example.com loose Apple Cherry
8:1 yaml-value old.example.com
`},
	{"names that are joined", "a.go", `
package a

var (
	a = "apples" + "." + "old.example.com"
	b = "apples." + "old.example.com"
	c = "old.example.com" + "/" + "v1"
	d = "x" + "." + "old.example.com"
	e = fmt.Sprintf("%s.%s", "cherries", "old.example.com")
)
`, `
4:24 literal old.example.com of apples with apples
5:19 literal old.example.com of apples with apples
6:7 literal old.example.com of v1 with v1
7:19 literal old.example.com
8:40 literal old.example.com of cherries with cherries
`},
	{"parts by their names", "a.py", `
api(group="old.example.com", version="v1", plural="apples")
api(group="old.example.com", version="one", plural="Apples")
api.with_group("old.example.com").with_version("v1").with_kind("Apple")
api.with_group("old.example.com").with_zone("v1")
`, `
1:12 literal old.example.com of v1 apples with v1 with apples
2:12 literal old.example.com
3:17 literal old.example.com of v1 Apple with v1 with Apple
4:17 literal old.example.com
`},
	{"kinds of a console", "a.ts", `
const a = '/k8s/ns/x/old.example.com~v1~Apple';
const b = 'old.example.com~v1~Apple/one';
const c = 'old.example.com~v1';
const d = 'old.example.com~beta~Apple';
`, `
1:22 group old.example.com~v1~Apple
2:12 group old.example.com~v1~Apple
3:12 mention old.example.com
4:12 mention old.example.com
`},
	{"commands that explain", "a.sh", `
kubectl explain apple.spec --api-version=old.example.com/v1
kubectl explain apples --api-version old.example.com/v1
kubectl explain --api-version=old.example.com/v1 cherry
kubectl get apples --api-version=old.example.com/v1
`, `
1:42 said-version old.example.com/v1 of Apple with apple
2:38 said-version old.example.com/v1 of apples with apples
3:31 said-version old.example.com/v1 of Cherry with cherry
4:34 said-version old.example.com/v1
`},
	{"ends that are asked for", "a.js", `
if (crd.metadata.name.endsWith(".old.example.com")) {}
if (url.hostname.endsWith(".old.example.com")) {}
if (it.endsWith(".old.example.com")) {}
if (it.startsWith("old.example.com")) {}
`, `
1:34 doubt old.example.com
2:29 other-name old.example.com
3:19 doubt old.example.com
4:20 literal old.example.com
`},
	{"settings of Terraform", "a.tf", `
resource "kubernetes_manifest" "x" {
  manifest = {
    apiVersion = "old.example.com/v1"
    kind       = "Apple"
  }
}
resource "kubernetes_cluster_role" "x" {
  rule {
    api_groups = ["old.example.com"]
    resources  = ["apples"]
    verbs      = ["get"]
  }
}
resource "aws_route53_record" "x" {
  name = "old.example.com"
}
`, `
3:19 literal old.example.com/v1 of Apple with Apple
9:20 literal old.example.com of apples with apples apart apples
15:11 host-name old.example.com
`},
	{"settings of Rust", "a.rs", `
#[kube(group = "old.example.com", version = "v1", kind = "Apple")]
struct AppleSpec {}
let gvk = GroupVersionKind::gvk("old.example.com", "v1", "Cherry");
let p = PatchParams::apply("old.example.com");
`, `
1:17 literal old.example.com of v1 Apple with v1 with Apple
3:34 literal old.example.com of v1 Cherry with v1 with Cherry
4:29 agreed-name old.example.com
`},
	{"defaults of a shell", "a.sh", `
GROUP="${GROUP:-old.example.com}"
VERSION=v1
kubectl get "apples.$GROUP"
API_GROUP=${API_GROUP:=old.example.com}
HOST=${SMTP_HOST:-old.example.com}
NAME="${PREFIX}-old.example.com"
export SMTP_HOST=old.example.com
nslookup old.example.com
`, `
1:17 literal old.example.com
4:24 literal old.example.com
5:19 other-name old.example.com
6:17 longer-name old.example.com
7:18 other-name old.example.com
8:10 host-name old.example.com
`},
	{"objects of a Dockerfile", "Dockerfile", `
FROM old.example.com/v1:latest
COPY crd/old.example.com_apples.yaml /crd/
ENV API_GROUP=old.example.com
LABEL old.example.com/v1=x
RUN kubectl get apples.old.example.com
`, `
1:6 path old.example.com/v1
2:10 crd-file old.example.com_apples.yaml
3:15 group old.example.com
4:7 key old.example.com/v1
5:17 resource apples.old.example.com
`},
	{"kinds of a PromQL query", "rules.yaml", `
groups:
- name: old.example.com
  rules:
  - expr: sum(kube_customresource_info{customresource_group=~"apps|old.example.com"}) by (group)
  - expr: up{host=~"a|old.example.com"}
  - expr: x{group="old.example.com", version="v1", kind="Apple"}
`, `
2:9 yaml-other old.example.com
4:68 group old.example.com
5:23 mention old.example.com
6:20 group old.example.com of v1 Apple with v1 with Apple
`},
}
