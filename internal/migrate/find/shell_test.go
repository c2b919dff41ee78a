package find

import "testing"

// What a name is in a script, a Makefile or a Dockerfile.
func TestShell(t *testing.T) { reads(t, shellRead) }

var shellRead = []reading{
	{"commands", "run.sh", `
kubectl get apples.old.example.com -A
kubectl get apples.v1.old.example.com/x
kubectl delete crd apples.old.example.com cherries.old.example.com
kubectl explain --api-version=old.example.com/v1 apples
kubectl api-resources --api-group=old.example.com
`, `
1:13 resource apples.old.example.com
2:13 resource apples.v1.old.example.com
3:20 resource apples.old.example.com
3:43 resource cherries.old.example.com
4:31 said-version old.example.com/v1 of apples with apples
5:35 group old.example.com
`},
	{"commands over several lines", "run.sh", `
kubectl get \
  apples.old.example.com/x
kubectl create clusterrole x \
  --verb=get \
  --resource=jobs.batch/status,figs.old.example.com/status,pods/status
kubectl annotate pod p \
  figs.old.example.com=x \
  old.example.com/y-
# kubectl get \
#   figs.old.example.com/x
kubectl get figs \\
figs.old.example.com/x
ctl --group old.example.com \
  --kind Apple
`, `
2:3 resource apples.old.example.com
5:32 object figs.old.example.com/status of figs
7:3 key figs.old.example.com
8:3 key old.example.com/y
10:5 object figs.old.example.com/x of figs
12:1 key figs.old.example.com/x
13:13 group old.example.com of Apple with Apple
`},
	{"what labels are set on", "run.sh", `
kubectl label crd figs.old.example.com plums.old.example.com x.old.example.com=y --overwrite
kubectl -n x annotate figs.old.example.com/z old.example.com/x-
kubectl label figs.old.example.com/z -l figs.old.example.com
`, `
1:19 object figs.old.example.com of figs
1:40 object plums.old.example.com of plums
1:62 key x.old.example.com
2:23 object figs.old.example.com/z of figs
2:46 key old.example.com/x
3:15 object figs.old.example.com/z of figs
3:41 key figs.old.example.com
`},
	{"variables for a resource", "run.sh", `
kubectl get "$kind.old.example.com" -A
kubectl get "${kind}.${V}.old.example.com"
bash -c "kubectl get \"${kind}.v1.old.example.com\""
x="$kind.old.example.com"
kubectl label pod p "$kind.old.example.com/x=y"
HOST=${name}.old.example.com
`, `
1:20 any-resource old.example.com loose Apple Cherry
2:27 any-resource old.example.com loose Apple Cherry
3:32 any-resource v1.old.example.com loose Apple Cherry
4:5 doubt kind.old.example.com
5:23 key kind.old.example.com/x
6:14 other-name old.example.com
`},
	{"the words of a Dockerfile", "Dockerfile", `
ENTRYPOINT ["kubectl", "get", "figs.old.example.com/x"]
LABEL ["kubectl", "get", "figs.old.example.com/x"]
`, `
1:32 object figs.old.example.com/x of figs
2:27 key figs.old.example.com/x
`},
	{"functions that speak of domains", "run.sh", `
source x.sh && injectDomainRestrictions "old.example.com"
injectGroups "old.example.com"
`, `
1:42 other-name old.example.com
2:15 literal old.example.com
`},
	{"labels and selectors", "run.sh", `
kubectl get pods -l old.example.com/name=x
kubectl label pod x old.example.com/name=y old.example.com/other-
kubectl annotate pod x old.example.com/note="a b"
kubectl wait --for=condition=old.example.com/Ready apple/x
`, `
1:21 key old.example.com/name
2:21 key old.example.com/name
2:44 key old.example.com/other
3:24 key old.example.com/note
4:30 condition old.example.com/Ready
`},
	{"assignments", "run.sh", `
GROUP=old.example.com
export API_GROUP="old.example.com"
HOST=old.example.com
LABEL='old.example.com/name'
VERSION="${GROUP:-old.example.com}/v1"
`, `
1:7 group old.example.com
2:19 group old.example.com
3:6 other-name old.example.com
4:8 key old.example.com/name
5:19 literal old.example.com loose v1
`},
	{"a here document", "run.sh", `
cat <<EOF | kubectl apply -f -
apiVersion: old.example.com/v1
kind: Apple
metadata:
  name: $NAME
EOF
echo "old.example.com"
`, `
2:13 api-version old.example.com/v1 of Apple with Apple
7:7 literal old.example.com
`},
	{"here documents that are indented or quoted", "run.sh", `
cat <<-'A'
	apiVersion: old.example.com/v1
	kind: Apple
	A
cat <<"B" <<C
group: old.example.com
B
old.example.com/v1
C
`, `
2:14 api-version old.example.com/v1 of Apple with Apple
6:8 group old.example.com
8:1 said-version old.example.com/v1
`},
	{"a here document that does not end", "run.sh", `
cat <<EOF
apiVersion: old.example.com/v1
kind: Apple
`, `
2:13 said-version old.example.com/v1 of Apple with Apple
`},
	{"JSON for a patch", "run.sh", `
kubectl patch apple x --type=merge -p '{"apiVersion":"old.example.com/v1","kind":"Apple"}'
curl -H 'Accept: application/json' "$API/apis/old.example.com/v1/namespaces/$NS/apples"
curl https://old.example.com/v1
`, `
1:55 api-version old.example.com/v1 of Apple with Apple
2:47 rest-path old.example.com/v1 of apples with apples
3:14 host old.example.com
`},
	{"JSON in quotes over lines", "run.sh", `
kubectl patch crd x --type=json -p '
[{"op": "replace", "path": "/spec/group", "value": "old.example.com"}]'
oc apply -f '{"apiVersion": "old.example.com/v1", "kind": "Cherry", "x": '$Y'}' # '{"a": "old.example.com"}'
`, `
2:53 group old.example.com
3:30 said-version old.example.com/v1 of Cherry
3:91 yaml-value old.example.com
`},
	{"comments", "run.sh", `
# the group old.example.com, apples.old.example.com
# apiVersion: old.example.com/v1
`, `
1:13 group old.example.com
1:30 resource apples.old.example.com
2:15 said-version old.example.com/v1
`},
	{"a Makefile", "Makefile", `
GROUP ?= old.example.com
crds: config/crd/bases/old.example.com_apples.yaml
	controller-gen crd paths=./api/old.example.com/v1/...
	kubectl delete crd apples.old.example.com
`, `
1:10 literal old.example.com
2:24 crd-file old.example.com_apples.yaml
3:33 import-like-path old.example.com/v1
4:21 resource apples.old.example.com
`},
	{"a Dockerfile", "Dockerfile", `
FROM old.example.com/base:v1
LABEL old.example.com/name="x" maintainer="me@old.example.com"
ENV API_GROUP=old.example.com
`, `
1:6 key old.example.com/base
2:7 key old.example.com/name
2:47 email old.example.com
3:15 group old.example.com
`},
	{"what a command prints", "run.sh", `
apple.old.example.com/x created
apple.old.example.com/x   5m
Error: no matches for kind "Apple" in version "old.example.com/v1"
`, `
1:1 object apple.old.example.com/x
2:1 object apple.old.example.com/x
3:48 said-version old.example.com/v1 of Apple
`},
	{"names that go on", "run.sh", `
kubectl get $kind.old.example.com
kubectl get crd/apples.old.example.com
rm -r config/crd/bases/old.example.com_*.yaml
cd pkg/apis/old.example.com/v1
`, `
1:19 any-resource old.example.com loose Apple Cherry
2:17 resource apples.old.example.com
3:24 crd-files old.example.com
4:13 import-like-path old.example.com/v1
`},
}
