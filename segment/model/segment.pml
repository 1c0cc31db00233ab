/*
 * The row of a tag and those who take numbers from it: generators, as segment/decide.go has
 * them, and programs that know nothing of takers. The store changes the row by
 * compare-and-swap. Replies are lost, writes arrive late, the store may lose the last
 * ones, and people lower the next number. README.md says what has to hold, and what is left out.
 *
 * A generator reads the row and decides in one step, and writes in another. One that takes no
 * step is paused, or waits for a reply.
 *
 * FAULT=M_... takes a rule out, and then an assertion must fail.
 * SEEN=W_... makes the search stop where something happens, to show that it can.
 */

/* The size of a configuration. */
#ifndef GENERATORS
#define GENERATORS 2    /* at most 3 */
#endif
#ifndef TAKES
#define TAKES      2    /* attempts of each to take, */
#endif
#ifndef STEP
#define STEP       1    /* so many numbers at most (2) */
#endif
#ifndef GIVES
#define GIVES      1    /* attempts of each to give numbers back */
#endif
#ifndef FOREIGN
#define FOREIGN    1    /* takes of programs that know nothing of takers (Leaf) */
#endif
#ifndef DOUBTS
#define DOUBTS     1    /* replies that are lost (at most 2): the write arrives at any time, or never */
#endif
#ifndef TAKERS
#define TAKERS     2    /* that the row remembers (MaxTakers), at most 3 */
#endif
#ifndef LOSES
#define LOSES      0    /* writes that the store loses at some moment, at most (2) */
#endif
#ifndef HAND
#define HAND       0    /* 1: somebody lowers the next number by hand, or removes it, and may raise it again */
#endif
#ifndef CONTENT
#define CONTENT    (FAULT == M_CONTENT)         /* 1: the store compares what is in the row, 0: versions */
#endif
#ifndef CREATES
#define CREATES    1    /* 1: the row is missing at first, 0: it is there */
#endif
#define TOP        14   /* the largest number */

/* What has to hold; a mutant may say which part to look at. */
#define RULE_ONCE       1       /* no number is given out twice, */
#define RULE_STOPS      2       /* a generator stops when the store has lost its take, */
#define RULE_GOES_ON    4       /* and only when it has lost something, */
#define RULE_HOLES      8       /* and there are no holes without a reason; */
#define RULE_SEEN      16       /* who has seen the row further takes nothing */
#ifndef RULES
#define RULES      31
#endif

/* The rules that can be taken out. */
#ifndef FAULT
#define FAULT               0
#endif
#define M_NEXT_ONLY         1
#define M_CONTENT           2
#define M_BLIND             3
#define M_COUNTED           4
#define M_STALE             5
#define M_NO_CONFIRM        6
#define M_NO_DOUBT          7
#define M_DOUBT_NEWEST      8
#define M_DOUBT_ALIKE       9
#define M_NOT_TAKEN_UP     10
#define M_TAKEN_UP_TWICE   11
#define M_NO_NOTE          12
#define M_ORDER            13
#define M_FORGETS_NONE     14
#define M_FORGETS_ALL      15
#define M_BACK_NO_NOTE     16
#define M_BACK_ALWAYS      17
#define M_BACK_USED        18
#define M_BACK_IN_DOUBT    19
#define M_BACK_TWICE       20
#define M_BACK_NO_DOUBT    21
#define M_BACK_HAS         22
#define M_BACK_FORGOTTEN   23
#define M_SEEN_NONE        24
#define M_SEEN_OWN         25
#define M_SEEN_NEXT        26
#define M_SEEN_DOUBTED     27
#define M_FLOOR_NONE       28
#define M_FLOOR_LEFT       29
#define M_BACK_FLOOR       30
#define M_MADE_ANEW        31
#define M_SEEN_READ        32

/* What can happen. */
#ifndef SEEN
#define SEEN                0
#endif
#define W_TAKEN_UP          1
#define W_LATE              2
#define W_REFUSED           3
#define W_FORGOTTEN         4
#define W_GIVEN_BACK        5
#define W_BACK_LATE         6
#define W_KEPT              7
#define W_BELOW             8
#define W_LOST              9
#define W_TWICE            10
#define W_UNNOTICED        11
#define W_RESTORED         12
#define W_UNSEEN           13
#define W_BEHIND           14
#define W_LOWERED          15
#define W_REMOVED          16
#define W_ACCEPTED         17

