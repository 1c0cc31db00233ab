/*
 * The numbers in hand of a generator, and those who share them: goroutines that draw, the one
 * that takes from the store, Release and Close. Other generators draw from the same row, which is
 * one that loses nothing here; segment.pml has that side. README.md says what stands for what,
 * and what is left out.
 *
 * An access to a word that somebody else may write at that moment (the cursor, front, the links
 * of spans) is a step of its own. What the lock mu guards, and what nobody else can see, is done
 * in the step before or after it. The names are those of the Go code.
 *
 * FAULT=M_... takes a rule out, and then an assertion must fail.
 * SEEN=W_... makes the search stop where something happens, to show that it can.
 */

/* The size of a configuration. */
#ifndef TAKERS
#define TAKERS     2    /* goroutines that draw */
#endif
#ifndef CALLS
#define CALLS      2    /* calls of each */
#endif
#ifndef FILL
#define FILL       1    /* numbers that a call claims at once, at most */
#endif
#ifndef SEGMENTS
#define SEGMENTS   2    /* times that numbers are taken from the store, */
#endif
#ifndef SIZE
#define SIZE       2    /* so many at most */
#endif
#ifndef OTHERS
#define OTHERS     1    /* numbers that other generators take */
#endif
#ifndef RELEASES
#define RELEASES   1    /* calls of Release */
#endif
#ifndef CLOSES
#define CLOSES     1    /* 1: Close is called at some moment, 0: the numbers are lost instead (ErrLost) */
#endif
#ifndef DOUBTS
#define DOUBTS     0    /* replies to giving back that are lost */
#endif

/* The rules that can be taken out. */
#ifndef FAULT
#define FAULT               0
#endif
#define M_CLAIM_SPLIT       1
#define M_SHUT_LOAD         2
#define M_OPEN_LOW          3
#define M_OPEN_HIGH         4
#define M_FRONT_UNCHECKED   5
#define M_FRONT_LATE        6
#define M_LINK_LATE         7
#define M_SKIP_BACK         8
#define M_FILL_ACROSS       9
#define M_RELEASE_OPEN     10
#define M_RELEASE_FIRST    11
#define M_RELEASE_LESS     12
#define M_RELEASE_MORE     13
#define M_RELEASE_GAP      14
#define M_RELEASE_KEEPS    15
#define M_DOUBT_KEEPS      16
#define M_HOLD_OPENS       17
#define M_HOLD_BUSY        18
#define M_CLOSE_OPENS      19
#define M_CLOSE_DROPS      20

/* What can happen. */
#ifndef SEEN
#define SEEN                0
#endif
#define W_WALK              1
#define W_FRONT_OLD         2
#define W_VOID              3
#define W_SHUT_OUT          4
#define W_RELEASED          5
#define W_BOTH              6
#define W_ONE               7
#define W_NOT_GIVEN         8
#define W_AFTER             9
#define W_RESUMED          10
#define W_ISSUED_LATE      11

#define IS(fault)       (FAULT == fault)
#define WITNESS(event)  assert(SEEN != event)
#define HAS(set, k)     (((set) >> (k)) & 1)
#define MAX(a, b)       ((a) > (b) -> (a) : (b))
#define MIN(a, b)       ((a) < (b) -> (a) : (b))
#define SET(first, last)        (((2 << (last)) - 1) & ~((1 << (first)) - 1))

/* The ring. A position is tick * LAP + sequence. isShut and resume are the lock holder's. */
#define LAP             8
#define SHUT            128     /* the cursor of a shut ring */
#define NOCLAIM         255     /* a position that was claimed of one */
byte cursor = SHUT;
byte tail = 1;                  /* 0 in the code; a cursor below 0 counts as shut here */
bool isShut = true;
byte resume;

/* Spans: position first+i, for i below n, is number base+i. Those from linked on are not linked
 * yet. Span 0 is that of a generator that has no numbers yet. */
#define SPANS           (2 * SEGMENTS + 1)
#define NIL             SPANS
byte first[SPANS], n[SPANS], base[SPANS];
byte linked = 1;
byte front;

