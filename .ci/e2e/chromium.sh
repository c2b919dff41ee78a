#!/bin/sh
# Debian's chromium, in which the tests open the status page of a release.
set -eu
case "${1:-}" in
install)
	command -v chromium >/dev/null && exit 0
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium
	;;
*)
	echo "usage: $0 install" >&2
	exit 2
	;;
esac