#define IS(fault)       (FAULT == fault)
#define WITNESS(event)  assert(SEEN != event)
#define RULE(is)        (!(RULES & (is)))       /* or else this has to hold: ... */
#define HAS(set, k)     (((set) >> (k)) & 1)
#define MIN(a, b)       ((a) < (b) -> (a) : (b))

/* A row is its next number, 0 if there is none; a note for each taker, the oldest first; how often
 * it was written by those who keep notes, and the next number as they left it. A note is a
 * generator, from 1 on, and the last number that it took; 0 is none. */
#define NEXT(r)         ((r) & 15)
#define NOTES(r)        ((r) >> 4 & 262143)
#define WRITES(r)       ((r) >> 22 & 15)
#define FLOOR(r)        ((r) >> 26 & 15)
#define ROW(next, n)    ((next) | (n) << 4)
/* Row.Stamp: a row without writes and floor that is written over another one. */
#define STAMPED(r, was) ((r) | (WRITES(was) + 1) << 22 | (IS(M_FLOOR_LEFT) -> FLOOR(was) : NEXT(r)) << 26)
/* How far the row has come: in an order that giving back keeps, too. */
#define MARK(r)         (IS(M_SEEN_NEXT) -> NEXT(r) : WRITES(r) << 4 | NEXT(r))
#define NOTE(r, i)      (((r) >> (4 + 6 * (i))) & 63)
#define OF(g, last)     ((g) << 4 | (last))
#define WHO(note)       ((note) >> 4)
#define LAST(note)      ((note) & 15)
#define FULL(r)         (NOTE(r, TAKERS - 1))

/* The place of a generator's note, TAKERS if there is none. */
#define FIND(r, g)      (WHO(NOTE(r, 0)) == g -> 0 : \
                        (TAKERS > 1 && WHO(NOTE(r, 1)) == g -> 1 : \
                        (TAKERS > 2 && WHO(NOTE(r, 2)) == g -> 2 : TAKERS)))

/* A range is its first number and its last; 0 is none. */
#define RANGE(first, last)  ((first) << 4 | (last))
#define FIRST(range)        ((range) >> 4)
#define SET(range)          (((2 << LAST(range)) - 1) & ~((1 << FIRST(range)) - 1))

/* The store. */
int row = (CREATES -> 0 : ROW(1, 0));

/* Writes whose replies were lost: by whom, the row that was read and the one to write, and the
 * range that is taken by that, if one is. */
byte lateBy[2];
int lateFrom[2], lateTo[2];
byte lateTaken[2];

/* Who has read a row that was written since: generators by their numbers, and late writes. */
#define LATE(k)         (4 + (k))
#define EVERYBODY       63
byte outdated;

#if FAULT == M_COUNTED
byte version, lateVersion[2], readVersion[GENERATORS + 1];
#endif
#if FAULT == M_STALE
int old;                        /* the row before the last write */
#endif
byte doubts = DOUBTS;

/* What a generator knows: a taking of decide.go, and the row that it has read. */
typedef Taking {
	bool took;
	byte has, own, before;          /* before is own before the last take */
	byte open[2];           /* ranges */
	byte back;              /* one more than the number; 0 is none */
	byte seen;              /* the furthest MARK that it has read or written */
	int read
}
Taking gen[GENERATORS + 1];

/* What only the properties know. */
short held[GENERATORS + 1];     /* the numbers that a generator may issue, or has issued, */
short foreign;                  /* those of others, */
short excused;                  /* and those that nobody will ever have, for a good reason */
byte over;                      /* late writes for which nobody waits any more: a bit each */
byte ended;                     /* generators that do nothing any more, a bit each, */
byte lost;                      /* those of which the store has lost the last take, */
byte since[GENERATORS + 1];     /* and who has taken since */
byte newest[GENERATORS + 1];    /* the last number of what a generator took last, given back or not */
bool failed;                    /* the store has lost writes, or somebody has lowered its number */
byte sight[GENERATORS + 1];     /* the furthest mark that a generator has seen, */
byte behind;                    /* and those that read less now */
byte hand = HAND;               /* 2: the number was lowered */

