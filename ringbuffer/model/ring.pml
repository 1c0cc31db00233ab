/*
 * The ring of runs (package ringbuffer) and those who share it (package cached):
 * takers, those of them that wait, the goroutine that refills, the worker that grants and
 * revokes, Close.
 * README.md says what has to hold, and what is left out.
 *
 * An access to a word that somebody else may write at that moment (cursor, front,
 * and for who does not hold the lock tail and the flags) is a step of its own, and
 * so is every write of such a word. All else is done within the step before or after
 * it. The names are those of the Go code.
 *
 * A macro M_... puts a fault into the model, which has to be found then. The list in
 * check says which fault it is.
 */

/* The size of a configuration. */
#ifndef TAKERS
#define TAKERS   2      /* goroutines that draw */
#endif
#ifndef CALLS
#define CALLS    2      /* calls of each */
#endif
#ifndef FILL
#define FILL     0      /* largest claim of a Fill; 0: all calls are GetUIDs */
#endif
#ifndef S
#define S        0      /* sequence bits; 0 is the classic ring of single UIDs */
#endif
#ifndef SLOTS
#define SLOTS    2
#endif
#ifndef LEAD
#define LEAD     1      /* ticks by which a UID may be ahead of the steady clock */
#endif
#ifndef LAG
#define LAG      1      /* ticks by which it may be behind the wall clock */
#endif
#ifndef CLOCKS
#define CLOCKS   1      /* times that the clock moves on at any moment it likes */
#endif
#ifndef JUMP
#define JUMP     1      /* ticks by which it does so at most */
#endif
#ifndef BACK
#define BACK     0      /* 1: the wall clock is set back by a tick, once */
#endif
#ifndef RANDOM
#define RANDOM   0      /* 1: Config.RandomStart */
#endif
#ifndef GIVEUP
#define GIVEUP   0      /* 1: a call that would have to wait may also fail, */
#endif                  /* 2: or stop waiting at some moment */
#ifndef GRANTS
#define GRANTS   0      /* 1: only ticks up to RESERVED are reserved at first, under */
#endif                  /* worker 0, and all under worker 1 at some later moment */
#ifndef RESERVED
#define RESERVED 3
#endif
#ifndef DISCARDS
#define DISCARDS 0      /* 1: and before that, what was reserved at first is revoked */
#endif
#ifndef CLOSES
#define CLOSES   0      /* 1: Close is called at some moment */
#endif

#define R        (1 << (S))
#define SHUT     128    /* the cursor of a shut ring */
#define NOCLAIM  255    /* a position that was claimed of a shut ring */
#define NORUN    254
#define NEVER    255
#define NOBODY   255

/* A position is tick<<S | sequence, a run is tick<<1 | worker ID. */
#define TICK(p)       ((p) >> (S))
#define SEQ(p)        ((p) & (R - 1))
#define FIRST(t)      ((t) << (S))
#define RUN(t, w)     (((t) << 1) | (w))
#define RUNTICK(r)    ((r) >> 1)
#define RUNWORKER(r)  ((r) & 1)
#define SLOT(t)       flag[(t) % SLOTS]
#define HOLDS(t)      (RUNTICK(SLOT(t)) == (t))
#define HAS(set, i)   (((set) >> (i)) & 1)
#define MAX(a, b)     ((a) > (b) -> (a) : (b))
#define MIN(a, b)     ((a) < (b) -> (a) : (b))

/* The ring. isShut and resume are the producer's. */
byte cursor = SHUT;
byte front = NORUN;
byte tail;
byte flag[SLOTS] = NORUN;
bool isShut = true;
byte resume;

/* The generator: its lock, and what that guards. */
bool mu;
bool started, discarded, closed, parked;
bool workerID;
byte last = (GRANTS -> RESERVED : 31);   /* of the reservation */
byte seen;

/* The calls in wait. */
byte waiting;                   /* how many have not been served */
byte ahead;                     /* the set of those that hold a position ahead of the tail: */
byte held[TAKERS];              /* this one */
byte line[TAKERS] = NOBODY;     /* the others, in their order; */
byte served;                    /* the first so many have been served */
byte given[TAKERS];             /* the first position that a call was given, or 0, */
byte many[TAKERS];              /* how many, */
byte from[TAKERS];              /* and of which run */
byte news;                      /* the set of those that have yet to look at the grant again */

