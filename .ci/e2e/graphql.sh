#!/bin/sh
# GitHub's published GraphQL schema, with the reference implementation of
# GraphQL: npm's @octokit/graphql-schema in .cache/e2e/graphql.
#
#   graphql.sh install
#   graphql.sh answer    reads {query, variables, data} as JSON, checks the query
#                        and the data against the schema, and prints the answer
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dir=$here/../../.cache/e2e/graphql
version=15.26.1
case "${1:-}" in
install)
	command -v node >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends nodejs npm; }
	[ -d "$dir/node_modules/@octokit/graphql-schema" ] && exit 0
	mkdir -p "$dir"
	echo '{"private": true}' >"$dir/package.json"
	cd "$dir" && npm install --silent --no-save --no-audit --no-fund --ignore-scripts "@octokit/graphql-schema@$version"
	;;
answer)
	# Others may be starting from this file: it is never half written.
	cmp -s "$here/graphql.mjs" "$dir/graphql.mjs" || { cp "$here/graphql.mjs" "$dir/$$.mjs" && mv "$dir/$$.mjs" "$dir/graphql.mjs"; }
	exec node "$dir/graphql.mjs"
	;;
*)
	echo "usage: $0 install|answer" >&2
	exit 2
	;;
esac
