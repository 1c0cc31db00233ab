/*
 * A generator's hold on its worker: package tenure, and the generators of packages cached
 * (RING=1) and uncached (RING=0) as far as reservations are concerned. README.md says what
 * has to hold, and what is left out.
 *
 * Wherever another goroutine may get in between, and could tell, a new step begins. A
 * process that takes no step is a goroutine that is not scheduled, or a worker that does
 * not return.
 *
 * FAULT=M_... takes a rule out, and then an assertion must fail.
 * SEEN=W_... makes the search stop where something happens, to show that it can.
 */

/* The size of a configuration. */
#ifndef RING
#define RING       1    /* 1: the generator of package cached, 0: that of uncached */
#endif
#ifndef REVOKERS
#define REVOKERS   1    /* goroutines that call Revoke, */
#endif
#ifndef REVOKES
#define REVOKES    1    /* so many times each */
#endif
#ifndef DUES
#define DUES       1    /* times that a renewal falls due by the clock */
#endif
#ifndef FAILS
#define FAILS      0    /* Extends that fail, or panic */
#endif
#ifndef CLOSERS
#define CLOSERS    1    /* goroutines that call Close */
#endif
#ifndef TAKERS
#define TAKERS     1    /* goroutines that draw UIDs (from a ring, one does what many could) */
#endif
#ifndef TICKS
#define TICKS      4    /* ticks are 1 to TICKS; each has one UID */
#endif
#ifndef CLOCKS
#define CLOCKS     1    /* ticks that the clock goes on */
#endif
#ifndef SLOTS
#define SLOTS      2    /* of the ring */
#endif

/* The rules that can be taken out. */
#ifndef FAULT
#define FAULT                 0
#endif
#define M_OVERWRITE           1
#define M_FORGET              2
#define M_STALE_GRANT         3
#define M_CHECK_FIRST         4
#define M_START_LETS_GO       5
#define M_NO_RESTART          6
#define M_DISCARD_OPEN        7
#define M_DISCARD_KEEPS       8
#define M_UNRESERVED          9
#define M_LAST_EARLY         10
#define M_CLOSE_REFILLS      11
#define M_CLOSE_GRANTS       12
#define M_NO_RECHECK         13
#define M_RECHECK_FIRST      14
#define M_EARLY_RENEW        15
#define M_LATE_RENEW         16
#define M_RELEASE_EARLY      17
#define M_RELEASE_TWICE      18
#define M_NOT_ASKED_AGAIN    19
#define M_DISCARD_FIRST      20

/* What can happen. */
#ifndef SEEN
#define SEEN                  0
#endif
#define W_REVOKED_EARLY       1
#define W_REVOKED_BETWEEN     2
#define W_DROPPED             3
#define W_WENT_ON             4
#define W_DRAINS              5
#define W_OUTDATED            6
#define W_CLOSED_DURING       7

#define IS(fault)       (FAULT == fault)
#define WITNESS(event)  assert(SEEN != event)
#define HAS(set, k)     (((set) >> (k)) & 1)
#define MAX(a, b)       ((a) > (b) -> (a) : (b))
#define MIN(a, b)       ((a) < (b) -> (a) : (b))

/* Reservations are numbered in the order in which the worker decides on them: 0 is one of
 * no ticks. */
#define GRANTS          (3 + REVOKERS * REVOKES + DUES)
byte decided;                           /* the newest */
byte first[GRANTS + 1] = 1, last[GRANTS + 1];

/* The worker. */
bool asked;                             /* one of its methods is under way, */
bool extending;                         /* or what came of an Extend is being dealt with */
byte released;                          /* how often Release was called */

/* The tenure. granting is its lock of this name; what its mu guards is done in one step. */
byte reservation;                       /* the one in force */
bool ended;                             /* and there will be no other */
bool granting, wanted, acquired, stopped, quit;
bool renewing, renewed;                 /* the goroutine has been started, has ended */
bool ending;                            /* Stop is to release the worker */
byte revoked;

/* The generator. */
byte clock = 1;
bool returned, closed;                  /* New has returned; Close was called */
byte close;                             /* what Close tells the worker was the last tick */
#if RING
bool mu;                                /* held by a refill; what else it guards is done in one step */
bool shut = true, discarded, started, claimed;
byte head = 1, tail = 1;                /* ticks from head on, below tail, are in the ring */
byte under[TICKS + 1];                  /* the reservation that a tick was published under */
#else
byte version;                           /* of the pointer to the reservation */
byte mark;                              /* the newest tick used */
#endif

byte clocks = CLOCKS, dues = DUES, fails = FAILS, revokes = REVOKERS * REVOKES;

/* What only the properties know. */
byte withdrawn;                         /* reservations up to this one, by Revokes that have returned */
byte issued;                            /* a bit for each tick */
byte newest;                            /* tick issued */
byte bound = TICKS;                     /* what Release was told was the last */

