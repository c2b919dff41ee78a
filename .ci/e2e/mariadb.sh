#!/bin/sh
# Debian's MariaDB, for the import of pipelines from a real database. The
# tests start it themselves; nothing is left running.
set -eu
case "${1:-}" in
install)
	command -v mariadbd >/dev/null && exit 0
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends mariadb-server
	service mariadb stop >/dev/null 2>&1 || true
	;;
*)
	echo "usage: $0 install" >&2
	exit 2
	;;
esac
