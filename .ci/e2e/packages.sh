#!/bin/sh
# What the tests of the packages use: goreleaser, built from its module into
# .cache/e2e/bin once, and Debian's tools that lint and install. "install-all"
# has syft built too, for the bill of materials; that takes minutes more.
set -eu
goreleaser=v2.16.0
syft=v1.32.0 # the newest that the Go proxy has all modules of
case "${1:-}" in
install | install-all) ;;
*)
	echo "usage: $0 install|install-all" >&2
	exit 2
	;;
esac
missing=
for pair in lintian:lintian rpmlint:rpmlint rpm:rpm curl:curl pre-commit:pre-commit \
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
[ "$1" = install ] || [ -x "$GOBIN/syft" ] || nice go install github.com/anchore/syft/cmd/syft@$syft