/* The last writes: the row before, what others had, and the note of who took. */
int beforeRow[2];
short beforeForeign[2];
byte beforeTook[2];
byte loses = LOSES;

/* Used within steps only. */
hidden int next, notes;
hidden byte took, n, i, at, note, kept;

/* What a decision comes to. */
#define Write      1
#define Kept       2
#define Lost       3
#define No         4
#define Exhausted  5

/* ------------------------------------------------------------------- what has to hold */

#define ALL             ((2 << GENERATORS) - 2)         /* generators, a bit each */
#define HELD(g)         (GENERATORS < g -> 0 : held[(g) % (GENERATORS + 1)])
#define OTHERS(set)     (HAS(set, 1) + HAS(set, 2) + HAS(set, 3))

/* A generator may issue a range from now on. */
inline hold(g, range) {
	for (i : 1 .. GENERATORS) {
		if
		:: held[i] & SET(range) ->
			assert(RULE(RULE_ONCE) || HAS(lost, i));
			WITNESS(W_TWICE)
		:: else
		fi
	};
	assert(RULE(RULE_ONCE) || !(foreign & SET(range)) || hand == 2);
	held[g] = held[g] | SET(range)
}

inline holdForeign(range) {
	for (i : 1 .. GENERATORS) {
		assert(RULE(RULE_ONCE) || !(held[i] & SET(range)) || HAS(lost, i) || hand == 2)
	};
	assert(RULE(RULE_ONCE) || !(foreign & SET(range)) || hand == 2);
	foreign = foreign | SET(range)
}

/* When all have ended each number below the row's next is somebody's, or there is a reason. */
inline account() {
	assert(RULE(RULE_HOLES) || failed || ended < ALL || NEXT(row) < 2 ||
		!(SET(RANGE(1, NEXT(row) - 1)) & ~(HELD(1) | HELD(2) | HELD(3) | foreign | excused)))
}

/* ------------------------------------------------------------------- the store */

/* Does a write find the row as it was read? */
#if FAULT == M_NEXT_ONLY
#define FITS(who, from, v)      (NEXT(row) == NEXT(from))
#elif FAULT == M_CONTENT
#define FITS(who, from, v)      (ROW(NEXT(row), NOTES(row)) == ROW(NEXT(from), NOTES(from)))
#elif CONTENT
#define FITS(who, from, v)      (row == from)
#elif FAULT == M_BLIND
#define FITS(who, from, v)      (true)
#elif FAULT == M_COUNTED
#define FITS(who, from, v)      (version == v)
#else
#define FITS(who, from, v)      (!HAS(outdated, who))
#define REFUSES                 1
#endif

#define drop(k) lateBy[k] = 0; lateFrom[k] = 0; lateTo[k] = 0; lateTaken[k] = 0; over = over & ~(1 << (k))

/* A write is done: the row is the next one. took is the note of who took by it, if one did. */
inline commit() {
#if LOSES
	if
	:: loses ->
		beforeRow[1] = beforeRow[0]; beforeForeign[1] = beforeForeign[0]; beforeTook[1] = beforeTook[0];
		beforeRow[0] = row; beforeForeign[0] = foreign; beforeTook[0] = took
	:: else
	fi;
	if
	:: took ->
		for (i : 1 .. GENERATORS) {
			since[i] = (HAS(lost, i) && WHO(took) != i -> since[i] | 1 << WHO(took) : since[i])
		};
		/* It was decided before the loss, and is the very take that was lost. */
		if
		:: HAS(lost, WHO(took)) && newest[WHO(took)] == LAST(took) -> lost = lost & ~(1 << WHO(took)); since[WHO(took)] = 0
		:: else
		fi
	:: else
	fi;
#endif
#if FAULT == M_COUNTED
	version++;
#endif
#if FAULT == M_STALE
	old = row;
#endif
	row = next;
	outdated = EVERYBODY;
#if defined REFUSES && !LOSES
	drop(0); drop(1);               /* they never arrive */
#endif
	next = 0; took = 0
}

/* The reply is lost. The write arrives at any time, if the row was not written again, or never. */
inline loseReply(g, to, range) {
	doubts--;
	if
#if defined REFUSES && !LOSES
	:: HAS(outdated, g)             /* it never arrives */
#endif
	:: else ->
		n = (lateBy[0] -> 1 : 0);
		assert(!lateBy[n]);
		lateBy[n] = g; lateFrom[n] = gen[g].read; lateTo[n] = to; lateTaken[n] = range;
		outdated = outdated & ~(1 << LATE(n)) | HAS(outdated, g) << LATE(n);
#if FAULT == M_COUNTED
		lateVersion[n] = readVersion[g];
#endif
		n = 0
	fi
}

