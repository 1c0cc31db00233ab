# search.sh is sourced by the check scripts of the Promela models, for check "$@". It runs searches
# through spin, two (or JOBS) at a time, and keeps what they say in a folder that is removed in the end.
#
# It wants
#   model     the path of the .pml file
#   options   of the compiler, beside those that every search has
#   enough    how many states the configurations have at least
#   configurations, mutants, others, conditions, witnesses, spares
#             what to search, one a line: a name, MACRO=VALUE,... or - for the defaults, and what it is.
#             A name that the model defines is its FAULT, or SEEN if it is a witness; .2 after it tells
#             two searches of one name apart. What others are the script says. Without a spare the
#             model is safe all the same.
# and may set
#   stops     for mutant, other and condition: an expression for the error that is to be found

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

names=()
declare -A macros short kind what
declare -A stops=([mutant]='assertion violated' [other]='assertion violated' [condition]='assertion violated')

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

# each KIND LIST adds searches.
each() {
	local name with text key
	while read -r name with text; do
		[ -z "$name" ] && continue
		[ "$with" = - ] && with=
		key=$name; [ "$1" = spare ] && key=without-$name
		names+=("$key"); kind[$key]=$1; what[$key]=$text; macros[$key]=${with//,/ }
		[ "$1" = configuration ] && continue
		[ "$1" = spare ] || short[$key]=1 # it ends soon, so that optimising does not pay
		if [ "$1" = witness ]; then macros[$key]+=" SEEN=${name%.*}"
		elif grep -q "^#define ${name%.*} " "$model"; then macros[$key]+=" FAULT=${name%.*}"
		else macros[$key]+=" ${name%.*}=1"; fi
	done <<<"$2"
}

# check [-k] [NAME...] searches everything, or what is named, and says what was found. It fails if
# that is not what is to be found. A witness stops at an assertion that compares two numbers, or at
# one that is no mutant's.
check() {
	local name said states bad=0 total=0 began=$SECONDS line='%-13s %-29s %10s %6s %8s %6s  %s: %s\n'
	[ "${1-}" = -k ] && { keep=1; shift; }
	each configuration "$configurations"
	each mutant "${mutants-}"
	each other "${others-}"
	each condition "${conditions-}"
	each witness "${witnesses-}"
	each spare "${spares-}"
	if [ $# -gt 0 ]; then
		for name; do [ -n "${kind[$name]-}" ] || { echo "check: there is no $name" >&2; return 1; }; done
		names=("$@") enough=0
	fi
	searchAll
	# shellcheck disable=SC2059
	printf "$line" kind name states depth seconds MiB verdict 'what it is'
	for name in "${names[@]}"; do
		said=$(verdict "$name") states=$(field "$name" '^ *([0-9]+) states, stored')
		case ${kind[$name]},$said in
		configuration,whole) said=ok; total=$((total + states)) ;;
		spare,whole) said=safe ;;
		*,whole) said=NOTHING; bad=1 ;;
		configuration,* | spare,* | *,failed:*) bad=1 ;;
		witness,*) [[ $said =~ \([0-9]+!=[0-9]+\) || ! $said =~ ${stops[mutant]} ]] && said=seen || bad=1 ;;
		*) [[ $said =~ ${stops[${kind[$name]}]} ]] && said=caught || bad=1 ;;
		esac
		# shellcheck disable=SC2059
		printf "$line" "${kind[$name]}" "$name" "${states:--}" "$(field "$name" 'depth reached ([0-9]+)')" \
			"$(field "$name" 'elapsed time ([0-9.e+]+)')" \
			"$(field "$name" '^ *([0-9]+)[0-9.]*[[:space:]]+total actual memory')" "$said" "${what[$name]}"
	done
	echo
	echo "$total states in all configurations, $((SECONDS - began)) s"
	if [ "$total" -lt "$enough" ]; then
		echo "check: fewer than $enough states" >&2
		bad=1
	fi
	return $bad
}