/* What the holder of the lock is about; zero when nobody holds it. */
byte now, steady, limit, next, at;
byte who, x;
#ifdef M_SHUT_LOAD
byte loaded;
#endif

/* What is seen from everywhere. */
byte clock = 1;                 /* the steady clock */
bool back;                      /* the wall clock is a tick behind it */
byte alarm = 2;                 /* when the refiller's timer fires */
bool kick, quit, quitted;
byte ended;                     /* calls that have returned */

/* What only the properties know. */
int  published, under1;         /* the ticks published, and those under worker 1 */
int  issued;                    /* the positions whose UIDs calls have got */
int  dropped;                   /* the ticks of which a claim was given up as missed */
byte low;                       /* calls that begin now get this position or later */
int  withdrawn;                 /* the ticks that were published before the revocation */
byte before[TAKERS];            /* who was in line when a call came */

/* ---------------------------------------------------------------- ringbuffer */

/* Ring.Take's and Ring.Claim's add. All values of a shut ring's cursor count as the
 * same here: nothing is done with them but to see that they are no positions. */
inline claim(n) {
	if
	:: cursor >= SHUT -> pos = NOCLAIM
	:: else ->
		assert(waiting == 0);               /* nobody passes a call that waits */
		pos = cursor + 1; cursor = cursor + n
	fi
}

#define LEFT (R - SEQ(pos))     /* Ring.Left */

/* A call gets the UIDs of so many positions of run r, from pos on. They count as
 * returned at this very moment, before the call is over: that asks more of the calls that
 * begin meanwhile. What Discard or Close has made void is below low as well. */
inline issue(count) {
	assert(r != NORUN);
	assert(HAS(published, RUNTICK(r)));                 /* of a published tick, */
	assert(HAS(under1, RUNTICK(r)) == RUNWORKER(r));    /* of its own worker, */
	assert(count <= LEFT);                              /* no further than it goes, */
	k = 0;
	do
	:: k == count -> break
	:: else ->
		uid = FIRST(RUNTICK(r)) + SEQ(pos) + k;
		assert(uid < 31);
		assert(!HAS(issued, uid));                  /* for the first time, */
		assert(uid >= mine);                        /* in strict order */
		issued = issued | (1 << uid);
		low = MAX(low, uid + 1);
		mine = uid + 1;
		k++
	od;
	uid = 0; k = 0
}

/* Ring.Resolve: what the claim on pos is worth. This is its second half, from where it
 * reads the flag, for a tick below the tail. */
mtype = { Taken, Ahead, Missed, NotOpen };

inline lap(f) {
	r = f;
	if
#ifdef M_NO_LAP_SLOT
	:: true -> state = Taken
#else
	:: RUNTICK(r) == TICK(pos) -> state = Taken
	:: else ->
		r = 0;
		state = Missed;
		/* No claim is given up of which a UID could be had, now or later. */
		assert(!HOLDS(TICK(pos)));
		if
		:: HAS(published, TICK(pos))
		:: else -> dropped = dropped | (1 << TICK(pos))
		fi
#endif
	fi
}

#ifdef M_AHEAD_LOST
#define BEYOND (TICK(pos) > tail)
#else
#define BEYOND (TICK(pos) >= tail)
#endif

/* All of Resolve for the lock's holder, to whom tail and flags stand still. */
inline resolve() {
	if
	:: pos == NOCLAIM -> state = NotOpen
#ifdef M_AHEAD_TAKEN
	:: pos != NOCLAIM && BEYOND && front != NORUN ->
		r = RUN(TICK(pos), RUNWORKER(front)); state = Taken
	:: pos != NOCLAIM && BEYOND && front == NORUN -> state = Ahead
#else
	:: pos != NOCLAIM && BEYOND -> state = Ahead
#endif
	:: pos != NOCLAIM && !BEYOND -> lap(SLOT(TICK(pos)))
	fi
}

#define POSITION (isShut -> resume : cursor + 1)

/* Ring.Shut: one swap. */
inline shut() {
	if
	:: isShut
	:: else ->
		isShut = true;
		resume = cursor + 1;
		cursor = SHUT
	fi
}

