#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# documents.sh [lint]: asks the commands in build/bin for their manual pages
# and completions, and puts them into build/man and build/completion; lint has
# groff and the shells look at them, too.
set -eu
cd "$(dirname "$0")/../../build"
mkdir -p man completion
for name in sigwait sigreport siglab; do
	bin/$name --man >man/$name.1
	for shell in bash zsh fish; do
		bin/$name --completion $shell >completion/$name.$shell
	done
done
[ "${1:-}" = lint ] || exit 0
for page in man/*.1; do
	said=$(groff -man -ww -z "$page" 2>&1)
	[ -z "$said" ] || { echo "documents.sh: build/$page: $said" >&2; exit 1; }
done
for script in completion/*; do
	"${script##*.}" -n "$script" || { echo "documents.sh: build/$script is wrong" >&2; exit 1; }
done
