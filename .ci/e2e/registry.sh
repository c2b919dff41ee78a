#!/bin/sh
# Debian's docker-registry, for the tests of images against a real registry.
# The tests start it themselves; nothing is left running.
set -eu
case "${1:-}" in
install)
	command -v docker-registry >/dev/null && exit 0
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends docker-registry
	service docker-registry stop >/dev/null 2>&1 || true
	;;
*)
	echo "usage: $0 install" >&2
	exit 2
	;;
esac
