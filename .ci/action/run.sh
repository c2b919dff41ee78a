#!/usr/bin/env bash
# What action.yml does: install cfctl, run it, hand on its findings. Everything
# comes in by environment variables (INPUT_*), never as a part of this text.
# CFCTL_RELEASES is where the releases are, for a mirror.
set -euo pipefail

repository=project-codeflare/cfctl
releases=${CFCTL_RELEASES:-https://github.com/$repository/releases/download}
temp=${RUNNER_TEMP:-${TMPDIR:-/tmp}}

# fail ends the job with one line that GitHub shows, whatever is in it.
fail() {
	local text=$1
	text=${text//'%'/%25}
	text=${text//$'\r'/%0D}
	text=${text//$'\n'/%0A}
	printf '::error title=cfctl::%s\n' "$text"
	exit 2
}

digest() {
	if command -v sha256sum >/dev/null; then sha256sum <"$1"; else shasum -a 256 <"$1"; fi | cut -d' ' -f1
}

download() { # NAME FILE
	curl --fail --silent --show-error --location --retry 3 --max-time 300 --output "$2" -- "$releases/$version/$1" ||
		fail "$releases/$version/$1 cannot be had: is $version a release, and does it have this file?"
}

platform() {
	local os arch
	case $(uname -s) in
	Linux) os=linux ;;
	Darwin) os=darwin ;;
	MINGW* | MSYS* | CYGWIN*) os=windows ;;
	*) fail "no release for $(uname -s): use install: go" ;;
	esac
	case $(uname -m) in
	x86_64 | amd64) arch=amd64 ;;
	arm64 | aarch64) arch=arm64 ;;
	*) fail "no release for $(uname -m): use install: go" ;;
	esac
	echo "${os}_${arch}"
}

# install_release downloads the archive of this machine and unpacks it when it
# is what the digest, or the attestation, says.
install_release() { # FOLDER
	local dir=$1 name want got
	name=cfctl_${version#v}_$(platform)
	case $name in *windows*) name=$name.zip ;; *) name=$name.tar.gz ;; esac
	download checksums.txt "$dir/checksums.txt"
	if [ -n "${INPUT_CHECKSUMS:-}" ]; then
		got=$(digest "$dir/checksums.txt")
		[ "$got" = "${INPUT_CHECKSUMS#sha256:}" ] || fail "checksums.txt of $version has the SHA-256 $got, not ${INPUT_CHECKSUMS#sha256:}: nothing of it was run"
	fi
	want=$(awk -v name="$name" '$2 == name {print $1}' "$dir/checksums.txt")
	[ -n "$want" ] || fail "checksums.txt of $version has no $name"
	download "$name" "$dir/$name"
	got=$(digest "$dir/$name")
	[ "$got" = "$want" ] || fail "$name of $version has the SHA-256 $got, not $want: nothing of it was run"
	[ -n "${INPUT_CHECKSUMS:-}" ] || attested "$dir/$name"
	case $name in
	*.zip) unzip -q -o "$dir/$name" cfctl.exe -d "$dir" ;;
	*) tar -xzf "$dir/$name" -C "$dir" cfctl ;;
	esac
}

# attested holds a file against the attestation that the release workflow signed.
attested() {
	command -v gh >/dev/null || fail "gh is not there to verify the attestation: give the input checksums, or use install: go"
	gh attestation verify "$1" --repo "$repository" --signer-workflow "$repository/.github/workflows/release.yml" ||
		fail "the attestation of $(basename "$1") does not hold: nothing of it was run"
}

install_cfctl() {
	case ${INPUT_INSTALL:-release} in
	none)
		command -v cfctl >/dev/null || fail "install: none, and cfctl is not in PATH"
		return
		;;
	release | go) ;;
	*) fail "install: $INPUT_INSTALL is none of release, go, none" ;;
	esac
	version=${INPUT_VERSION:-${ACTION_REF:-}}
	if [ "${INPUT_INSTALL:-release}" = go ] && [[ $version =~ ^(main|[0-9a-f]{40})$ ]]; then
		: # built from source
	elif ! [[ $version =~ ^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]]; then
		fail "version: \"$version\" is not vMAJOR.MINOR.PATCH"
	fi
	local dir
	dir=$(mktemp -d "$temp/cfctl.XXXXXX")
	if [ "${INPUT_INSTALL:-release}" = go ]; then
		GOBIN=$dir go install "github.com/$repository/cmd/cfctl@$version"
	else
		install_release "$dir"
	fi
	PATH=$dir:$PATH
	[ -z "${GITHUB_PATH:-}" ] || printf '%s\n' "$dir" >>"$GITHUB_PATH"
}

# each puts the lines of a list into the array "words", behind an optional flag.
each() { # LIST [FLAG]
	local line
	while IFS= read -r line; do
		line=${line%$'\r'}
		[ -z "${line//[[:space:]]/}" ] || words+=(${2:+"$2"} "$line")
	done <<<"$1"
}

run() {
	local sarif=${INPUT_SARIF:-$temp/cfctl.sarif} code=0
	[[ $sarif != *$'\n'* ]] || fail "sarif: a name with a line break"
	words=()
	case ${INPUT_MODE:-check} in
	check)
		words=(migrate --check)
		[ -z "${INPUT_BASE:-}" ] || words+=("--base=$INPUT_BASE")
		;;
	review)
		local base=${INPUT_BASE:-${PULL_REQUEST_BASE:-}}
		[ -n "$base" ] || fail "mode: review needs the input base outside of pull requests"
		words=(migrate review "--base=$base")
		;;
	matrix)
		words=(matrix check)
		[ -z "${INPUT_BASE:-}" ] || words+=("--base=$INPUT_BASE")
		;;
	*) fail "mode: $INPUT_MODE is none of check, review, matrix" ;;
	esac
	words+=(--output=github "--output-file=sarif=$sarif")
	if [ "${INPUT_MODE:-check}" = matrix ]; then
		[ -z "${INPUT_RULESETS:-}" ] || fail "rulesets: mode matrix has none"
	else
		each "${INPUT_RULESETS:-}" --ruleset
	fi
	each "${INPUT_ARGUMENTS:-}"
	if [ -n "${INPUT_PATHS:-}" ]; then
		[ "${INPUT_MODE:-check}" = check ] || fail "paths: only mode check has paths"
		words+=(--)
		each "$INPUT_PATHS"
	fi
	cd -- "${INPUT_DIRECTORY:-.}"
	cfctl "${words[@]}" || code=$?
	if [ -n "${GITHUB_OUTPUT:-}" ]; then
		printf 'sarif=%s\nexit-code=%s\n' "$sarif" "$code" >>"$GITHUB_OUTPUT"
	fi
	exit "$code"
}

install_cfctl
run