/* Used within steps only. */
hidden byte next, limit;

/* A UID of the tick leaves, by the right of a reservation. */
inline issue(tick, by) {
	assert(by > withdrawn);                                 /* it was not withdrawn, */
	assert(first[by] <= (tick) && (tick) <= last[by]);      /* the tick is reserved, */
	assert(!HAS(issued, tick));                             /* it is the first, */
	assert((tick) <= bound);                                /* and Close told the truth */
	assert(SEEN != W_WENT_ON || !withdrawn);
	newest = MAX(newest, tick);
	issued = issued | 1 << (tick)
}

/* ------------------------------------------------------------------- the worker */

inline enter() { assert(!asked && !released); asked = true }

/* It decides what it is about to return: one tick more than ever before, with all that
 * there were, or without, which is the same as under another worker ID. */
inline decide(it) {
	assert(decided < GRANTS);
	it = MIN(last[decided] + 1, TICKS);
	decided++;
	last[decided] = it;
	if
	:: first[decided] = 1
	:: first[decided] = it
	fi;
	it = decided
}

/* ------------------------------------------------------------------- the tenure's wishes */

/* locked.start. */
inline startRenewing() {
	renewing = renewing || (acquired || IS(M_EARLY_RENEW)) && (!stopped || IS(M_LATE_RENEW))
}

/* Tenure.Want, when the last tick reserved has been used or made ready; as long as that
 * leaves enough reservations for what else there is to come. */
inline want(tick, by) {
	if
	:: by && (tick) >= last[by] && last[decided] < TICKS && !stopped &&
	   decided + revokes + dues + wanted + extending < GRANTS -> wanted = true; startRenewing()
	:: else
	fi
}

/* ------------------------------------------------------------------- the generator */

#if RING
/* What is no more in the ring does not matter any more. */
inline tidy() {
	for (next : 0 .. TICKS) {
		under[next] = (head <= next && next < tail -> under[next] : 0)
	};
	next = 0
}

/* Generator.refill: what is in force is looked at, */
inline look(by) { !mu; mu = true; by = reservation }

/* and the ring is filled by it, and opens. */
inline fill(by) {
	next = MAX(tail, MAX(clock, first[by]));
	limit = (IS(M_UNRESERVED) -> TICKS : last[by]);
	if
	:: ended && !IS(M_CLOSE_REFILLS)
	:: else ->
		if
		:: next <= limit && (next > tail || discarded || !started) ->
			head = next;            /* what is in the ring is passed over */
			tail = next;
			discarded = false;
			started = true
		:: else
		fi;
		do
		:: next <= limit && tail - head < SLOTS ->
			under[next] = by;
			next++;
			tail = next
		:: else -> break
		od;
		want(next - 1, by);
		shut = shut && (discarded || !started || head == tail)
	fi;
	by = 0;
	mu = false;
	tidy()
}

/* Generator.discard */
inline discard() {
	shut = shut || !IS(M_DISCARD_OPEN);
	discarded = discarded || !IS(M_NO_RESTART)
}

inline changed(it) { assert(SEEN != W_DRAINS || !it || head == tail || discarded || first[it] <= head) }

#define LAST            (started && claimed -> head - 1 : 0)
inline finish() { shut = true }
#else
inline changed(it) { version++ }

#define LAST            mark
inline finish() { version++ }
#endif

/* grantLocked.put: another reservation comes into force, */
inline grant(it) {
	if
	:: !ended || IS(M_CLOSE_GRANTS) -> reservation = it; ended = false; changed(it)
	:: else
	fi
}

/* and the one in force is taken away. */
inline withdraw() {
	if
	:: !ended && !IS(M_DISCARD_KEEPS) -> reservation = 0; changed(0)
	:: else
	fi
}

/* ------------------------------------------------------------------- the tenure */

/* New, and Start within it. */
active proctype New() {
	byte it;

	atomic { enter() };
	atomic { decide(it); asked = false };
	d_step {
		!granting;
		granting = !IS(M_START_LETS_GO);
		acquired = true;
		if
		:: revoked && !IS(M_FORGET) ->
			assert(SEEN != W_REVOKED_EARLY);
			it = 0
		:: else
		fi;
		if
		:: wanted || dues -> startRenewing()    /* what has to be renewed some day */
		:: else
		fi
	};
	d_step { grant(it); granting = (IS(M_START_LETS_GO) -> granting : false) };
	d_step {
		assert(SEEN != W_REVOKED_BETWEEN || !it || reservation);
		if
		:: IS(M_OVERWRITE) && it -> reservation = it    /* as Start returned it */
		:: else
		fi;
#if !RING
		returned = true;
#endif
		it = 0
	};
#if RING
	d_step { look(it) };
	d_step { fill(it); returned = true }
#endif
}