inline arrive(k) {
	if
	:: lateTaken[k] && (HAS(ended, lateBy[k]) || HAS(over, k)) -> excused = excused | SET(lateTaken[k])
	:: else
	fi;
	assert(SEEN != W_LATE || !lateTaken[k]);
	assert(SEEN != W_BACK_LATE || lateTaken[k]);
	assert(SEEN != W_RESTORED || !failed);
	next = lateTo[k];
	took = (lateTaken[k] -> OF(lateBy[k], LAST(lateTaken[k])) : 0);
	drop(k);
	commit();
	account()
}

/* The last writes are gone, and with them what some generators have. Others do not notice. */
inline undo(j) {
	n = WHO(beforeTook[j]);
	if
	:: n && newest[n] == LAST(beforeTook[j]) -> lost = lost | 1 << n
	:: else
	fi;
	n = 0
}

/* A failover to a server that lagged, or a restored backup, with the versions of before. */
inline lose(j) {
	failed = true;
	loses = 0;
	row = beforeRow[j];
	foreign = beforeForeign[j];
	beforeRow[0] = 0; beforeForeign[0] = 0; beforeTook[0] = 0;
	beforeRow[1] = 0; beforeForeign[1] = 0; beforeTook[1] = 0;
	/* The versions are those of before, too: a write that was decided then is not refused. */
	for (i : 1 .. GENERATORS) {
		outdated = outdated & ~(1 << i) | (gen[i].read != row) << i
	};
	outdated = outdated & 15 | (lateFrom[0] != row) << LATE(0) | (lateFrom[1] != row) << LATE(1)
}

/* ------------------------------------------------------------------- decide.go */

/* taking.note */
inline remember(g, last) {
	notes = 0; n = 0;
	for (i : 0 .. TAKERS - 1) {
		if
		:: NOTE(to, i) && (WHO(NOTE(to, i)) != g || IS(M_ORDER)) ->
			notes = notes | (WHO(NOTE(to, i)) == g -> OF(g, last) : NOTE(to, i)) << 6 * n;
			n++
		:: else
		fi
	};
	if
	:: IS(M_ORDER) && FIND(to, g) < TAKERS
	:: else ->
		if
		:: n == TAKERS -> notes = notes >> 6; n--
		:: else
		fi;
		notes = notes | OF(g, last) << 6 * n
	fi;
	to = ROW(NEXT(to), (IS(M_NO_NOTE) -> NOTES(to) : notes));
	notes = 0; n = 0
}

/* taking.confirm: may it write, was a range kept, or is something lost? */
#define MINE(g)     (gen[g].took && (note == gen[g].has || note + 1 == gen[g].back))
#define OWN(g)      (!IS(M_BACK_HAS) -> gen[g].own : (gen[g].back -> MIN(gen[g].back - 1, gen[g].has) : gen[g].has))

#define BEHIND(g)   (MARK(gen[g].read) < gen[g].seen && !IS(M_SEEN_NONE))
#define LOWERED(g)  (NEXT(gen[g].read) < FLOOR(gen[g].read) && !IS(M_FLOOR_NONE) && !(IS(M_MADE_ANEW) && !NEXT(gen[g].read)))

/* taking.look: has it come as far as it was seen to, and is the number where it was left? */
inline inspect(g) {
	verdict = (BEHIND(g) || LOWERED(g) -> Lost : Write);
	assert(SEEN != W_BEHIND || !BEHIND(g) || HAS(lost, g));
	assert(SEEN != W_LOWERED || !(hand == 2 && NEXT(gen[g].read) && verdict == Lost));
	assert(SEEN != W_REMOVED || !(hand == 2 && !NEXT(gen[g].read) && verdict == Lost));
	gen[g].seen = (verdict == Write && !IS(M_SEEN_OWN) -> MARK(gen[g].read) : gen[g].seen)
}

