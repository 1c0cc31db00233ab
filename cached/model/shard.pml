/*
 * The shards of Unordered: shard.go and unordered.go of package cached. README.md says what
 * stands for what, and what is left out.
 *
 * Each access to a word that another goroutine may write at that moment is a step of its
 * own. FAULT=M_... takes a rule out, and then an assertion must fail. SEEN=W_... makes the
 * search stop where something happens, to show that it can.
 */

/* The size of a configuration. */
#ifndef TAKERS
#define TAKERS  2    /* goroutines that draw, */
#endif
#ifndef CALLS
#define CALLS   2    /* so many times each */
#endif
#ifndef CHUNK
#define CHUNK   2    /* UIDs that a shard claims, at most */
#endif
#ifndef FLOORS
#define FLOORS  1    /* times that the floor is raised */
#endif
#ifndef RESTS
#define RESTS   0    /* 1: a claim may reach into the next tick */
#endif
#ifndef SPLITS
#define SPLITS  1    /* times that a shard is split */
#endif

/* The rules that can be taken out. */
#ifndef FAULT
#define FAULT              0
#endif
#define M_LAST_EARLY       1
#define M_NO_SWAP          2
#define M_LAST_AFTER       3
#define M_FLOOR_AFTER      4
#define M_LOOK_FIRST       5
#define M_HOME_ONLY        6
#define M_WITHDRAW_UNLOCKED 7
#define M_REFILL_UNLOCKED  8
#define M_ONE_MORE         9
#define M_FALLS           10
#define M_CLAIM_SPLIT     11
#define M_NO_FLOOR        12
#define M_SKIP_SHUT       13

/* What is to be seen. */
#ifndef SEEN
#define SEEN               0
#endif
#define W_LATE             1
#define W_WITHDRAWN        2
#define W_STALE            3
#define W_FROM_PART        4
#define W_NEW_CHUNK        5
#define saw(w) assert(SEEN != w)

#define SHARDS  3    /* a home, 0, and its parts, 1 and 2 */
#define TOP     29   /* above any UID that is claimed; sets of UIDs are bits of an int */
#define SHUT    200

byte cursor[SHARDS] = SHUT;
byte last[SHARDS];
bit  mu[SHARDS];
byte rest[SHARDS];   /* the first UID that was claimed with the chunk and lies in the next tick, */
byte end[SHARDS];    /* and the last */
bit  parts;
byte splits = SPLITS;
byte ring = 1;       /* the UID that the ring hands out next */
byte fall = TOP;     /* with M_FALLS, the one that it handed out last */
byte floor;

int  begins;         /* first UIDs of chunks */

/* For the rules only. */
int  issued;
byte withdrawn;      /* a call that begins now gets no smaller UID */

#define HAS(set, i)  (((set) >> (i)) & 1)

/* A call returns UID v. */
inline issue(v) {
	assert(v != 0 && v < TOP);
	assert(!HAS(issued, v));
	assert(v >= low);
	issued = issued | (1 << v);
}

/* The ring hands out up to n UIDs: v is the first, e the last. It is at the floor or above. */
inline claim(n, v, e) {
	if
	:: FAULT == M_FALLS -> e = fall - 1; v = fall - n; fall = v
	:: else -> v = ring; e = ring + n - 1; ring = ring + n
	fi;
	assert(ring < TOP && fall > 0)
}

/* shard.shut; mu[s] is held. */
inline shut(s) {
	if
	:: last[s] != 0 ->
		if
		:: FAULT != M_NO_SWAP -> cursor[s] = SHUT
		:: else -> skip
		fi;
		last[s] = 0
	:: else -> skip
	fi
}

