# Where the programs are that the tests need. Sourced by the scripts here.
# shellcheck shell=bash

# find_chromium prints the browser for the tests, or nothing. internal/e2e looks for the
# same names.
find_chromium() {
	local name
	for name in chromium-headless-shell chromium chromium-browser google-chrome; do
		command -v "$name" && return
	done
	return 0
}

# find_postgres_bin prints the folder of PostgreSQL's server programs, or
# nothing. Debian keeps them out of PATH, one folder per version: the newest.
find_postgres_bin() {
	local dir newest=
	if command -v initdb >/dev/null && command -v postgres >/dev/null; then
		newest=$(dirname "$(readlink -f "$(command -v initdb)")")
	fi
	while read -r dir; do
		if [ -x "$dir/initdb" ] && [ -x "$dir/postgres" ]; then
			newest=$dir
		fi
	done < <(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V)
	echo "$newest"
}

# has_node says whether there is a node that can run our tests (18.17 or newer).
has_node() {
	command -v node >/dev/null && node --test-reporter=spec -e '' 2>/dev/null
}

# memory is the folder of a file system that is kept in memory.
memory=/dev/shm

# memory_has_room says whether tests may write to $memory.
memory_has_room() {
	[ -w "$memory" ] && [ "$(df --output=avail -k "$memory" | tail -1)" -ge 2000000 ]
}

# claim VAR PARENT NAME makes a folder in PARENT and puts its path into VAR. The path is the same in
# each run of this work tree, so that go test, which compares the environments of tests, finds the
# results of earlier runs. A run beside another one gets a path of its own.
claim() {
	local -n path=$1
	local tree lock
	tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
	mkdir -p "$tree/.cache"
	exec {lock}>"$tree/.cache/$3.lock" # held by this process and those that it starts
	path=$2/$3.$(sha256sum <<<"$tree" | cut -c 1-10)
	if ! flock -n "$lock" || ! rm -rf "$path" 2>/dev/null || ! mkdir -m 700 "$path" 2>/dev/null; then
		path=$(mktemp -d "$2/$3.XXXXXX")
	fi
}

# step NAME CMD… runs one part of the tests and says how long it took. A part
# that fails ends the script (set -e), with its output last on the screen.
step() {
	local name=$1 start=${EPOCHREALTIME/[.,]/} took
	shift
	echo "== $name"
	"$@"
	took=$(((${EPOCHREALTIME/[.,]/} - start) / 100000))
	echo "== $name: $((took / 10)).$((took % 10)) s"
}
