#!/bin/sh
# A real kube-apiserver and kube-controller-manager, built from their module
# into .cache/e2e once, and Debian's etcd. The tests start them themselves;
# nothing is left running.
set -eu
case "${1:-}" in
install) ;;
*)
	echo "usage: $0 install" >&2
	exit 2
	;;
esac
if ! command -v etcd >/dev/null || ! command -v openssl >/dev/null; then
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends etcd-server openssl
	service etcd stop >/dev/null 2>&1 || true
fi
version=v1.36.3
staging=v0.36.3
dir=$(cd "$(dirname "$0")/../.." && pwd)/.cache/e2e/kas
[ -x "$dir/kube-apiserver" ] && [ -x "$dir/kube-controller-manager" ] && exit 0
mkdir -p "$dir"
cd "$dir"
[ -f go.mod ] || go mod init kas
rm -f main.go
while read -r name command; do
	mkdir -p "cmd/$name"
	cat >"cmd/$name/main.go" <<GO
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/$name/app"
)

func main() { os.Exit(cli.Run(app.$command())) }
GO
done <<'MAINS'
kube-apiserver NewAPIServerCommand
kube-controller-manager NewControllerManagerCommand
MAINS
go mod edit -require=k8s.io/kubernetes@$version
for m in api apiextensions-apiserver apimachinery apiserver cli-runtime client-go cloud-provider cluster-bootstrap \
	code-generator component-base component-helpers controller-manager cri-api cri-client cri-streaming \
	csi-translation-lib dynamic-resource-allocation endpointslice externaljwt kms kube-aggregator \
	kube-controller-manager kube-proxy kube-scheduler kubectl kubelet metrics mount-utils pod-security-admission \
	sample-apiserver sample-cli-plugin sample-controller streaming; do
	go mod edit -replace=k8s.io/$m=k8s.io/$m@$staging
done
go mod tidy -e
for name in kube-apiserver kube-controller-manager; do
	nice go build -ldflags "-X k8s.io/component-base/version.gitVersion=$version -X k8s.io/client-go/pkg/version.gitVersion=$version" -o "$name" "./cmd/$name"
done
