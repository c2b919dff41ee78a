#!/bin/sh
# A real Gitea, built from its module into .cache/e2e/gitea once (three minutes
# on two cores), for the tests of the forge of that kind.
#
#   gitea.sh install   builds it
#   gitea.sh start     runs it in the foreground in the folder DIR on 127.0.0.1:PORT;
#                      prints one line first: {"token": TOKEN} of its administrator rita
set -eu
dir=$(cd "$(dirname "$0")/../.." && pwd)/.cache/e2e/gitea
version=v1.26.0
case "${1:-}" in
install)
	[ -x "$dir/gitea" ] && exit 0
	if ! command -v gcc >/dev/null; then
		apt-get update -qq
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends gcc libc6-dev
	fi
	mkdir -p "$dir"
	cd "$dir"
	module=$(go mod download -json "code.gitea.io/gitea@$version" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
	rm -rf static && mkdir static
	cp -R "$module/options" "$module/templates" "$module/public" static/
	chmod -R u+w static
	cd "$module"
	CGO_ENABLED=1 nice go build -tags 'sqlite sqlite_unlock_notify' -o "$dir/gitea" .
	;;
start)
	cat >"$DIR/app.ini" <<INI
RUN_USER = $(id -un)
I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true
WORK_PATH = $DIR
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = $PORT
ROOT_URL = http://127.0.0.1:$PORT/
STATIC_ROOT_PATH = $dir/static
DISABLE_SSH = true
OFFLINE_MODE = true
[database]
DB_TYPE = sqlite3
[repository]
ROOT = $DIR/repositories
[security]
INSTALL_LOCK = true
SECRET_KEY = for-tests-alone
[log]
LEVEL = error
[cron]
ENABLED = false
[actions]
ENABLED = false
[indexer]
ISSUE_INDEXER_TYPE = db
INI
	# It writes git's global configuration: that of its own folder, never one that
	# the environment names (GIT_CONFIG_GLOBAL=/dev/null would be replaced, by root).
	gitea() { env -i PATH="$PATH" HOME="$DIR" GIT_CONFIG_NOSYSTEM=1 "$dir/gitea" --config "$DIR/app.ini" "$@"; }
	gitea migrate >&2
	token=$(gitea admin user create --username rita --password "$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')aA1!" \
		--email rita@orchard.example.com --admin --must-change-password=false --access-token --access-token-scopes all | sed -n 's/^Access token was successfully created\.\.\. //p')
	echo "{\"token\": \"$token\"}"
	exec env -i PATH="$PATH" HOME="$DIR" GIT_CONFIG_NOSYSTEM=1 "$dir/gitea" --config "$DIR/app.ini" web >&2
	;;
*)
	echo "usage: gitea.sh install|start" >&2
	exit 2
	;;
esac