/* Ring.hasRoom. That there is room stays true until it is used. */
#ifdef M_ROOM
#define ROOM (tail <= TICK(POSITION) + SLOTS)
#else
#define ROOM (tail < TICK(POSITION) + SLOTS)
#endif

/* Ring.publish. It begins with the store to the flag, */
inline publish() {
	assert(!HAS(published, next));      /* a tick is published once, */
	assert(!HAS(dropped, next));        /* and not when claims on it were given up */
	published = published | (1 << next);
	under1 = under1 | (workerID << next);
	SLOT(next) = RUN(next, workerID)
}

/* and ends with those to front, if it is the first run, and to the tail. */
inline raise() {
	if
	:: atomic { front == NORUN -> front = RUN(next, workerID) };
		tail = next + 1
	:: atomic { front != NORUN -> tail = next + 1 }
	fi
}

#ifdef M_PUBLISH_FIRST
#define PUBLISH  tail = next + 1
#define RAISE    atomic { publish(); front = (front == NORUN -> RUN(next, workerID) : front) }
#elif defined(M_TORN)
#define PUBLISH  SLOT(next) = RUN(next, 0)
#define RAISE    raise(); atomic { publish() }
#else
#define PUBLISH  publish()
#define RAISE    raise()
#endif

/* Ring.Put's part of the properties: the slot's run was used up or passed over, and
 * the ticks have no hole that the clock did not make. */
inline fits() {
	assert(next == tail && HAS(published, next - 1));
	assert(SLOT(next) == NORUN || RUNTICK(SLOT(next)) < TICK(POSITION))
}

/* Ring.moveTo of run r and sequence s. There is no way back. */
inline moveTo(s) {
#ifdef M_MOVE_OPEN
	if
	:: !isShut -> cursor = FIRST(RUNTICK(r)) + s - 1; front = r
	:: isShut && FIRST(RUNTICK(r)) + s >= resume -> resume = FIRST(RUNTICK(r)) + s; front = r
	:: isShut && FIRST(RUNTICK(r)) + s < resume
	fi
#else
	if
#ifdef M_SKIP_BACK
	:: true ->
#else
	:: FIRST(RUNTICK(r)) + s < resume
	:: FIRST(RUNTICK(r)) + s >= resume ->
#endif
		resume = FIRST(RUNTICK(r)) + s;
		front = r
	fi
#endif
}

/* -------------------------------------------------------------------- cached */

inline unlock() {
	mu = false;
	now = 0; steady = 0; limit = 0; next = 0; at = 0; who = 0
}

/* What refill begins with: the clock, the reservation and the position. */
inline look() {
	steady = clock;
	now = clock - back;
	limit = MIN(steady + LEAD, last);
#ifdef M_REPUBLISH
	next = (discarded -> now : MAX(tail, now));
#else
	next = MAX(tail, now);
#endif
	at = TICK(POSITION);
#ifdef M_SHUT_LOAD
	loaded = POSITION
#endif
}

/* What refill is to do before it puts ticks. */
#define USABLE    (started && !discarded)
#ifdef M_STALE_AT_TAIL
#define STALE     (USABLE && at + LAG < now)
#define RESTARTS  (next <= limit && (next > tail || !USABLE))
#else
#define STALE     (USABLE && at + LAG < now && now >= tail)
#define RESTARTS  (next <= limit && (next > tail || !USABLE || STALE))
#endif
#define SKIPS     (!RESTARTS && USABLE && at < now && now < tail)
#define WITHDRAWS (!RESTARTS && !SKIPS && STALE)

#ifdef M_CLOSE_REFILLS
#define OPEN      true
#else
#define OPEN      (!closed)
#endif

/* The Shut that begins a move. */
inline shutToMove() {
#ifdef M_SHUT_LOAD
	if
	:: isShut
	:: else -> isShut = true; resume = loaded; cursor = SHUT
	fi
#elif defined(M_MOVE_OPEN)
	skip
#else
	shut()
#endif
}

/* The queue's line: what follows the first place moves up, or makes room. */
inline moveUp(i) {
	x = i;
	do
	:: x + 1 < TAKERS -> line[x] = line[x + 1]; x++
	:: else -> break
	od;
	line[TAKERS - 1] = NOBODY;
	x = 0
}