/* The generator: its lock, and what that guards. */
bool mu;
bool ended, holding, busy;
byte current, last, head;       /* the segment's first number and its last, 0 if there is none; its first span */
byte stock, stockLast;

/* The row. */
byte next = 1;

/* What only the properties know. */
short mine;                     /* numbers that the generator has, and has not issued */
short claimed;                  /* those that a taker has claimed */
byte low;                       /* calls that begin now get this number or a later one */
byte done;                      /* takers that have made all their calls */
bool closed;                    /* Close has returned */
bool given;                     /* numbers were given back, */
bool kept;                      /* and those that were to be last were not: others had taken since */
byte segments = SEGMENTS, doubts = DOUBTS;

/* Used within steps only. */
hidden byte i, number;

/* ------------------------------------------------------------------- the ring */

/* Ring.Claim: the add. What it is worth is settled at that moment: see the assertions. */
inline claim(count) {
	if
	:: cursor >= SHUT -> pos = NOCLAIM; WITNESS(W_SHUT_OUT)
	:: else ->
		pos = cursor + 1;
		cursor = cursor + count;
		worth(count)
	fi
}

inline worth(count) {
	assert(cursor < tail * LAP || IS(M_SKIP_BACK));             /* claims do not come to the next tick's positions */
	for (i : 0 .. count - 1) {
		number = current + pos + i - first[head];
		if
		:: current && number <= last ->
			assert(HAS(mine, number) && !HAS(claimed, number)); /* nobody else has it, */
			assert(number == current || HAS(claimed, number - 1));      /* and none was passed over */
			claimed = claimed | 1 << number
		:: else
		fi
	};
	number = 0
}

/* A call gets the number of a position in a span. It counts as returned at this very moment. */
inline issue(s, p) {
	number = base[s] + (p) - first[s];
	assert(number && HAS(claimed, number) && HAS(mine, number));        /* it is the taker's, for the first time, */
	assert(number >= from);                                             /* and larger than those of calls before */
	mine = mine & ~(1 << number);
	low = MAX(low, number + 1);
	from = number + 1;
	assert(SEEN != W_ISSUED_LATE || !closed);
	assert(SEEN != W_AFTER || !given);
	number = 0
}

/* When all is over: every number that was claimed has been issued, and what nobody has claimed
 * was given back, unless others had taken since. */
inline account() {
	assert(done < TAKERS || !closed || !(mine & claimed));
	assert(done < TAKERS || !closed || !CLOSES || kept || next == 1 || !HAS(mine, next - 1))
}

/* Ring.Shut */
inline shut() {
	if
	:: !isShut -> isShut = true; resume = cursor + 1; cursor = SHUT
	:: else
	fi
}

/* Ring.Open */
inline open() {
	isShut = false;
	cursor = resume - (IS(M_OPEN_LOW) -> 2 : (IS(M_OPEN_HIGH) -> 0 : 1))
}

#define POSITION        (isShut -> resume : cursor + 1)
/* Generator.left: a load of the cursor, while the ring is open. */
#define LEFT            (current && POSITION - first[head] < last + 1 - current -> last + 1 - current - (POSITION - first[head]) : 0)

/* ------------------------------------------------------------------- drawing */

#define IN(s, p)        ((p) >= first[s] && (p) < first[s] + n[s])
#define FRONT_HAS(f, p) (IN(f, p) || n[f] && (p) >= first[f] && (p) != NOCLAIM && (IS(M_FRONT_UNCHECKED) || IS(M_FILL_ACROSS) && some))

/* The numbers of what was claimed, as far as they are in the front span. */
inline settle() {
	do
	:: count && FRONT_HAS(f, pos) -> issue(f, pos); pos++; count--; some = true
	:: else -> break
	od
}

/* Generator.advance may open the ring. */
#define MAY     ((!ended || IS(M_CLOSE_OPENS)) && (!holding || IS(M_HOLD_OPENS)))

/* newSegment: the spans of what was in stock. They are not linked yet. */
#define EARLY           (stockLast > stock)     /* a tenth in the code, here one number */
#define TICK            (IS(M_SKIP_BACK) && tail -> tail - 1 : tail)

