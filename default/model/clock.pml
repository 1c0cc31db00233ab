/* Calls of wallClock (default/wallclock.go) that share a reading of the wall clock, while time
 * passes and the wall clock is set. README.md says what is checked; check runs it.
 *
 * Time is the monotonic clock, m. The wall clock shows m + off, in ticks of U. A step changes off.
 * version counts steps; beside each tick goes, for the assertions only, the version under which it
 * was read.
 */
#ifndef U
#define U 3       /* a tick */
#endif
#ifndef G
#define G 2       /* a glance */
#endif
#ifndef T
#define T 3       /* when time ends */
#endif
#ifndef STEP
#define STEP 7    /* how far a step goes, either way: no multiple of U */
#endif
#ifndef STEPS
#define STEPS 1
#endif
#ifndef CALLERS
#define CALLERS 2
#endif
#ifndef CALLS
#define CALLS 2   /* of each caller */
#endif

#define NONE 0

byte m = 1, off = 10, offBefore, steppedAt, version, steps;
byte limit = NONE, known, knownVersion, lock;
byte seen;                 /* the newest version that a look has returned with */
int shown[CALLERS];        /* the ticks that a call may have, as bits */

#define note(i) \
	shown[i] = shown[i] | (1 << ((m + off) / U)); \
	if \
	:: steps > 0 && m - steppedAt < G -> shown[i] = shown[i] | (1 << ((m + offBefore) / U)) \
	:: else \
	fi

inline noteAll() {
	d_step { i = 0; do :: i < CALLERS -> note(i); i++ :: else -> break od; i = 0 }
}

active proctype world() {
	byte i;
	do
	:: m < T -> atomic { m++; noteAll() }
	:: steps < STEPS -> atomic {
		offBefore = off;
		if :: off = off + STEP :: off = off - STEP fi;
		steppedAt = m; steps++; version++; noteAll()
	}
	:: m == T -> break
	od
}

#ifdef M_UNLOCKED
#define freeLock true
#else
#define freeLock (lock == 0)
#endif

/* read: lock is held */
inline read() {
#ifndef M_KEEPS_LIMIT
	limit = NONE;
#endif
	atomic { tick = (m + off) / U; ver = version; left = U - (m + off) % U }
#ifdef M_LATE
	at = m;
#endif
#ifdef M_LIMIT_FIRST
	limit = at + (left < G -> left : G);
	atomic { known = tick; knownVersion = ver }
#else
	atomic { known = tick; knownVersion = ver }
#ifdef M_NO_END
	limit = at + G
#else
	limit = at + (left < G -> left : G)
#endif
#endif
}

proctype caller(byte id) {
	byte calls, need, lim, at, tick, ver, left;
	do
	:: calls < CALLS ->
		atomic { calls++; shown[id] = 0; note(id); need = seen }
		if
		:: true -> /* tick */
#ifdef M_KNOWN_FIRST
			atomic { tick = known; ver = knownVersion }
			lim = limit;
#else
			lim = limit;
			atomic { tick = known; ver = knownVersion }
#endif
			at = m;
			if
			:: lim > at && lim - at <= G
			:: else ->
				if
				:: atomic { freeLock -> lock = 1 }
					read();
					lock = 0
				:: atomic { !freeLock -> tick = (m + off) / U; ver = version }
				fi
			fi
		:: true -> /* look */
			at = m;
			atomic { freeLock -> lock = 1 }
#ifdef M_LOOK_KEEPS
			atomic { tick = (m + off) / U; ver = version }
#else
			read();
#endif
			lock = 0;
			atomic { if :: seen < ver -> seen = ver :: else fi }
		fi;
		atomic {
			assert(shown[id] & (1 << tick)); /* a tick that the wall clock showed during the call */
			assert(ver >= need)              /* and no older than what a call before has found */
		}
	:: else -> break
	od
}

init { byte i; atomic { do :: i < CALLERS -> run caller(i); i++ :: else -> break od } }
