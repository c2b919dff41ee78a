#!/bin/sh
# Writes what goes into archives and packages in addition to the program into .release/:
# the completions, made by cfctl itself.
set -eu
cd "$(dirname "$0")/.."
rm -rf .release
mkdir -p .release/completions
CGO_ENABLED=0 ${GO:-go} build -trimpath -o .release/cfctl ./cmd/cfctl
.release/cfctl completion bash >.release/completions/cfctl.bash
.release/cfctl completion zsh >.release/completions/_cfctl
.release/cfctl completion fish >.release/completions/cfctl.fish
rm .release/cfctl