inline insert(i, w) {
	x = TAKERS - 1;
	do
	:: x > i -> line[x] = line[x - 1]; x--
	:: else -> break
	od;
	line[i] = w;
	x = 0
}

/* queue.join */
inline join() {
	assert(given[_pid] == 0);
	waiting++;
	news = news & ~(1 << _pid);
	if
	:: pos == NOCLAIM ->
		x = 0;
		do
		:: line[x] != NOBODY -> before[_pid] = before[_pid] | (1 << line[x]); x++
		:: else -> break
		od;
		line[x] = _pid;
		x = 0
	:: else -> ahead = ahead | (1 << _pid); held[_pid] = pos
	fi;
#ifndef M_PARK_DEAF
	parked = false;
#endif
#ifndef M_NO_KICK
	if
	:: waiting == 1 -> kick = true
	:: else
	fi
#endif
}

/* queue.leave, of a call that was served or not. */
inline leave() {
	if
	:: given[_pid] == 0 -> waiting--
	:: else
	fi;
	if
	:: HAS(ahead, _pid) -> ahead = ahead & ~(1 << _pid)
	:: else ->
		who = 0;
		do
		:: line[who] != _pid -> who++
		:: else -> break
		od;
		if
		:: who < served -> served--
		:: else
		fi;
		moveUp(who);
		who = 0
	fi;
	held[_pid] = 0; given[_pid] = 0; many[_pid] = 0; from[_pid] = 0; before[_pid] = 0;
	who = 0;
	do
	:: who == TAKERS -> break
	:: else -> before[who] = before[who] & ~(1 << _pid); who++
	od;
	who = 0
}

/* queue.serve: a call whose own claim lies in a tick that is published by now. */
#define DUE(i) (HAS(ahead, i) && TICK(held[i]) < tail)
#if TAKERS > 2
#define ANYDUE (DUE(0) || DUE(1) || DUE(2))
#else
#define ANYDUE (DUE(0) || DUE(1))
#endif

/* line.serve for calls given a position: Serve of package queue. */
inline serveAhead() {
	who = 0;
	do
	:: !DUE(who) -> who++
	:: else -> break
	od;
	ahead = ahead & ~(1 << who);
	if
	:: HOLDS(TICK(held[who])) ->
		front = SLOT(TICK(held[who]));
		given[who] = held[who];
		many[who] = 1;
		from[who] = front;
		insert(0, who);
		served++;
		waiting--
	:: else ->
		/* Passed over: it is first in line. */
		dropped = (HAS(published, TICK(held[who])) -> dropped : dropped | (1 << TICK(held[who])));
		held[who] = 0;
		insert(served, who)
	fi
}

/* Another one gets what is left of the tick, up to what it wants: Ring.Allot. */
inline serveLine() {
#ifdef M_LAST_FIRST
	who = TAKERS - 1;
	do
	:: line[who] == NOBODY -> who--
	:: else -> break
	od;
	x = line[who];
	line[who] = line[served];
	line[served] = x;
	x = 0;
#endif
	who = line[served];
	at = before[who];
	x = 0;
	do
	:: x == served -> break
	:: else -> at = at & ~(1 << line[x]); x++
	od;
	assert(at == 0);                    /* nobody who came before it is left in line */
	assert(HOLDS(TICK(resume)));
	front = SLOT(TICK(resume));
	given[who] = resume;
	many[who] = MIN((FILL -> FILL : 1), R - SEQ(resume));
	from[who] = front;
#ifndef M_GRANT_TWICE
	resume = resume + many[who];
#endif
	x = 0; at = 0;
	served++;
	waiting--
}

#define LINEDUE   (served < TAKERS && line[served] != NOBODY && isShut && TICK(resume) < tail)
#define SERVABLE  (OPEN && USABLE && (ANYDUE || LINEDUE))
#ifdef M_SKIP_QUEUE
#define SERVES    (SERVABLE && ANYDUE)
#elif defined(M_SERVE_IF_LEFT)
#define SERVES    (SERVABLE && TICK(resume) < tail)
#else
#define SERVES    SERVABLE
#endif
#define PUTS      (OPEN && next <= limit && ROOM)