/* Tenure.renew, and extend within it. */
active proctype Renewing() {
	byte it, seen;

end_idle:
	renewing;
end_wait:
	do
	:: d_step { quit -> renewed = true }; break
	:: d_step { wanted || dues && reservation ->
			dues = (wanted -> dues : dues - 1);
			seen = revoked;
			wanted = false;
			extending = true;
			enter() };
		if
		:: atomic { decide(it); asked = false }
		:: d_step { fails -> fails--; asked = false }
		:: d_step { quit -> asked = false }     /* its context has ended */
		fi;
#if FAULT == M_CHECK_FIRST
		if
		:: seen == revoked -> seen = 255
		:: else
		fi;
#endif
		d_step {
			!granting;
			if
			:: quit -> assert(SEEN != W_CLOSED_DURING || !it)
			:: !quit && !it -> wanted = true
			:: !quit && it && seen != revoked && seen != 255 && !IS(M_STALE_GRANT) ->
				assert(SEEN != W_DROPPED)
			:: else -> grant(it)
			fi;
			extending = false;
			it = 0;
			seen = 0
		}
	od
}

/* Tenure.revoke, by a worker that does not call it from within its methods. */
active [REVOKERS] proctype Revoker() {
	byte until, n;

	asked || acquired;      /* it has its terms */
	do
	:: n < REVOKES ->
		d_step { until = decided; n++ };        /* what it decides on later is not meant */
#if RING
		d_step { !granting; granting = true;
			if
			:: !IS(M_DISCARD_FIRST) -> withdraw()
			:: else
			fi };
		d_step { !mu; discard() };
#else
		d_step { !granting; granting = true; withdraw() };
#endif
		d_step {
#if RING
			if
			:: IS(M_DISCARD_FIRST) -> withdraw()
			:: else
			fi;
#endif
			revoked++;
			revokes--;
			wanted = wanted || !IS(M_NOT_ASKED_AGAIN);
			startRenewing();
			granting = false
		};
		d_step { withdrawn = MAX(withdrawn, until); until = 0 }
	:: else -> break
	od
}

/* Close, and Tenure.Stop within it; how long that waits is nobody's business here. */
active [CLOSERS] proctype Closer() {
	byte early;

	returned;
#if FAULT == M_LAST_EARLY
	early = LAST;
#endif
	d_step {
#if RING
		!mu;
#endif
		if
		:: !closed -> closed = true; ended = true; reservation = 0; finish(); close = (IS(M_LAST_EARLY) -> early : LAST)
		:: else
		fi;
		early = 0
	};
	if
	:: d_step { !stopped || IS(M_RELEASE_TWICE) -> stopped = true };
		d_step { quit = true; ending = true }
	:: else
	fi
}

/* The goroutine that Stop starts. */
active [CLOSERS] proctype Ending() {
end:
	d_step { ending -> ending = false };
	renewed || !renewing || IS(M_RELEASE_EARLY);
	d_step {
		enter();
		released++;
		bound = close;
		assert(newest <= bound)
	};
	asked = false
}

/* ------------------------------------------------------------------- those who draw */

active proctype Clock() {
end:
	do
	:: d_step { clocks && clock < TICKS -> clocks--; clock++ }
	od
}

#if RING
/* A claim is one atomic add; what becomes of it is the business of the ring's model. */
active proctype Taker() {
	byte by;

end:
	do
	:: d_step { !shut && head < tail -> issue(head, under[head]); claimed = true; head++; tidy() }
	:: d_step { returned && (!ended || IS(M_CLOSE_REFILLS)) -> look(by) };  /* by a taker, or by run */
		d_step { fill(by) }
	od
}
#else
#define FITS    (mark < tick && (IS(M_UNRESERVED) || first[by] <= tick && tick <= last[by]))
#define STAYS   (IS(M_NO_RECHECK) || (IS(M_RECHECK_FIRST) -> stays : was == version))

/* Generator.take. */
active [TAKERS] proctype Taker() {
	byte by, was, tick;
	bool stays;

end:
	do
	:: d_step { returned && mark < TICKS && reservation -> by = reservation; was = version; tick = clock };
#if FAULT == M_RECHECK_FIRST
		stays = was == version;
#endif
		if
		:: d_step { FITS -> mark = tick };
			d_step {
				if
				:: STAYS -> issue(tick, by)
				:: else -> WITNESS(W_OUTDATED)
				fi;
				want(tick, by);
				by = 0; was = 0; tick = 0; stays = false
			}
		:: d_step { !FITS -> want(tick, by); by = 0; was = 0; tick = 0; stays = false }
		fi
	od
}
#endif

/* A generator without a reservation is about to get one. */
active proctype Watch() {
end:
	d_step {
		returned && !closed && !reservation && !wanted && !extending && !granting;
		assert(false)
	}
}