inline confirm(g) {
	at = FIND(gen[g].read, g);
	note = (at < TAKERS -> LAST(NOTE(gen[g].read, at)) : 0);
	if
	:: !gen[g].took && !gen[g].open[0] || IS(M_NO_CONFIRM) -> verdict = Write
	:: else ->
		if
		:: gen[g].took && NEXT(gen[g].read) <= OWN(g) -> verdict = Lost
		:: else ->
			if
			:: at < TAKERS && MINE(g) && !IS(M_TAKEN_UP_TWICE) ->
				verdict = Write;
				if
				/* It has given back what followed the very number that it has then taken up to, and does not see it. */
				:: gen[g].open[0] && LAST(gen[g].open[0]) == note || gen[g].open[1] && LAST(gen[g].open[1]) == note ->
					WITNESS(W_UNSEEN);
					excuseOpen(g)
				:: else
				fi
			:: at < TAKERS && !(MINE(g) && !IS(M_TAKEN_UP_TWICE)) ->
				verdict = (MINE(g) || IS(M_NOT_TAKEN_UP) -> Write : Lost);
				for (i : 0 .. 1) {
					if
					:: !kept && gen[g].open[i] && LAST(gen[g].open[i]) == note && NEXT(gen[g].read) > note && !IS(M_NOT_TAKEN_UP) ->
						verdict = Kept; kept = gen[g].open[i]
					:: else
					fi
				}
			:: at == TAKERS && (!gen[g].took || FULL(gen[g].read) && !IS(M_FORGETS_NONE) &&
					(OWN(g) <= LAST(NOTE(gen[g].read, 0)) || IS(M_FORGETS_ALL))) ->
				verdict = Write;
				if
				:: FULL(gen[g].read) -> assert(SEEN != W_FORGOTTEN || !gen[g].took); excuseOpen(g)
				:: else
				fi
			:: else -> verdict = Lost
			fi
		fi
	fi;
	at = 0; note = 0
}

/* What was open is forgotten, too, or ends with the generator: it may be a hole. */
inline excuseOpen(g) {
	for (i : 0 .. 1) {
		excused = (gen[g].open[i] -> excused | SET(gen[g].open[i]) : excused)
	}
}

inline look(g) {
#if FAULT == M_STALE
	gen[g].read = old;
#else
	gen[g].read = row;
#endif
#if FAULT == M_COUNTED
	readVersion[g] = version;
#endif
	outdated = outdated & ~(1 << g);
	if
	:: IS(M_SEEN_NEXT)
	:: else ->
		behind = behind & ~(1 << g) | (MARK(gen[g].read) < sight[g]) << g;
		sight[g] = (HAS(behind, g) -> sight[g] : MARK(gen[g].read))
	fi
}

/* taking.take: the row to write and what is taken by it, or what was kept. */
inline decideTake(g, about) {
	look(g);
	inspect(g);
	if
	:: verdict == Write && NEXT(gen[g].read) -> confirm(g)
	:: else
	fi;
	if
	:: verdict == Write ->
		n = (NEXT(gen[g].read) -> NEXT(gen[g].read) : 1);
		if
		:: n + about - 1 > TOP -> verdict = Exhausted
		:: else ->
			taken = RANGE(n, n + about - 1);
			to = ROW(n + about, NOTES(gen[g].read));
			remember(g, LAST(taken));
			to = STAMPED(to, gen[g].read)
		fi
	:: else
	fi
}

/* taking.giveBack of the numbers from first on. */
inline decideBack(g, first) {
	look(g);
	inspect(g);
	if
	:: verdict == Write -> confirm(g)
	:: else
	fi;
	if
	:: verdict == Write ->
		at = FIND(gen[g].read, g);
		if
		:: NEXT(gen[g].read) != gen[g].has + 1 && !IS(M_BACK_ALWAYS) || at == TAKERS && !IS(M_BACK_FORGOTTEN) -> verdict = No
		:: else ->
			notes = NOTES(gen[g].read);
			notes = (IS(M_BACK_NO_NOTE) || at == TAKERS -> notes : notes & ~(63 << 6 * at) | OF(g, first - 1) << 6 * at);
			to = STAMPED(ROW(first, notes), gen[g].read);
			to = (IS(M_BACK_FLOOR) -> to & ~(15 << 26) | FLOOR(gen[g].read) << 26 : to);
			notes = 0
		fi;
		at = 0
	:: else
	fi
}