inline begin() {
	head = linked;
	first[head] = TICK * LAP;
	n[head] = (EARLY -> 1 : stockLast + 1 - stock);
	base[head] = stock;
	if
	:: EARLY -> first[head + 1] = TICK * LAP + 1; n[head + 1] = stockLast - stock; base[head + 1] = stock + 1
	:: else
	fi;
	resume = (IS(M_SKIP_BACK) -> TICK * LAP : MAX(resume, TICK * LAP));
	tail = TICK + 1;
	current = stock; last = stockLast;
	stock = 0; stockLast = 0
}

#define LINK    linked = linked + (last > current -> 2 : 1)

active [TAKERS] proctype Taker() {
	byte calls = CALLS, f, s, pos, count, from;
	bool some;

call:
	if
	:: atomic { calls -> calls--; from = low; f = front; count = 1;
			do
			:: count < FILL -> count++
			:: break
			od
		}
	:: atomic { !calls -> goto over }
	fi;
#if FAULT == M_CLAIM_SPLIT
	pos = cursor;
	d_step {
		if
		:: pos >= SHUT -> pos = NOCLAIM
		:: else -> cursor = (cursor >= SHUT -> cursor : pos + count); pos++; worth(count)
		fi
	};
#else
	d_step { claim(count) };
#endif
#if FAULT == M_FRONT_LATE
	f = front;
#endif

look:
	atomic {
		d_step { settle() };
		if
		:: !count -> some = false; goto call
		:: else -> s = f
		fi
	};
	/* span.find, from the front on: the loads of next. */
	do
	:: atomic { first[s] > pos -> s = NIL; break }
	:: atomic { IN(s, pos) -> break }
	:: atomic { first[s] <= pos && !IN(s, pos) ->
			if
			:: s + 1 < linked -> s++
			:: else -> s = NIL; break
			fi
		}
	od;
	if
	/* Generator.enter: the swap of front. */
	:: atomic { s != NIL ->
			assert(SEEN != W_FRONT_OLD || front == f);
			WITNESS(W_WALK);
			front = (front == f -> s : front);
			f = s;
			goto look
		}
	:: atomic { s == NIL && some -> some = false; count = 0; goto call }    /* Fill claims again */
	:: atomic { s == NIL && !some -> assert(SEEN != W_VOID || pos == NOCLAIM); f = 0; s = 0; count = 0; pos = 0 }
	fi;

draw:   /* Generator.draw and attempt */
	atomic { !mu -> mu = true };
again:
	if
	:: atomic { !MAY -> mu = false };
		if
		:: goto call                                            /* it fails, or does not wait, */
		:: atomic { !ended && !holding -> goto draw }           /* or does */
		fi
	:: atomic { MAY && LEFT ->
			d_step {
				if
				:: isShut -> WITNESS(W_RESUMED); open()
				:: else
				fi
			}
		};
		atomic {
			d_step {
				claim(1);
				if
				:: pos < first[head] + last + 1 - current ->
					s = (IN(head, pos) -> head : head + 1);
					issue(s, pos);
					s = 0;
					mu = false
				:: else
				fi;
				pos = 0
			};
			if
			:: mu -> goto again
			:: else -> goto call
			fi
		}
	:: d_step { MAY && !LEFT -> shut() };
		if
		:: atomic { !stock -> current = 0; last = 0; mu = false };
			if
			:: goto call
			:: atomic { stock && !holding || ended -> goto draw }
			fi
		:: d_step { stock -> begin();
#if FAULT != M_LINK_LATE
				LINK
#endif
			};
			front = head;
			d_step { open() };
#if FAULT == M_LINK_LATE
			d_step { LINK };
#endif
			goto again
		fi
	fi;
over:
	atomic { f = 0; s = 0; pos = 0; count = 0; from = 0; done++; account() }
}

/* ------------------------------------------------------------------- the store */

