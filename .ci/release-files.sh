#!/bin/sh
# Writes what goes into archives and packages in addition to the program into .release/:
# the manual pages and the completions, made by cfctl itself.
set -eu
cd "$(dirname "$0")/.."
rm -rf .release
mkdir -p .release/completions
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
CGO_ENABLED=0 ${GO:-go} build -trimpath -tags man -o .release/cfctl ./cmd/cfctl
.release/cfctl man .release/man
gzip -9n .release/man/*.1
.release/cfctl completion bash >.release/completions/cfctl.bash
.release/cfctl completion zsh >.release/completions/_cfctl
.release/cfctl completion fish >.release/completions/cfctl.fish
rm .release/cfctl