/* queue.withdraw */
inline withdraw() {
	x = 0;
	do
	:: x == served -> break
	:: else ->
		given[line[x]] = 0; many[line[x]] = 0; from[line[x]] = 0; held[line[x]] = 0;
		waiting++;
		x++
	od;
	served = 0;
	x = 0
}

/* refill, behind look. */
inline refill() {
	if
	:: atomic { OPEN && RESTARTS -> shutToMove() };
		atomic { PUBLISH };
		RAISE;
		atomic {
			r = SLOT(next);
			if
			:: moveTo(0)
			:: RANDOM && R > 1 -> moveTo(R - 1)
			fi;
			r = 0;
			started = true; discarded = false;
			next++
		}
	:: atomic { OPEN && SKIPS -> shutToMove() };
		atomic {
			assert(HOLDS(now));
			r = SLOT(now);
			if
			:: moveTo(0)
			:: RANDOM && R > 1 -> moveTo(R - 1)
			fi;
			r = 0
		}
	:: atomic { OPEN && WITHDRAWS -> shutToMove(); discarded = true }
	:: !(OPEN && (RESTARTS || SKIPS || WITHDRAWS))
	fi;
	do
	:: atomic { PUTS -> fits(); PUBLISH };
		RAISE;
		next++
#ifdef M_REJECT_USES
	:: atomic { OPEN && next <= limit && !ROOM -> tail = next + 1; break }
#endif
	:: atomic { !PUTS && SERVES ->
			if
			:: ANYDUE -> serveAhead()
			:: else -> serveLine()
			fi;
#ifdef M_SERVE_ONCE
			limit = 0;
#endif
			who = 0
		}
	:: !PUTS && !SERVES -> break
	od
}

/* reopen: Ring.Open, if there is something left. */
inline reopen() {
	if
	:: OPEN && started && !discarded ->
		if
		:: isShut && TICK(resume) < tail ->
			isShut = false;
#ifdef M_OPEN_LOW
			cursor = resume - 2;
#else
			cursor = resume - 1;
#endif
			if
			:: parked -> parked = false; kick = true
			:: else
			fi
		:: else
		fi
	:: else
	fi
}

/* topUp, of who enters a run. It may always find the lock taken, or enough in the
 * ring: whether it does is left open. */
inline topUp() {
	if
	:: true
	:: atomic { !mu -> mu = true; look() };
		refill();
		atomic { reopen(); unlock() }
	fi
}

/* draw, one turn of its loop: what to do next, with the lock held. */
mtype = { Issue, Claim, Refill, Fail };

/* Generator.settle, and draw of a call with a place in the queue. */
inline draw() {
	if
	:: closed -> todo = Fail
	:: else ->
		resolve();
		if
		:: state == Missed -> pos = NOCLAIM; state = NotOpen
		:: else
		fi;
		if
#ifndef M_FILL_REST
		:: pos == NOCLAIM -> n = 1      /* the rest of the claim is given up */
#endif
		:: else
		fi;
		if
		:: state == Taken -> todo = Issue
		:: state == NotOpen && !isShut -> todo = Claim
		:: state == Ahead || state == NotOpen && isShut ->
			todo = (refilled -> Fail : Refill)
		fi
	fi;
	state = 0
}

/* The call gets m positions of its claim. */
inline get() {
	issue(m);
	pos = pos + m;
	n = n - m;
	slow = false;
	r = 0; m = 0; state = 0;
	if
	:: n == 0 -> pos = 0; mine = 0
	:: else
	fi
}

/* It gets as many as lie in the run of the first one. */
inline issueShare() {
#ifdef M_FILL_ACROSS
	m = n;
#else
	m = MIN(n, LEFT);
#endif
	get()
}

/* collect: a call takes what it was given, and leaves. */
inline collect() {
	assert(!closed);                                    /* Close frees all, */
	assert(!HAS(withdrawn, TICK(given[_pid])));         /* and a revocation takes back */
	if
	:: given[_pid] == pos -> n = MAX(n, 1); m = MIN(n, LEFT)
	:: else -> pos = given[_pid]; n = many[_pid]; m = n
	fi;
	r = from[_pid];
	leave();
	waits = false;
	get()
}

/* What Generator.draw does before it returns an error. */
inline giveUp() {
	pos = 0; n = 0; mine = 0;
	slow = false
}