/* A write is acknowledged. */
inline sees(g) {
	gen[g].seen = (IS(M_SEEN_READ) -> gen[g].seen : MARK(to));
	sight[g] = (IS(M_SEEN_NEXT) -> 0 : MARK(to))
}

/* taking.markCommitted */
inline mark_committed(g, range) {
	/* It has stopped if its take was lost, unless so many have taken since that the row has forgotten it. */
	assert(RULE(RULE_STOPS) || !HAS(lost, g) || OTHERS(since[g]) >= TAKERS || GENERATORS > TAKERS && GIVES);
	assert(SEEN != W_UNNOTICED || !HAS(lost, g));
	assert(RULE(RULE_SEEN) || !HAS(behind, g));
	hold(g, range);
	gen[g].before = gen[g].own;
	gen[g].own = LAST(range);
	gen[g].has = LAST(range);
	gen[g].took = true;
	gen[g].back = 0;
	if
	:: IS(M_TAKEN_UP_TWICE)
	:: else -> gen[g].open[0] = 0; gen[g].open[1] = 0
	fi;
	newest[g] = LAST(range);
	over = over | (lateBy[0] == g) | (lateBy[1] == g) << 1
}

/* taking.markInDoubt */
inline mark_in_doubt(g, range) {
	if
	:: IS(M_NO_DOUBT) || gen[g].open[0] == range || gen[g].open[1] == range
	:: else ->
		if
		:: gen[g].open[0] && !IS(M_DOUBT_NEWEST) && (LAST(gen[g].open[0]) != LAST(range) || IS(M_DOUBT_ALIKE)) -> gen[g].open[1] = range
		/* There is none, or an older one that ends alike: that was not stored, and will not be. */
		:: else -> gen[g].open[0] = range
		fi
	fi
}

/* ------------------------------------------------------------------- generators */

inline finish(g) {
	excuseOpen(g);
	ended = ended | 1 << g;
	account()
}

/* The store has lost numbers, it says. */
inline stop(g) {
	assert(RULE(RULE_GOES_ON) || failed);           /* and so it has */
	WITNESS(W_LOST);
	finish(g)
}

#define ME          (_pid + 1)
#define GIVEN       RANGE(first, LAST(range))

inline forget() { gen[ME].read = 0; to = 0; taken = 0 }

/* takeFromStore with Store.Change and taking.take; Generator.giveBack with taking.giveBack. To end at idle is
 * a Close that gives nothing back, or death. */
