#!/usr/bin/env bash
# GitHub's API and Slack's webhooks, answered by the npm package emulate.
#
#   emulate.sh install   installs it into .cache/e2e/emulate
#   emulate.sh start     runs it in the foreground on ports that the system picks;
#                        prints one line: {"github": URL, "slack": URL, "control": URL}
#
# SEED is a JSON file {tokens, github: {users, orgs, repos}}.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=$here/../../.cache/e2e/emulate
version=0.11.2
case ${1:-} in
install)
	command -v node >/dev/null || { apt-get update -qq && apt-get install -y --no-install-recommends nodejs npm; }
	mkdir -p "$dir"
	if [ ! -d "$dir/node_modules/emulate" ]; then
		(cd "$dir" && echo '{"private": true}' > package.json && npm install --no-save --no-audit --no-fund --ignore-scripts "emulate@$version")
	fi
	cp "$here/emulate.mjs" "$dir/emulate.mjs"
	;;
start)
	# Others may be starting from this file: it is never half written.
	cmp -s "$here/emulate.mjs" "$dir/emulate.mjs" || { cp "$here/emulate.mjs" "$dir/$$.mjs" && mv "$dir/$$.mjs" "$dir/emulate.mjs"; }
	exec node "$dir/emulate.mjs"
	;;
*)
	echo "usage: emulate.sh install|start" >&2
	exit 2
	;;
esac