proctype Taker() {
	byte calls, s, l, v, e, n, low;
	bit held;
	do
	:: calls < CALLS ->
		atomic { calls++; s = 0; v = 0; e = 0; held = 0; low = withdrawn };
take:
		if
		:: FAULT == M_LAST_AFTER -> skip
		:: else ->
			l = last[s];
			if
			:: l == 0 -> goto next
			:: else -> skip
			fi
		fi;
		if
		:: FAULT == M_CLAIM_SPLIT ->
			v = cursor[s];
			atomic {
				if
				:: v != SHUT -> v++; cursor[s] = v
				:: else -> skip
				fi
			}
		:: else ->
			atomic {
				if
				:: cursor[s] != SHUT -> cursor[s] = cursor[s] + 1
				:: else -> skip
				fi;
				v = cursor[s];
				if
				:: v <= l -> assert(FAULT || l == last[s])
				:: v > l && last[s] > l && v != SHUT -> saw(W_NEW_CHUNK)
				:: v > l && v != SHUT -> saw(W_LATE)
				:: else -> skip
				fi
			}
		fi;
		if
		:: FAULT == M_LAST_AFTER -> l = last[s]
		:: else -> skip
		fi;
		if
		:: v <= l || (FAULT == M_ONE_MORE && v == l + 1) ->
			atomic {
				issue(v);
				if
				:: s != 0 -> saw(W_FROM_PART)
				:: else -> skip
				fi;
				goto done
			}
		:: else -> skip
		fi;
next:
		/* shard.next and shard.part: which part it is depends on the stack. */
		if
		:: s == 0 && parts ->
			if
			:: s = 1
			:: s = 2
			fi;
			goto take
		:: else -> skip
		fi;

		/* shard.refill. */
		if
		:: FAULT == M_REFILL_UNLOCKED -> skip
		:: else ->
			atomic {
				if
				:: mu[s] -> goto single
				:: else -> mu[s] = 1; held = 1
				fi
			}
		fi;
		if
		:: FAULT == M_LAST_EARLY -> skip
		:: else -> shut(s)
		fi;
		atomic {
			if
			:: s == 0 && parts -> mu[0] = 0; goto next
			/* At any moment, where the code waits for meetings. */
			:: s == 0 && !parts && splits > 0 && rest[0] == 0 -> splits--; parts = 1; mu[0] = 0; goto next
			:: true -> skip
			fi
		};
		atomic {
			if
			:: rest[s] != 0 -> v = rest[s]; e = end[s]; rest[s] = 0; end[s] = 0
			:: else ->
				n = 1;
				do
				:: n < CHUNK -> n++
				:: break
				od;
				claim(n, v, e);
				n = 0;
				if
				:: RESTS && e > v -> rest[s] = v + 1; end[s] = e; e = v; begins = begins | (1 << rest[s])
				:: RESTS && e > v + 1 -> rest[s] = e; end[s] = e; e = e - 1; begins = begins | (1 << rest[s])
				:: true -> skip
				fi
			fi;
			begins = begins | (1 << v)
		};
		if
		:: v < floor && FAULT != M_FLOOR_AFTER && FAULT != M_NO_FLOOR -> saw(W_STALE); v = 0; goto opened
		:: else -> skip
		fi;
		if
		:: FAULT == M_LAST_EARLY -> last[s] = e; cursor[s] = SHUT; cursor[s] = v
		:: v != e && FAULT != M_LAST_EARLY -> last[s] = e; cursor[s] = v
		:: else -> skip
		fi;
		if
		:: FAULT == M_FLOOR_AFTER && v < floor -> shut(s); v = 0
		:: else -> skip
		fi;
opened:
		atomic {
			if
			:: held -> mu[s] = 0
			:: else -> skip
			fi;
			if
			:: v != 0 -> issue(v); goto done
			:: else -> skip
			fi
		};
single:
		/* Generator.GetUID and takeSlow: a UID of the ring, whatever shards do. */
		atomic {
			claim(1, v, e);
			issue(v)
		};
done:
		atomic { s = 0; l = 0; v = 0; e = 0; n = 0; held = 0; low = 0 }
	:: else -> break
	od
}

/* shard.withdraw, called by setFloor with Generator.mu held. */
inline withdraw(s) {
	atomic {
		if
		:: FAULT == M_WITHDRAW_UNLOCKED -> skip
		:: FAULT == M_SKIP_SHUT && last[s] == 0 -> skipped = 1
		:: else -> !mu[s] -> mu[s] = 1
		fi
	};
	if
	:: !skipped && last[s] != 0 && last[s] < f -> saw(W_WITHDRAWN); shut(s)
	:: else -> skip
	fi;
	atomic {
		if
		:: s == 0 -> split = parts
		:: else -> skip
		fi;
		if
		:: FAULT == M_WITHDRAW_UNLOCKED || skipped -> skipped = 0
		:: else -> mu[s] = 0
		fi
	}
}

proctype Generator() {
	byte raised, f;
	bit skipped, split;
	do
	:: raised < FLOORS ->
		raised++;
		/* The ring has been moved, shut or not, so that it stands at the floor or above. The
		 * floor is a tick's beginning, and no chunk reaches across it. */
		atomic {
			if
			:: f = ring
			:: ring > 1 && ring - 1 >= floor && HAS(begins, ring - 1) -> f = ring - 1
			:: ring > 2 && ring - 2 >= floor && HAS(begins, ring - 2) -> f = ring - 2
			fi
		};
		if
		:: FAULT != M_LOOK_FIRST -> floor = f
		:: else -> skip
		fi;
		withdraw(0);
		if
		:: split && FAULT != M_HOME_ONLY -> withdraw(1); withdraw(2)
		:: else -> skip
		fi;
		split = 0;
		if
		:: FAULT == M_LOOK_FIRST -> floor = f
		:: else -> skip
		fi;
		withdrawn = f
	:: else -> break
	od
}

init {
	atomic {
		byte i;
		for (i : 1 .. TAKERS) { run Taker() }
		run Generator()
	}
}