active [GENERATORS] proctype Generator() {
	int to;                 /* the row to write, */
	byte taken;             /* and what is taken by it */
	byte range;             /* what was taken last, */
	byte first;             /* and from where on it is given back */
	byte about, verdict;
	byte takes = TAKES, gives = GIVES;

idle:
	if
	:: atomic { takes -> takes--; goto take }
	:: atomic { gives && range -> gives--; goto release }
	:: atomic { finish(ME); goto done }     /* it is closed, or dies */
	fi;

take:
	atomic {
		if
		:: about = 1
		:: STEP > 1 -> about = 2
		fi;
		d_step {
			decideTake(ME, about);
			about = 0;
			if
			:: verdict == Write
			:: else ->
				if
				:: verdict == Kept -> mark_committed(ME, kept); range = kept; WITNESS(W_TAKEN_UP)
				:: verdict == Lost -> stop(ME)
				:: else
				fi;
				forget()
			fi;
			kept = 0
		};
		if
		:: verdict == Write -> verdict = 0
		:: verdict == Lost -> goto done
		:: else -> verdict = 0; goto idle
		fi
	};
	if
	:: d_step { FITS(ME, gen[ME].read, readVersion[ME]) ->
			assert(SEEN != W_BELOW || !gen[ME].took || NEXT(row) > gen[ME].has);
			next = to; took = OF(ME, LAST(taken));
			sees(ME);
			commit();
			mark_committed(ME, taken);
			range = taken;
			forget() }
	:: atomic { !FITS(ME, gen[ME].read, readVersion[ME]) -> WITNESS(W_REFUSED); forget(); goto take }
	:: d_step { doubts ->
			loseReply(ME, to, taken);
			mark_in_doubt(ME, taken);
			gen[ME].seen = (IS(M_SEEN_DOUBTED) -> MARK(to) : gen[ME].seen);
			forget() }
	fi;
	goto idle;

release:
	atomic {
		first = FIRST(range);
		do
		:: first < LAST(range) -> first++
		:: break
		od;
		/* These are not issued any more, */
		held[ME] = (IS(M_BACK_USED) -> held[ME] : held[ME] & ~SET(GIVEN))
	};

back:   /* and are given back. */
	atomic {
		d_step {
			decideBack(ME, first);
			if
			:: verdict == Write
			:: else ->
				if
				:: verdict == Lost -> stop(ME)
				:: else -> WITNESS(W_KEPT); held[ME] = (gen[ME].back -> held[ME] : held[ME] | SET(GIVEN))
				fi;
				first = 0;
				forget()
			fi;
			kept = 0
		};
		if
		:: verdict == Write -> verdict = 0
		:: verdict == Lost -> goto done
		:: else -> verdict = 0; goto idle
		fi
	};
	if
	:: d_step { FITS(ME, gen[ME].read, readVersion[ME]) ->
			WITNESS(W_GIVEN_BACK);
			next = to;
			sees(ME);
			commit();
			gen[ME].has = first - 1;
			gen[ME].own = (first > FIRST(range) -> first - 1 : gen[ME].before);
			gen[ME].back = 0;
			range = 0; first = 0;
			forget() }
	:: atomic { !FITS(ME, gen[ME].read, readVersion[ME]) -> forget(); goto back }
	:: d_step { doubts ->
			loseReply(ME, to, 0);
			gen[ME].own = (first > FIRST(range) -> first - 1 : gen[ME].before);
			gen[ME].back = (IS(M_BACK_NO_DOUBT) -> 0 : first);
			held[ME] = (IS(M_BACK_IN_DOUBT) -> held[ME] | SET(GIVEN) : held[ME]);
			excused = excused | SET(GIVEN);
			forget() };
		if
		:: atomic { IS(M_BACK_TWICE) -> goto back }
		:: atomic { range = 0; first = 0 }
		fi
	fi;
	goto idle;

done:
	atomic { to = 0; taken = 0; range = 0; first = 0; verdict = 0; takes = 0; gives = 0 }
}

#if FOREIGN
/* Leaf: it adds to the number, and leaves the takers as they are. */
active proctype Leaf() {
	byte takes = FOREIGN, about;

end:
	do
	:: atomic { takes && NEXT(row) ->
			if
			:: about = 1
			:: STEP > 1 -> about = 2
			fi;
			d_step {
				if
				:: NEXT(row) + about - 1 <= TOP ->
					next = row + about;
					commit();
					holdForeign(RANGE(NEXT(row) - about, NEXT(row) - 1))
				:: else
				fi;
				about = 0;
				takes--
			}
		}
	od
}
#endif

#if HAND
/* Somebody lowers the number or removes it, by the tools of the engine; the rest stays. Then it may
 * be raised by one that knows of notes: uid segment set. */
active proctype Hand() {
	byte lower;

endLowers:
	atomic { NEXT(row) > 1 ->
		do
		:: lower < NEXT(row) - 1 -> lower++
		:: break
		od;
		d_step {
			next = row & ~15 | lower;
			lower = 0;
			hand = 2;
			failed = true;
			commit()
		}
	};
endRaises:
	d_step { NEXT(row) < FLOOR(row) ->
		next = STAMPED(ROW(FLOOR(row), NOTES(row)), row);
		WITNESS(W_ACCEPTED);
		commit() }
}
#endif

/* ------------------------------------------------------------------- what happens */

active proctype World() {
end:
	do
	:: d_step { lateBy[0] && FITS(LATE(0), lateFrom[0], lateVersion[0]) -> arrive(0) }
#if DOUBTS > 1
	:: d_step { lateBy[1] && FITS(LATE(1), lateFrom[1], lateVersion[1]) -> arrive(1) }
#endif
#if LOSES
	/* A failover, or a backup that is restored. */
	:: d_step { loses && row != beforeRow[0] ->
			undo(0);
			lose(0);
#if FAULT == M_COUNTED
			version--
#endif
		}
#if LOSES > 1
	:: d_step { loses && row != beforeRow[0] && beforeRow[0] != beforeRow[1] ->
			undo(0); undo(1);
			lose(1) }
#endif
#endif
	od
}