active [TAKERS] proctype Taker()
{
	byte calls = CALLS;
	byte mine;              /* low when the call began */
	byte pos, n;            /* what the call has claimed and not settled yet */
	bool slow;              /* Resolve was of no use: the lock is needed */
	bool refilled, enters;
	bool waits;             /* it has a place in the queue */
	byte r, m, k, uid;
	mtype state, todo;

	do
	:: n == 0 && calls == 0 -> break

	/* Ring.Take: the guess, the claim, the comparison. */
#ifdef M_STALE_EMPTY
	:: atomic { n == 0 && calls > 0 -> calls--; mine = low; pos = cursor };
		if
		:: atomic { pos < SHUT && TICK(pos + 1) < tail -> slow = false };
			atomic { claim(1); slow = (pos == NOCLAIM); n = 1 };
			if
			:: atomic { !slow -> r = SLOT(TICK(pos)); m = 1; get() }
			:: slow
			fi
		:: atomic { !(pos < SHUT && TICK(pos + 1) < tail) -> pos = NOCLAIM; slow = true; n = 1 }
		fi
#else
	:: atomic { n == 0 && calls > 0 -> calls--; mine = low; r = front };
#ifdef M_CLAIM_SPLIT
		m = cursor;
#endif
		atomic {
#ifdef M_CLAIM_SPLIT
			pos = (m >= SHUT || cursor >= SHUT -> NOCLAIM : m + 1);
			cursor = (pos == NOCLAIM -> cursor : pos);
			m = 0;
#else
			claim(1);
#endif
			n = 1;
			if
#ifdef M_NO_LAP
			:: pos != NOCLAIM && r != NORUN -> m = 1; get()
#else
			:: pos != NOCLAIM && RUNTICK(r) == TICK(pos) -> m = 1; get()
#endif
			:: else -> r = 0; slow = (pos == NOCLAIM)
			fi
		}
#endif

#if FILL
	/* Fill's claim, Ring.TakeN; how much Ring.Ready lets it claim is left open. What Lanes claim is the
	 * same with a guess that is of no use. */
	:: atomic { n == 0 && calls > 0 -> calls--; mine = low; r = front };
		atomic {
			if
			:: n = 1
			:: n = FILL
			fi;
			claim(n);
			if
#ifdef M_TAKE_ACROSS
			:: pos != NOCLAIM && RUNTICK(r) == TICK(pos) -> m = n; get()
#else
			:: pos != NOCLAIM && RUNTICK(r) == TICK(pos) && n <= LEFT -> m = n; get()
#endif
			:: else -> r = 0; slow = (pos == NOCLAIM)
			fi
		}
#endif

	/* Ring.Resolve without the lock, and what enter and takeSlow do with it. */
#ifdef M_FLAG_FIRST
	:: atomic { n > 0 && !slow -> m = SLOT(TICK(pos)) };
		atomic {
			if
			:: BEYOND -> state = Ahead
			:: else -> lap(m)
			fi;
			m = 0
		};
#else
	:: atomic { n > 0 && !slow && BEYOND -> slow = true }
	:: atomic { n > 0 && !slow && !BEYOND -> skip };
		atomic { lap(SLOT(TICK(pos))) };
#endif
		if
		:: atomic { state == Taken ->
#ifdef M_HANDOVER
				r = SLOT(TICK(pos));
#endif
				front = r;
				enters = (SEQ(pos) == 0);
				issueShare()
			};
			if
			:: atomic { enters -> enters = false };
				topUp()
			:: !enters
			fi
		:: atomic { state != Taken -> slow = true; state = 0 }
		fi

	/* settle with the lock */
	:: atomic { n > 0 && slow && !waits && !mu -> mu = true; refilled = false; draw() };
		do
		:: atomic { todo == Issue ->
				front = r;
				issueShare();
				todo = 0;
				unlock()
			};
			break
		:: atomic { todo == Claim ->
				claim(1);
#ifndef M_REFILL_ONCE
				refilled = false;
#endif
				draw()
			}
		:: atomic { todo == Refill -> look() };
			refill();
			atomic { reopen(); refilled = true; draw() }
		:: atomic { todo == Fail && closed -> todo = 0; giveUp(); unlock() };
			break
		:: atomic { todo == Fail && !closed ->
#ifndef M_JOIN_OPEN
				shut();
#endif
				assert(next > limit);   /* no call fails or waits for a tick that may be issued */
				todo = 0;
				if
				:: GIVEUP -> giveUp()
				:: true -> join(); waits = true
				fi;
				unlock()
			};
			break
		od

	/* what draw does with a call that has a place */
	:: atomic { waits && !mu && given[_pid] != 0 -> collect() }
	:: atomic { waits && !mu && given[_pid] == 0 && GIVEUP > 1 ->
#ifdef M_STAYS
			waiting--;
#else
			leave();
#endif
			waits = false;
			giveUp()
		}
	:: atomic { waits && !mu && given[_pid] == 0 && HAS(news, _pid) ->
			mu = true;
			news = news & ~(1 << _pid)
		};
		if
		:: atomic { closed -> leave(); waits = false; giveUp(); unlock() }
		:: atomic { !closed -> look() };
			refill();
			atomic { reopen() };
			atomic {
				if
				:: given[_pid] != 0 -> collect()
				:: else ->
					assert(next > limit);
					if
					:: GIVEUP -> leave(); waits = false; giveUp()
					:: true
					fi
				fi;
				unlock()
			}
		fi
	od;
	ended++
}

