#!/bin/sh
# What the tests of the packages use: goreleaser and syft, built from their
# modules into .cache/e2e/bin once, and Debian's tools that lint and install.
set -eu
goreleaser=v2.16.0
syft=v1.57.0
case "${1:-}" in
install) ;;
*)
	echo "usage: $0 install" >&2
	exit 2
	;;
esac
missing=
for pair in lintian:lintian rpm:rpm man:man-db curl:curl pre-commit:pre-commit \
	/usr/share/bash-completion/bash_completion:bash-completion; do
	command -v "${pair%%:*}" >/dev/null || [ -e "${pair%%:*}" ] || missing="$missing ${pair##*:}"
done
if [ -n "$missing" ]; then
	apt-get update -qq
	# shellcheck disable=SC2086 # a list of words
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
fi
GOBIN=$(cd "$(dirname "$0")/../.." && pwd)/.cache/e2e/bin
export GOBIN
[ -x "$GOBIN/goreleaser" ] || nice go install github.com/goreleaser/goreleaser/v2@$goreleaser
[ -x "$GOBIN/syft" ] || nice go install github.com/anchore/syft/cmd/syft@$syft