/* Generator.plan and reserve. When they are called is left open. */
active proctype Reserver() {
	byte r, rLast, size;

end:
	do
	:: atomic { segments && !mu && !ended && !busy && !stock ->
			size = 1;
			do
			:: size < SIZE -> size++
			:: break
			od;
			d_step {
				segments--;
				busy = true;
				r = next;
				next = next + size;
				rLast = next - 1;
				assert(!((mine | claimed) & SET(r, rLast)));
				mine = mine | SET(r, rLast);
				size = 0
			}
		};
		d_step { !mu ->
			if
			:: ended && IS(M_CLOSE_DROPS)
			:: else -> stock = r; stockLast = rLast
			fi;
			busy = false;
			r = 0; rLast = 0 }
	od
}

/* Other generators take numbers, and may give the last one back. */
active proctype Others() {
	byte takes = OTHERS, took;

end:
	do
	:: d_step { takes -> takes--; assert(!HAS(mine, next)); took = next; next++ }
	:: d_step { took && next == took + 1 -> next = took; took = 0 }
	od
}

/* ------------------------------------------------------------------- Release, Close */

inline hold() {
	d_step { !mu && (!busy || IS(M_HOLD_BUSY)) ->
		busy = true; holding = true;
		if
		:: IS(M_RELEASE_OPEN)
		:: IS(M_RELEASE_FIRST) -> unused()
		:: IS(M_SHUT_LOAD) -> resume = POSITION
		:: else -> shut()
		fi
	};
#if FAULT == M_RELEASE_FIRST
	d_step { shut() };
#endif
#if FAULT == M_SHUT_LOAD
	d_step { isShut = true; cursor = SHUT };
#endif
}

/* Generator.unused */
inline unused() {
	r = (LEFT -> last - LEFT + 1 : 0);
	rLast = (r -> last : 0);
	if
	:: stock ->
		assert(SEEN != W_BOTH || !r || rLast + 1 != stock);
		assert(SEEN != W_ONE || !r || rLast + 1 == stock);
		r = (r && (rLast + 1 == stock || IS(M_RELEASE_GAP)) -> r : stock);
		rLast = stockLast
	:: else
	fi;
	r = (IS(M_RELEASE_LESS) && r && r < rLast -> r + 1 : (IS(M_RELEASE_MORE) && r > 1 -> r - 1 : r))
}

/* Generator.giveBack, gaveBack and letGo */
#define ENDS    (next == rLast + 1)

inline giveBack() {
#if FAULT != M_RELEASE_FIRST
	d_step { !mu -> unused() };
#endif
	if
	:: d_step { r && ENDS ->
			assert(!(SET(r, rLast) & ~mine) && !(SET(r, rLast) & claimed));     /* they are the generator's, and no taker's */
			mine = mine & ~SET(r, rLast);
			kept = false;
			next = r };
		if
		:: d_step { !mu -> WITNESS(W_RELEASED); given = true;
				if
				:: IS(M_RELEASE_KEEPS)
				:: else -> drop()
				fi }
#if DOUBTS
		:: d_step { !mu && doubts -> doubts--;
				if
				:: IS(M_DOUBT_KEEPS)
				:: else -> drop()
				fi }
#endif
		fi
#if DOUBTS
	:: d_step { r && ENDS && doubts -> doubts--; mine = mine & ~SET(r, rLast) };        /* it is not stored, and they are a hole */
		d_step { !mu -> drop() }
#endif
	:: d_step { r && !ENDS -> WITNESS(W_NOT_GIVEN); kept = true }
	:: d_step { !r -> kept = false }
	fi;
	d_step { !mu -> kept = kept || LEFT; busy = false; holding = false; r = 0; rLast = 0 }
}

inline drop() {
	stock = 0; stockLast = 0;
	if
	:: r <= last -> current = 0; last = 0
	:: else
	fi
}

#if RELEASES
active proctype Release() {
	byte r, rLast, calls = RELEASES;

end:
	do
	:: atomic { calls && !ended -> calls-- };
		hold();
		giveBack()
	od
}
#endif

/* With CLOSES=0 the store has lost the numbers, and the generator ends without giving any back. */
active proctype Close() {
	byte r, rLast;

	d_step { !mu && (CLOSES || !busy) -> ended = true; shut() };
	low = 100;              /* calls that begin now get nothing */
#if CLOSES
	hold();
	giveBack();
#endif
	d_step { closed = true; account() }
}
