# search.sh is sourced by the check scripts of the Promela models. It runs searches through
# spin, some at a time, and keeps what they say in a folder that is removed in the end.
#
# It wants
#   model     the path of the .pml file
#   options   of the compiler, beside those that every search has
#   names     what to search, in the order in which to begin
#   macros    by name: MACRO=VALUE words
#   short     by name: not empty if the search is to end soon, so that optimising does not pay
# and gives
#   jobs      how many searches run at a time: two, or JOBS
#   work      the folder
#   searchAll, verdict NAME, field NAME REGEXP
#   keep      set it to keep the folder

command -v spin >/dev/null || { echo 'check: needs spin: on Debian, apt-get install spin' >&2; exit 1; }
command -v gcc >/dev/null || { echo 'check: needs gcc' >&2; exit 1; }

jobs=${JOBS:-2}
work=$(mktemp -d "${TMPDIR:-/tmp}/model.XXXXXX") || exit 1
cleanup() {
	trap - EXIT
	local group; for group in $(jobs -p); do kill -- "-$group" 2>/dev/null; done
	wait 2>/dev/null
	if [ -n "${keep-}" ]; then echo "kept: $work"; else rm -rf "$work"; fi
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
set -m # each search is a process group

declare -A macros short

# What pan says when it has not seen all states.
cutShort='max search depth|MEMLIM|out of memory|not completed'

# search NAME explores one model in a folder of its own, and leaves its verdict there:
# "whole" (all states, no error), "error: which", or "failed: why".
search() {
	# These passes are half of the compiler's time, and make a search hardly faster.
	local name=$1 out defines=() d optimise='-O2 -fno-tree-pre -fno-gcse -fno-tree-vrp -fno-tree-dominator-opts'
	set +m # all that it starts stays in the group that cleanup ends
	mkdir "$work/$name" && cd "$work/$name" || return
	for d in ${macros[$name]}; do defines+=("-D$d"); done
	if ! spin "${defines[@]}" -a "$model" >spin.out 2>&1; then
		echo "failed: spin: $(grep -m1 -i error spin.out)" >verdict
		return
	fi
	[ -n "${short[$name]-}" ] && optimise=-O0
	# shellcheck disable=SC2086  # both are words
	if ! gcc $optimise -w -DSAFETY -DCOLLAPSE -DMEMLIM=2900 $options -o pan pan.c >gcc.out 2>&1; then
		echo "failed: gcc: $(grep -m1 error gcc.out)" >verdict
		return
	fi
	./pan -m100000 >pan.out 2>&1
	out=$(grep -m1 '^pan:1: ' pan.out)
	if [ -n "$out" ]; then
		out=${out#pan:1: }
		echo "error: ${out% (at depth*}" >verdict
	elif grep -qE "$cutShort" pan.out || ! grep -q 'errors: 0$' pan.out; then
		echo "failed: $(grep -m1 -E "$cutShort" pan.out || echo 'pan gave no result')" >verdict
	else
		echo whole >verdict
	fi
	rm -f pan pan.? pan.h
}

searchAll() {
	local name
	for name in "${names[@]}"; do
		while [ "$(jobs -pr | wc -l)" -ge "$jobs" ]; do wait -n 2>/dev/null; done
		search "$name" &
	done
	wait
}

verdict() { cat "$work/$1/verdict" 2>/dev/null || echo 'failed: no verdict'; }

# field NAME REGEXP prints what the first group of the expression matches in pan's output.
field() { sed -nE "s/.*$2.*/\\1/p" "$work/$1/pan.out" 2>/dev/null | head -n1; }