/* Generator.run and tend */
active proctype Refiller()
{
	bool timedOut;
	byte r;

end:
	do
	:: quit -> break
	:: atomic { kick -> kick = false; timedOut = false }; goto tend
	:: atomic { clock >= alarm -> alarm = NEVER; timedOut = true }; goto tend
	od;
	quitted = true;
	goto over;

#define IDLE (timedOut && waiting == 0 && POSITION == seen)
tend:
	if
	:: atomic { !mu && (closed || parked) -> alarm = NEVER; timedOut = false }
	:: atomic { !mu && !closed && !parked && IDLE -> mu = true };
		atomic {
			shut();
			parked = true;
			alarm = NEVER;
			timedOut = false;
			unlock()
		}
	:: atomic { !mu && !closed && !parked && !IDLE -> mu = true; timedOut = false; look() };
		refill();
		atomic { reopen() };
		atomic {
			seen = POSITION;
#ifdef M_LATE_ALARM
			alarm = clock + 1;
#else
			alarm = steady + 1;
#endif
			unlock()
		}
	fi;
	goto end;
over:
	skip
}

/* Nobody waits in vain: nothing more may be issued before the clock moves on, and nothing
 * is published that a call waits for. */
inline quiet() {
	assert(clock < 12);
	assert(waiting > 0 && !closed && !mu && !SERVABLE);
	assert(MAX(tail, clock - back) > MIN(clock + LEAD, last))
}

/* Time. It goes on at any moment a few times, and then whenever nothing else can
 * happen, until every call has come to an end. */
active proctype Clock()
{
	byte left = CLOCKS;

	do
	:: atomic { left > 0 -> left--; clock++ }
	:: atomic { left > 0 && JUMP > 1 -> left--; clock = clock + JUMP }
	:: atomic { BACK && !back && clock > 1 && left > 0 -> back = true }
	:: atomic { timeout ->
			if
			:: ended == TAKERS -> break
			:: else -> quiet(); clock++
			fi
		}
	od
}

#if GRANTS
/* The worker: Discard, then Granted. */
active proctype Worker()
{
#if DISCARDS
	atomic { !mu ->
#ifndef M_DISCARD_OPEN
		shut();
#endif
#ifndef M_KEEP_GIVEN
		withdraw();
#endif
		withdrawn = published;
#ifndef M_DISCARD_PARKED
		parked = false;
#endif
		discarded = true;
		last = 0;
		low = MAX(low, FIRST(tail))     /* void is what was published so far */
	};
#endif
	atomic { !mu -> last = 31; workerID = 1; kick = true; news = (1 << TAKERS) - 1 }
}
#endif

#if CLOSES
/* Generator.CloseContext. */
active proctype Closer()
{
	atomic { !mu ->
		closed = true;
#ifndef M_CLOSE_OPEN
		shut();
#endif
#ifndef M_CLOSE_KEEPS
		withdraw();
#endif
		low = NEVER;
#ifndef M_CLOSE_DEAF
		news = (1 << TAKERS) - 1;
#endif
		quit = true
	};
	quitted
}
#endif
