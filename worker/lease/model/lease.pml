/*
 * The protocol of package lease: owners and what they read and write, and a store, whose
 * clock is skewed and which may fail over to a replica that is behind, or lose its table.
 * README.md says what has to hold, and what is left out.
 *
 * Wherever another client or the database may get in between, a new step begins. An
 * owner that takes no step is paused; one that drops its lease has crashed (and goes on
 * as a new process) or was told to by Invalidate.
 *
 * FAULT=M_... takes a rule out of the protocol, and then a tick must be issued twice.
 * SEEN=W_... makes the search stop where something happens, to show that it can.
 */

/* The size of a configuration. */
#ifndef OWNERS
#define OWNERS     2
#endif
#ifndef IDS
#define IDS        1    /* worker IDs, none of them ever given */
#endif
#ifndef LATE
#define LATE       1    /* writes under way for which nobody waits any more */
#endif
#ifndef TAKES
#define TAKES      2    /* acquisitions that are begun */
#endif
#ifndef DOUBTS
#define DOUBTS     0    /* replies that are lost, and writes that are given up */
#endif
#ifndef FAILS
#define FAILS      1    /* failovers to the replica */
#endif
#ifndef SPAN
#define SPAN       6    /* units of time that pass */
#endif

/* What may happen to the store. */
#ifndef DURABLE
#define DURABLE    0    /* 1: it may lose what can be read, but nothing that was acknowledged */
#endif
#ifndef TELLS
#define TELLS      1    /* 0: it cannot tell its history */
#endif
#ifndef BACK
#define BACK       0    /* 1: a failover leads back to the server before, which was not restarted; 2: whatever it lacks */
#endif
#ifndef SHIFTS
#define SHIFTS     0    /* 1: its clock is set, to and fro within the skew, at any time */
#endif
#ifndef JUMP
#define JUMP       0    /* how far it jumps, to and fro, at any time */
#endif
#ifndef CLIENTS
#define CLIENTS    0    /* by how much each client's clock may be off: the store has none. 0: it has one */
#endif
#ifndef DELETES
#define DELETES    0    /* times that somebody deletes a row; it may come back */
#endif
#ifndef RESETS
#define RESETS     0    /* times that the table is emptied */
#endif
#ifndef VANISHES
#define VANISHES   0    /* 1: the table is renamed away, and may come back */
#endif
#ifndef MOVES
#define MOVES      1    /* 0: the history does not tell one table from another, 2: it tells, but a former one is again what it was */
#endif
#ifndef LATER
#define LATER      1    /* 0: a table that was renamed away may come back while leases in it last */
#endif
#ifndef RESTORES
#define RESTORES   0    /* times that a copy of the table is put over it, which no history tells */
#endif
#ifndef EARLY
#define EARLY      0    /* 0: then nobody begins before an owner has seen an older write of its own, and said so */
#endif
#ifndef NEW
#define NEW        0    /* 1: there is no namespace yet, and an operator makes it as a new one */
#endif
#ifndef FILE
#define FILE       0    /* 1: each owner has a state file */
#endif
#ifndef RETAKE
#define RETAKE     0    /* 1: an acquisition whose reply was lost is taken up again */
#endif
#ifndef SPLIT
#define SPLIT      0    /* 1: the namespace is written first, with rows of new IDs, which may be there without that */
#endif
#ifndef AFTER
#define AFTER      0    /* owner 0 asks for ticks above this one only (MinTick). 0: it does not */
#endif

/* The settings, in units of time; a tick is as long as one. */
#define ByHistory  0
#define Never      1
#define Always     2
#ifndef LOSSES
#define LOSSES     (DURABLE -> Never : ByHistory)       /* what owners take the store for, */
#endif
#ifndef LOSSES0
#define LOSSES0    LOSSES                               /* and owner 0 */
#endif
#ifndef R
#define R          1    /* how far beyond the store's clock anybody reserves at most, */
#endif
#ifndef MORE
#define MORE       0    /* a mutant: and by so much further who takes it for one that never loses anything */
#endif
#ifndef SKEW
#define SKEW       (CLIENTS -> 2 * CLIENTS : 1)         /* how far two clocks are apart at most */
#endif
#ifndef L
#define L          (R + SKEW)                           /* the burn */
#endif
#ifndef QUARANTINE
#define QUARANTINE SKEW
#endif
#ifndef TTL
#define TTL        2
#endif
#ifndef RENEWS
#define RENEWS     1    /* what a renewal does under another history, see there */
#endif

/* The rules that can be taken out. */
#ifndef FAULT
#define FAULT                 0
#endif
#define M_NO_RESERVATION      1
#define M_NO_BURN             2
#define M_BURN_ISSUED         3
#define M_SLACK               4
#define M_FLOOR_UNSAVED       5
#define M_HISTORY_UNSAVED     6
#define M_RENEW_SILENT        7
#define M_RENEW_NO_FLOOR      8
#define M_RELEASE_SILENT      9
#define M_RETAKE_SILENT      10
#define M_TAKE_ANY_HISTORY   11
#define M_RENEW_ANY_HISTORY  12
#define M_TAKE_ANY_NAMESPACE 13
#define M_RENEW_ANY_NAMESPACE 14
#define M_CAS_BLIND          15
#define M_CAS_NONCE          16
#define M_EARLY_CLOCK        17
#define M_NO_LEASE_CHECK     18
#define M_NO_NONCE_CHECK     19
#define M_EARLY_LIMIT        20
#define M_HIGH_LOWERED       21
#define M_NO_FOUNDING_FLOOR  22
#define M_KEEPS_LEASE        23
#define M_CLOSE_BELOW_BASE   24
#define M_CLOSE_BLIND        25
#define M_CLOSE_KEEPS_NONCE  26
#define M_CLOSE_GOES_ON      27
#define M_FRESH_GAP          28
#define M_GIVEN_UNSAVED      29
#define M_GIVEN_FOUND        30
#define M_FILE_BELOW         31
#define M_FILE_LATE          32
#define M_FILE_LOWERS        33
#define M_FILE_RELEASES      34
#define M_RETAKE_BLIND       35
#define M_RETAKE_BELOW       36
#define M_RETAKE_READS       37
#define M_RETAKE_HIGH        38
#define M_READ_RAISES        39
#define M_ERROR_TAKE         40
#define M_ERROR_OWNER        41
#define M_AFTER_IGNORED      42
#define M_AFTER_NOT_KEPT     43
#define M_AFTER_LOWERS       44
#define M_NEW_AGAIN          45
#define M_UNTIL_LOWERED      46
#define M_OLDER_SILENT        47
#define M_OLDER_NO_FLOOR      48
#define M_OLDER_LATE          49
#define M_OLDER_CLOSE         50
#define M_OLDER_HIGH          51
#define M_SPLIT_ROW_FIRST     52
#define M_SPLIT_ANY_NAMESPACE 53
#define M_SPLIT_ANY_HISTORY   54
#define M_SPLIT_UNUSED        55
#define M_RETAKE_FLOOR        56
#define M_NEW_OVER            57

/* What can happen. */
#ifndef SEEN
#define SEEN                  0
#endif
#define W_TAKEOVER            1
#define W_LOST_COMMIT         2
#define W_LOST_TICKS          3
#define W_TRUSTED             4
#define W_RENEWED             5
#define W_RELEASED            6
#define W_RETAKEN             7
#define W_LATE                8
#define W_REFUSED             9
#define W_BACK               10
#define W_FOUNDED            11
#define W_FORMER             13
#define W_UNDELETED          14
#define W_MOVED              15
#define W_RESUMED            16
#define W_HANDED_ON          17
#define W_UNSYNCED           18
#define W_JUMPED             19
#define W_APART              20
#define W_AFTER              21
#define W_OLDER              22

#define IS(fault)       (FAULT == fault)
#define WITNESS(event)  assert(SEEN != event)

#define SURE(fault)     (IS(fault) -> 0 : CLIENTS)      /* a clock may be off by so much */
#define MAX(a, b)       ((a) > (b) -> (a) : (b))
#define TICKS(from, to) ((2 << (to)) - (2 << (from)))   /* those above from, up to to */
#define SLOTS           (OWNERS + LATE)
#define START           (QUARANTINE + SKEW + 1)
#define LOSS(o)         ((o) == 0 -> LOSSES0 : LOSSES)
#define REACH(o)        (LOSS(o) == Never -> R + MORE : R)

/* ------------------------------------------------------------------------- the store */

/* All zero: the row is not there. */
typedef Row {
	byte nonce;             /* of the acquisition; 0: released, or nobody has had it */
	byte high, until        /* NEVER: nobody has had it */
};
#define NEVER   1

/* The rows, the namespace's row, and which table it is. */
typedef Table {
	Row row[IDS];
	bit gone;               /* there is no namespace; */
	byte history;           /* it was written under this history last */
	byte floor;             /* nobody is given ticks up to it */
	byte given;             /* only from here on are IDs new */
	byte which
};
/* The table that is served, that of the replica, and one that was renamed away. */
Table db[3];
#define NOW     0
#define COPY    1
#define KEPT    2
#define NS      db[NOW]
#define ROWOF(s) db[NOW].row[tx[s].id]
#define ROW     ROWOF(s)

byte server, tables;            /* which server it is, and how many tables there were */
bit kept;                       /* there is a table that was renamed away, or a copy */
#if RESTORES
byte restores = RESTORES;
bit unseen;                     /* a copy was put back, and no owner has told yet */
#define BARRED(s) (unseen && !EARLY && tx[s].kind == Acquire)
#else
#define BARRED(s) 0
#endif
byte news;                      /* with BACK: 1: the other server has nothing of what this one has written, 2: some */
#define HISTORY         (TELLS -> 4 * server + (MOVES -> NS.which : 0) : UNKNOWN)
#define UNKNOWN         255
/* What a write depends on. A store that cannot tell its history refuses at least what was read before a failover: both go over
 * one connection. */
#define UNDER           (TELLS -> HISTORY : server)
#define SERVER(history) ((history) / 4)

byte time = START, ahead;
#define CLOCK   (time + ahead)

/* A write: what was read, on condition of which it is done, and what is written. The first slots
 * hold those that the owner of this number waits for, the others those for which nobody waits any more. */
typedef Write {
	byte kind, phase, id;
	byte under;                     /* the history under which was read, */
	Row saw;                        /* the row, */
	byte sawHistory, sawFloor, sawGiven;    /* and the namespace */
	byte nonce, high, until;        /* what is written */
	byte history, floor;
	byte before                     /* what the first usable tick follows; of a release: what its owner was told that it had */
#if SPLIT
	; bit begun                     /* the first of two steps is done */
#endif
#if AFTER
	; bit due                       /* for a property: the namespace keeps AFTER since before this began */
#endif
};
#define Nothing  0
#define Sent     1      /* a release that has yet to read its row */
#define Decided  2
#define Done     3      /* stored, and the reply is under way */
#define Known    4      /* with DURABLE and FAILS: it is durable, too */

#define Acquire  1
#define Extend   2
#define Release  3
#define Retake   4
#define Found    5
#define End      6
Write tx[SLOTS];
#define KEEP            255     /* as high: a release leaves HIGH as it is */

/* What an owner knows. */
typedef Lease {
	byte id;
	byte nonce;             /* 0: there is no lease */
	byte before, reserved   /* ticks above before, up to reserved, may be issued, */
#if FILE
	; byte granted          /* or with a state file up to granted */
#endif
#if RENEWS > 2
	; byte under            /* the history of its last write that was acknowledged */
#endif
};
Lease own[OWNERS];
#define HOLDS(o)        (own[o].nonce != 0)

#if FILE
Lease file[OWNERS];     /* the state files */
#endif

#if RETAKE
/* Acquisitions without a reply, as far as their owners remember them. */
typedef Memory {
	byte id, nonce, high, before
};
Memory lost[OWNERS];
#define FORGOT(o)       (!lost[o].nonce)
#else
#define FORGOT(o)       1
#endif

byte takes = TAKES, doubts = DOUBTS, fails = FAILS;
#if DELETES
Row deleted[IDS];
byte deletes = DELETES;
#endif
#if RESETS
byte resets = RESETS;
#endif

/* What only the properties know. A tick counts as issued as soon as it is reserved, since
 * its owner may issue it at any moment from now on, whatever its own clock is. What Close
 * gives back was not issued. */
int issued[IDS];
#if AFTER
bit kept_after;                 /* an acquisition that asked for ticks above AFTER was acknowledged */
#endif
#if SEEN
int returned[IDS];              /* the ticks given back */
bool stayed[OWNERS];            /* something has happened to its row or its store */
#endif

/* Used within steps only. */
hidden byte i, j, at, burn;

inline copyRow(to, from) { to.nonce = from.nonce; to.high = from.high; to.until = from.until }
inline copyTable(to, from) {
	for (i : 0 .. IDS - 1) {
		copyRow(db[to].row[i], db[from].row[i])
	}
	db[to].gone = db[from].gone; db[to].history = db[from].history; db[to].floor = db[from].floor;
	db[to].given = db[from].given; db[to].which = db[from].which
}
inline wipe(t) {
	for (i : 0 .. IDS - 1) {
		db[t].row[i].nonce = 0; db[t].row[i].high = 0; db[t].row[i].until = 0
	}
	db[t].gone = 1; db[t].history = 0; db[t].floor = 0; db[t].given = 0; db[t].which = 0
}

inline clear(s) {
	tx[s].kind = 0; tx[s].phase = Nothing; tx[s].id = 0; tx[s].nonce = 0; tx[s].high = 0; tx[s].until = 0;
	tx[s].history = 0; tx[s].floor = 0; tx[s].before = 0;
#if SPLIT
	tx[s].begun = 0;
#endif
#if AFTER
	tx[s].due = 0;
#endif
	unread(s)
}
inline unread(s) {
	tx[s].under = 0; tx[s].saw.nonce = 0; tx[s].saw.high = 0; tx[s].saw.until = 0;
	tx[s].sawHistory = 0; tx[s].sawFloor = 0; tx[s].sawGiven = 0
}
inline drop(o) {
	own[o].id = 0; own[o].nonce = 0; own[o].before = 0; own[o].reserved = 0
#if FILE
	; own[o].granted = 0
#endif
#if RENEWS > 2
	; own[o].under = 0
#endif
}
#if RETAKE
inline forget(o) { lost[o].id = 0; lost[o].nonce = 0; lost[o].high = 0; lost[o].before = 0 }
#endif

/* ------------------------------------------------------------------- what is decided */

/* Where clocks may be wrong, a lease is over when it is by a slow one, and lasts while it
 * does by a fast one. */
#define FREE(k)     (NS.row[k].until + QUARANTINE + SURE(M_ERROR_TAKE) < at)
#define LASTS       (ROW.until >= at + SURE(M_ERROR_OWNER) || IS(M_NO_LEASE_CHECK))
/* An ID without a row is new only if no ID from it on was ever given. */
#define NEWID(k)    ((k) >= NS.given || IS(M_FRESH_GAP))
/* The end of a lease is never lowered: a failover could bring a former one back, which lasts longer. */
#define UNTIL       (IS(M_UNTIL_LOWERED) -> at + CLIENTS + TTL : MAX(ROW.until, at + CLIENTS + TTL))
#define MINE        (ROW.nonce && ROW.nonce == tx[s].nonce)

/* What owner s, or the process that the write is of, has read: the history, the namespace, the row and
 * after them the clock. */
inline read(s) {
	at = CLOCK;
	tx[s].under = UNDER;
	copyRow(tx[s].saw, ROW);
	tx[s].sawHistory = NS.history; tx[s].sawFloor = NS.floor; tx[s].sawGiven = NS.given;
	tx[s].history = NS.history; tx[s].floor = NS.floor;
	tx[s].phase = Decided
}

/* Whoever writes under another history says so, and that nobody may be given what anybody may
 * have reserved by now. */
inline tell(s, saved) {
	tx[s].history = (IS(M_HISTORY_UNSAVED) -> tx[s].history : HISTORY);
	tx[s].floor = (saved -> MAX(tx[s].floor, at + L) : tx[s].floor)
}
#define ANOTHER(o)      (LOSS(o) != Never && TELLS && NS.history != HISTORY)

inline decideAcquire(s, upto) {
#if SEEN == W_MOVED
	assert(ROW.until || !HOLDS(1 - s) || NS.row[own[1 - s].id].until);
#endif
#if !JUMP
	/* The owner's lease is over by its own clock, too. */
	for (i : 0 .. OWNERS - 1) {
		assert(FAULT || !CLIENTS && QUARANTINE < SKEW || !(HOLDS(i) && own[i].id == tx[s].id && ROW.nonce == own[i].nonce && ROW.until >= time + (IS(M_ERROR_OWNER) -> 0 : CLIENTS)))
	}
#endif
	assert(SEEN != W_APART || !(ROW.nonce && ROW.until >= time));
	assert(SEEN != W_JUMPED || ROW.high <= at + R + SKEW);
	burn = !IS(M_NO_BURN) && (LOSS(s) == Always || LOSS(s) == ByHistory && (!TELLS || NS.history != HISTORY));
	assert(SEEN != W_TRUSTED || burn || !ROW.nonce || !fails || fails == FAILS);
	assert(SEEN != W_LOST_TICKS || issued[tx[s].id] < (2 << ROW.high));
	if
	:: burn -> tell(s, true)
	:: else
	fi;
	tx[s].before = MAX(ROW.high, tx[s].floor);
	tx[s].floor = (IS(M_FLOOR_UNSAVED) -> NS.floor : tx[s].floor);
#if AFTER
	if
	:: s == 0 && !IS(M_AFTER_IGNORED) ->
		assert(SEEN != W_AFTER || tx[s].before >= AFTER);
		tx[s].before = MAX(tx[s].before, AFTER);
		tx[s].floor = (IS(M_AFTER_NOT_KEPT) -> tx[s].floor : MAX(tx[s].floor, AFTER))
	:: else -> tx[s].floor = (IS(M_AFTER_LOWERS) -> 0 : tx[s].floor)
	fi;
#endif
	tx[s].high = MAX(tx[s].before, at + upto);
	tx[s].high = (burn && IS(M_SLACK) -> MAX(tx[s].high, tx[s].before + 1) : tx[s].high);
	tx[s].before = (burn && IS(M_BURN_ISSUED) -> MAX(ROW.high, NS.floor) : tx[s].before);
	tx[s].until = at + CLIENTS + TTL
}

inline decideRenew(s, upto) {
#if SEEN == W_UNDELETED || SEEN == W_FORMER || SEEN == W_BACK
	assert(!stayed[s]);
#endif
	if
	:: ANOTHER(s) && !IS(M_RENEW_SILENT) ->
		WITNESS(W_RENEWED);
		tell(s, !IS(M_RENEW_NO_FLOOR))
	:: else
	fi;
	tx[s].high = (IS(M_HIGH_LOWERED) -> at + upto : MAX(ROW.high, at + upto));
	tx[s].until = UNTIL
#if FAULT == M_EARLY_LIMIT
	; raise(s, tx[s].high)
#elif FAULT == M_READ_RAISES
	; raise(s, ROW.high)
#endif
}

#if RESTORES
/* The row shows fewer ticks than its owner was told are stored: the store went back. Whatever an owner takes the store
 * for, it has the namespace know, as after a loss, and ends its lease. (That a number may be older alone is left out.) */
#define OLDER(told)     (!NS.gone && MINE && ROW.high < (told))
inline decideEnd(s, told) {
	WITNESS(W_OLDER);
	tx[s].kind = End;
	tell(s, !IS(M_OLDER_NO_FLOOR));
	tx[s].high = (IS(M_OLDER_HIGH) -> ROW.high : told);
	tx[s].until = at; tx[s].nonce = 0;
	unseen = unseen && !IS(M_OLDER_LATE)
}
#endif

/* A release that owner o was asked for, or a retake. */
inline decideRelease(s, o) {
	if
	:: ANOTHER(o) && !IS(M_RELEASE_SILENT) ->
		WITNESS(W_RELEASED);
		tell(s, true)
	:: else
	fi;
	tx[s].high = (tx[s].high == KEEP -> ROW.high : tx[s].high);
	tx[s].until = at;
	tx[s].nonce = (IS(M_CLOSE_KEEPS_NONCE) -> tx[s].nonce : 0)
}

/* A namespace that is not there is made at once. Nobody can tell it from one that was lost, so that its floor
 * is above what anybody may have reserved; if it is new, it has none. */
inline decideFound(s, new) {
	tx[s].kind = Found; tx[s].phase = Decided; tx[s].under = UNDER; tx[s].history = HISTORY;
	tx[s].floor = (new || IS(M_NO_FOUNDING_FLOOR) -> 0 : CLOCK + L)
}

/* ------------------------------------------------------------------- what is written */

#define SAME_ROW(s)     (ROWOF(s).nonce == tx[s].saw.nonce && (ROWOF(s).high == tx[s].saw.high && ROWOF(s).until == tx[s].saw.until || IS(M_CAS_NONCE)) || IS(M_CAS_BLIND) && tx[s].saw.until)
#define SAME_NS(s)      (NS.history == tx[s].sawHistory && NS.floor == tx[s].sawFloor && NS.given == tx[s].sawGiven)
#define SAME_HISTORY(s) (UNDER == tx[s].under || IS(M_SPLIT_ANY_HISTORY) && BEGUN(s) || IS(M_TAKE_ANY_HISTORY) && tx[s].kind == Acquire || IS(M_RENEW_ANY_HISTORY) && tx[s].kind != Acquire)
#define WRITES_NS(s)    (tx[s].history != tx[s].sawHistory || tx[s].floor != tx[s].sawFloor)
#define ASKS_NS(s)      (BEGUN(s) -> !IS(M_SPLIT_ANY_NAMESPACE) : SPLIT || tx[s].kind == Acquire && !IS(M_TAKE_ANY_NAMESPACE) || WRITES_NS(s) && !IS(M_RENEW_ANY_NAMESPACE))
#define MAY_BE(s)       (tx[s].phase == Decided && SAME_HISTORY(s) && !BARRED(s))
#define LANDS(s)        (MAY_BE(s) && (tx[s].kind == Found -> NS.gone : !NS.gone && !FIRST(s) && SAME_ROW(s) && (SAME_NS(s) || !ASKS_NS(s))))
/* With SPLIT, a change of the namespace is the first of two steps. Rows that are missing up to a new ID are made with it,
 * or without it by who dies then. Nothing else is compared. */
#if SPLIT
#define CHANGES(s)      (tx[s].phase == Decided && tx[s].kind != Found && !tx[s].begun && (WRITES_NS(s) || RAISES(s)))
#define RAISES(s)       (tx[s].kind == Acquire && (IS(M_SPLIT_UNUSED) -> !tx[s].saw.until : tx[s].saw.until <= NEVER) && tx[s].id >= tx[s].sawGiven)
#define BEGUN(s)        tx[s].begun
#define FIRST(s)        (CHANGES(s) && !IS(M_SPLIT_ROW_FIRST))
#define MAKES(s)        (FIRST(s) && RAISES(s) && !tx[s].saw.until && !ROWOF(s).until)
#define BEGINS(s)       (FIRST(s) && MAY_BE(s) && !NS.gone && SAME_NS(s) && (tx[s].saw.until || !ROWOF(s).until))
#else
#define BEGUN(s)        0
#define FIRST(s)        0
#define BEGINS(s)       0
#endif


/* Writes that nothing can make possible any more are forgotten, where that is so. */
#define HOPELESS        (!BACK && !DELETES && !RESETS && !VANISHES && !RESTORES && FAULT != M_TAKE_ANY_HISTORY && FAULT != M_RENEW_ANY_HISTORY && FAULT != M_SPLIT_ANY_HISTORY)
inline refuse() {
	for (j : 0 .. SLOTS - 1) {
		if
		:: HOPELESS && tx[j].phase == Decided && !LANDS(j) && !BEGINS(j) ->
			assert(SEEN != W_REFUSED || UNDER != tx[j].under);
			clear(j)
		:: else
		fi
	};
	j = 0
}

#if SPLIT
inline make(s) {
	for (i : tx[s].sawGiven .. tx[s].id) {
		NS.row[i].until = (NS.row[i].until -> NS.row[i].until : NEVER)
	}
	tx[s].saw.until = (tx[s].saw.until -> tx[s].saw.until : NEVER)
}
inline begin(s) {
	if
	:: RAISES(s) ->
		make(s);
		NS.given = (IS(M_GIVEN_UNSAVED) -> NS.given : tx[s].id + 1)
	:: else
	fi;
	NS.history = tx[s].history; NS.floor = tx[s].floor;
	tx[s].sawHistory = NS.history; tx[s].sawFloor = NS.floor; tx[s].sawGiven = NS.given; tx[s].begun = 1;
#if RESTORES
	unseen = unseen && tx[s].kind != End;
#endif
	news = (BACK && !news -> 1 : news);
	refuse()
}
#endif

/* The write: refused unless history, row and, where needed, namespace are as they were read. */
inline write(s) {
#if SPLIT
	if
	:: CHANGES(s) -> /* of a mutant only */
		copyRow(ROW, tx[s]); copyRow(tx[s].saw, tx[s]);
		tx[s].begun = 1;
		refuse()
	:: else -> writeAll(s)
	fi
#else
	writeAll(s)
#endif
}
inline writeAll(s) {
	assert(SEEN != W_LATE || s < OWNERS || tx[s].kind == Release);
	if
	:: tx[s].kind == Found ->
		NS.gone = 0; NS.history = tx[s].history; NS.floor = tx[s].floor; NS.given = 0;
		for (i : 0 .. IDS - 1) {
			NS.given = (NS.row[i].until && !IS(M_GIVEN_FOUND) -> i + 1 : NS.given)
		}
	:: else ->
#if SEEN
		for (i : 0 .. OWNERS - 1) {
			assert(SEEN != W_TAKEOVER || !(tx[s].kind == Acquire && own[i].reserved > own[i].before && own[i].id == tx[s].id && own[i].nonce == ROW.nonce))
		}
#endif
#if AFTER
		assert(tx[s].kind != Acquire || !tx[s].due || tx[s].before >= AFTER);
#endif
		if
		:: WRITES_NS(s) -> NS.history = tx[s].history; NS.floor = tx[s].floor
		:: else
		fi;
		/* A new ID is given, and those that are passed over get free rows. */
		if
		:: tx[s].kind == Acquire && (!ROW.until || IS(M_SPLIT_ROW_FIRST)) && tx[s].id >= NS.given && !IS(M_GIVEN_UNSAVED) ->
			for (i : NS.given .. tx[s].id) {
				NS.row[i].until = (NS.row[i].until -> NS.row[i].until : NEVER)
			}
			NS.given = tx[s].id + 1
		:: else
		fi;
#if RESTORES
		unseen = unseen && tx[s].kind != End;
#endif
		copyRow(ROW, tx[s])
	fi;
	news = (BACK && !news -> 1 : news);
	if
	:: s < OWNERS && tx[s].kind != Found -> tx[s].phase = Done; i = tx[s].under; unread(s); tx[s].under = (RENEWS > 2 -> i : 0); tx[s].until = 0; tx[s].history = 0; tx[s].floor = 0
#if SPLIT
		; tx[s].begun = 0
#endif
	:: else -> clear(s)
	fi;
	refuse()
}

/* ------------------------------------------------------------------ the owner's side */

#define IDLE(o)  (tx[o].phase == Nothing)

/* The owner may issue ticks up to upto. */
inline raise(o, upto) {
	if
	:: upto > own[o].reserved ->
#if AFTER
		assert(o || own[o].reserved >= AFTER);
#endif
#if SEEN == W_HANDED_ON
		assert(!(returned[own[o].id] & TICKS(own[o].reserved, upto)));
#endif
#if !FILE
		assert(!(issued[own[o].id] & TICKS(own[o].reserved, upto)));
		issued[own[o].id] = issued[own[o].id] | TICKS(own[o].reserved, upto);
#endif
		own[o].reserved = upto
	:: else
	fi
}

#if FILE
/* The same with a state file, in which these ticks are noted. */
inline grant(o, upto) {
	assert(!(issued[own[o].id] & TICKS(own[o].granted, upto)));
	issued[own[o].id] = issued[own[o].id] | TICKS(own[o].granted, upto);
	own[o].granted = upto
}

/* The whole record is written, and synced. */
inline save(o, upto) {
	file[o].id = own[o].id; file[o].nonce = own[o].nonce; file[o].reserved = own[o].reserved; file[o].granted = upto
#if RENEWS > 2
	; file[o].under = own[o].under
#endif
}
#endif

/* What a Lease decides in Store.Take. How far it reserves is open, up to R. */
inline acquire(s, k, upto) {
	takes--;
	tx[s].id = k;
	if
	:: !NS.gone ->
		read(s);
#if FAULT == M_EARLY_CLOCK
		at = own[s].before; own[s].before = 0;
#endif
		if
		:: FREE(k) && (ROW.until || NEWID(k)) ->
			tx[s].kind = Acquire; tx[s].nonce = TAKES - takes;
#if AFTER
			tx[s].due = kept_after;
#endif
			decideAcquire(s, upto)
		:: else -> clear(s)
		fi
	:: else -> tx[s].id = 0; takes++; decideFound(s, false)
	fi
}

/* An owner whose renewal is refused has lost its lease; what was reserved drains. So has one that finds no namespace.
 * RENEWS: 1: it goes on under another history, and says so. 3: it takes its lease for lost if its store's history is not
 * that of its own last write, 4: only if that is the same server's, whose table is another one. */
inline renew(s, upto) {
	tx[s].id = own[s].id; tx[s].nonce = own[s].nonce;
	read(s);
	if
	:: NS.gone && IS(M_KEEPS_LEASE) -> clear(s)
#if RENEWS == 3
	:: own[s].under != HISTORY -> clear(s); drop(s)
#elif RENEWS == 4
	:: own[s].under != HISTORY && SERVER(own[s].under) == SERVER(HISTORY) -> clear(s); drop(s)
#endif
#if RESTORES
	:: OLDER(own[s].reserved) ->
		if
		:: IS(M_OLDER_SILENT) -> unseen = 0; clear(s); drop(s)
		:: else -> decideEnd(s, own[s].reserved)
		fi
#endif
	:: else ->
		if
		:: !NS.gone && (MINE || IS(M_NO_NONCE_CHECK)) && LASTS -> tx[s].kind = Extend; decideRenew(s, upto)
		:: else -> clear(s); drop(s)
		fi
	fi
}

inline release(s, o) {
	read(s);
	if
#if RESTORES
	:: OLDER(tx[s].before) ->
		if
		:: IS(M_OLDER_CLOSE) -> unseen = 0; clear(s)
		:: else -> decideEnd(s, tx[s].before)
		fi
#endif
	:: !NS.gone && (MINE || IS(M_CLOSE_BLIND)) -> decideRelease(s, o)
	:: else -> clear(s)
	fi
}

#if RETAKE
/* An acquisition is remembered, as it may have gone through. */
inline remember(o) {
	if
	:: tx[o].kind == Acquire ->
		lost[o].id = tx[o].id; lost[o].nonce = tx[o].nonce; lost[o].high = tx[o].high; lost[o].before = tx[o].before
	:: else
	fi
}

/* It is taken up if its row says that it went through. */
inline retake(s, upto) {
	tx[s].id = lost[s].id; tx[s].nonce = lost[s].nonce;
	read(s);
	if
	:: !NS.gone && (MINE || IS(M_RETAKE_BLIND)) && ROW.high == lost[s].high && LASTS &&
		(NS.floor <= lost[s].before || IS(M_RETAKE_FLOOR)) ->
		tx[s].kind = Retake;
		tx[s].before = (IS(M_RETAKE_BELOW) -> 0 : lost[s].before);
		if
		:: ANOTHER(s) && !IS(M_RETAKE_SILENT) -> tell(s, true)
		:: else
		fi;
		tx[s].high = (IS(M_RETAKE_HIGH) -> at + upto : ROW.high);
		tx[s].until = UNTIL;
		tx[s].phase = (IS(M_RETAKE_READS) -> Known : Decided)
	:: else -> clear(s); forget(s)
	fi
}
#endif

inline hear(o) {
	if
	:: tx[o].kind == End -> drop(o)
	:: tx[o].kind == Acquire || tx[o].kind == Retake ->
		assert(SEEN != W_RETAKEN || tx[o].kind != Retake);
		assert(SEEN != W_FOUNDED || !NS.which);
#if AFTER
		kept_after = kept_after || DURABLE && o == 0;
#endif
		own[o].id = tx[o].id; own[o].nonce = tx[o].nonce; own[o].before = tx[o].before; own[o].reserved = tx[o].before
#if FILE
		; own[o].granted = tx[o].before
#endif
#if RETAKE
		; tx[o].high = (tx[o].kind == Retake -> lost[o].high : tx[o].high);
		forget(o)
#endif
	:: else
	fi;
#if RENEWS > 2
	own[o].under = tx[o].under;
#endif
#if SEEN
	stayed[o] = 0;
#endif
	if
	:: tx[o].kind != End -> raise(o, tx[o].high)
	:: else
	fi;
	clear(o)
}

/* The first free slot for a write for which nobody waits. */
#define SPARE (tx[OWNERS].phase == Nothing || tx[SLOTS - 1].phase == Nothing)
inline spare() { j = (tx[OWNERS].phase == Nothing -> OWNERS : SLOTS - 1) }

/* How far is left open, up to what the owner may reserve. */
inline choose(o) {
	upto = REACH(o);
	do
	:: upto > 1 -> upto--
	:: break
	od
}

active [OWNERS] proctype Owner()
{
	byte me = _pid, k, upto;

end:
	do
	:: atomic { IDLE(me) && !HOLDS(me) && FORGOT(me) && takes > 0 && (!IS(M_EARLY_CLOCK) || own[me].before) ->
			do
			:: k < IDS - 1 -> k++
			:: break
			od;
			choose(me);
			d_step { acquire(me, k, upto); k = 0; upto = 0 }
		}
	:: atomic { IDLE(me) && HOLDS(me) ->
			choose(me);
			d_step { renew(me, upto); upto = 0 }
		}
	:: d_step { LANDS(me) -> write(me) }
#if SPLIT
	:: d_step { BEGINS(me) -> begin(me) }
	:: d_step { MAKES(me) -> make(me); refuse() }
#endif
	:: d_step { tx[me].phase == Known || tx[me].phase == Done && !(DURABLE && fails) -> hear(me) }

	/* The write is refused or fails, and the owner knows that it did not happen. */
	:: d_step { tx[me].phase == Decided -> clear(me) }

	/* The reply is lost. */
	:: d_step { tx[me].phase >= Done && doubts > 0 ->
			doubts--;
#if RETAKE
			remember(me);
#endif
			clear(me)
		}

	/* The owner waits no longer, or has crashed. The write may be done later. */
	:: d_step { tx[me].phase == Decided && doubts > 0 && SPARE ->
			doubts--;
#if RETAKE
			remember(me);
#endif
			spare();
			tx[j].kind = tx[me].kind; tx[j].phase = Decided; tx[j].id = tx[me].id; tx[j].under = tx[me].under;
			copyRow(tx[j].saw, tx[me].saw); tx[j].sawHistory = tx[me].sawHistory; tx[j].sawFloor = tx[me].sawFloor;
			tx[j].sawGiven = tx[me].sawGiven; tx[j].history = tx[me].history; tx[j].floor = tx[me].floor;
			copyRow(tx[j], tx[me]);
#if SPLIT
			tx[j].begun = tx[me].begun;
#endif
#if AFTER
			tx[j].before = tx[me].before; tx[j].due = tx[me].due;
#endif
			clear(me)
		}

	/* Its process crashes and starts again, or calls Invalidate. */
	:: d_step { IDLE(me) && HOLDS(me) && (takes > 0 || FILE) -> drop(me) }

#if FAULT == M_EARLY_CLOCK
	:: IDLE(me) && !HOLDS(me) && takes > 0 && !own[me].before -> own[me].before = CLOCK
#endif
	:: d_step { IS(M_NO_RESERVATION) && IDLE(me) && HOLDS(me) && time > own[me].reserved -> raise(me, time) }

#if RETAKE
	/* An acquisition without a reply is taken up, or given up, or its process crashes. */
	:: atomic { IDLE(me) && !FORGOT(me) ->
			choose(me);
			d_step { retake(me, upto); upto = 0 }
		}
	:: d_step { IDLE(me) && !FORGOT(me) && SPARE ->
			spare();
			tx[j].kind = Release; tx[j].phase = Sent; tx[j].id = lost[me].id; tx[j].nonce = lost[me].nonce; tx[j].high = lost[me].before;
			forget(me)
		}
	:: d_step { IDLE(me) && !FORGOT(me) -> forget(me) }
#endif

#if FILE
	/* The state file is written, and then ticks are issued; how many is left open. The
	 * database is not asked. A process may end in between. */
	:: atomic { IDLE(me) && HOLDS(me) && own[me].granted < own[me].reserved ->
			k = own[me].granted + 1;
			do
			:: k < own[me].reserved -> k++
			:: break
			od;
			if
			:: d_step {
#if SEEN == W_RESUMED
				assert(!stayed[me] || !NS.row[own[me].id].nonce || NS.row[own[me].id].nonce == own[me].nonce);
#endif
				save(me, k); grant(me, k); k = 0 }
			:: d_step { save(me, k); k = 0 }
			:: d_step { IS(M_FILE_LATE) -> grant(me, k); k = 0 }
			fi
		}
	:: d_step { IS(M_FILE_LATE) && IDLE(me) && HOLDS(me) -> save(me, own[me].granted) }

	/* A process starts from its file. It asks the database, or does without. */
	:: d_step { IDLE(me) && !HOLDS(me) && file[me].nonce ->
			own[me].id = file[me].id; own[me].nonce = file[me].nonce; own[me].reserved = file[me].reserved;
			own[me].before = (IS(M_FILE_BELOW) && time < file[me].granted -> time : file[me].granted);
			own[me].granted = own[me].before;
#if RENEWS > 2
			own[me].under = file[me].under;
#endif
#if SEEN
			stayed[me] = 1
#endif
		}

	/* A start cannot write its file, or does not know whether it has, and gives up. Where writes
	 * can be lost it leaves its row as it is, for the end of its lease could be lost as well. */
	:: d_step { (LOSS(me) == Never || IS(M_FILE_RELEASES)) && IDLE(me) && HOLDS(me) && own[me].granted == own[me].before && SPARE ->
			spare();
			tx[j].kind = Release; tx[j].phase = Sent; tx[j].id = own[me].id; tx[j].nonce = own[me].nonce;
			tx[j].high = (IS(M_FILE_LOWERS) -> own[me].before : KEEP);
			drop(me)
		}

	/* Close keeps the lease, for the next start. */
	:: atomic { IDLE(me) && HOLDS(me) ->
			k = own[me].before;
			do
			:: k < own[me].granted -> k++
			:: break
			od;
			d_step {
				save(me, k);
				issued[own[me].id] = issued[own[me].id] & ~TICKS(k, own[me].granted);
				drop(me);
				k = 0
			}
		}
#else
	/* Close. Its release is done later, or never. */
	:: atomic { IDLE(me) && HOLDS(me) && SPARE ->
			k = own[me].before;
			do
			:: k < own[me].reserved -> k++
			:: break
			od;
			d_step {
				spare();
				tx[j].kind = Release; tx[j].phase = Sent; tx[j].id = own[me].id; tx[j].nonce = own[me].nonce;
				tx[j].high = (IS(M_CLOSE_BELOW_BASE) && k == own[me].before -> 0 : k);
#if RESTORES
				tx[j].before = own[me].reserved;
#endif
				if
				:: IS(M_CLOSE_GOES_ON)
				:: else ->
#if SEEN
					returned[own[me].id] = returned[own[me].id] | TICKS(k, own[me].reserved);
#endif
					issued[own[me].id] = issued[own[me].id] & ~TICKS(k, own[me].reserved);
					drop(me)
				fi;
				k = 0
			}
		}
#endif
	od
}

/* Writes for which nobody waits. A release decides first; by whose settings is left open. */
active [LATE] proctype Straggler()
{
	byte me = _pid;

end:
	do
	:: d_step { tx[me].phase == Sent -> release(me, 0) }
	:: d_step { tx[me].phase == Sent && LOSSES0 != LOSSES -> release(me, 1) }
	:: d_step { LANDS(me) -> write(me) }
#if SPLIT
	:: d_step { BEGINS(me) -> begin(me) }
	:: d_step { MAKES(me) -> make(me); refuse() }
#endif
	:: d_step { tx[me].phase != Nothing -> clear(me) }
	od
}

/* ---------------------------------------------------------------------- the world */

#define OVER(k)    (db[KEPT].row[k].until < time)
#define DIFFERS(k) (NS.row[k].nonce != db[COPY].row[k].nonce || NS.row[k].high != db[COPY].row[k].high || NS.row[k].until != db[COPY].row[k].until)
#define BEHIND     (DIFFERS(0) || DIFFERS(IDS - 1) || NS.gone != db[COPY].gone || NS.history != db[COPY].history || NS.floor != db[COPY].floor || NS.given != db[COPY].given || NS.which != db[COPY].which)

#if DELETES
#define PUTS_BACK(k)    (deleted[k].until && !NS.row[k].until)
inline remove(k) {
	deletes--;
	copyRow(deleted[k], NS.row[k]);
	NS.row[k].nonce = 0; NS.row[k].high = 0; NS.row[k].until = 0
}
inline putBack(k) {
	copyRow(NS.row[k], deleted[k]);
	deleted[k].nonce = 0; deleted[k].high = 0; deleted[k].until = 0
#if SEEN
	; for (i : 0 .. OWNERS - 1) {
		stayed[i] = HOLDS(i) && own[i].id == k
	};
	i = 0
#endif
}
#endif

/* The store: a replica db[COPY] and its promotion, a crash, a restored dump, rows and tables that go and come. */
active proctype World()
{
	atomic {
		if
		:: true
		:: FAILS || SHIFTS -> ahead = SKEW
		:: JUMP -> ahead = JUMP
		fi
	};
end:
	do
	:: time < START + SPAN -> time++

	/* The clock is set, or who reads one next is another client. */
	:: (SHIFTS || CLIENTS) && ahead != 0 -> ahead = 0
	:: (SHIFTS || CLIENTS) && ahead != SKEW -> ahead = SKEW
	:: JUMP && ahead -> ahead = 0
	:: JUMP && !ahead -> ahead = JUMP

#if NEW
	/* An operator makes a namespace as a new one, before anybody has had a lease. */
	:: d_step { time == START && takes == TAKES && !NS.gone -> wipe(NOW); wipe(COPY); wipe(KEPT) }
	:: d_step { NS.gone && IDLE(0) && (takes == TAKES || IS(M_NEW_AGAIN)) -> decideFound(0, true); write(0) }
#endif

#if DELETES
	/* Somebody deletes a row and keeps it, and puts it back as it was, unless there is another one. */
	:: d_step { deletes > 0 && NS.row[0].until -> remove(0) }
	:: d_step { PUTS_BACK(0) -> putBack(0) }
#if IDS > 1
	:: d_step { deletes > 0 && NS.row[1].until -> remove(1) }
	:: d_step { PUTS_BACK(1) -> putBack(1) }
#endif
#endif

#if RESETS
	/* The table is emptied. Or its namespace's row is deleted alone. */
	:: d_step { resets > 0 -> resets--; tables++; wipe(NOW); NS.which = tables }
	:: d_step { resets > 0 -> resets--; NS.gone = 1; NS.history = 0; NS.floor = 0; NS.given = 0 }
	/* A namespace that a start has made says that no ID was given: of itself, not of the one before. */
	:: d_step { IS(M_NEW_OVER) && !NS.gone && !NS.given -> NS.floor = 0 }
#endif
#if VANISHES
	/* The table is renamed away, and there is a new one, or it is empty. Then the former one comes back. */
	:: d_step { !kept && !tables -> kept = 1; copyTable(KEPT, NOW); tables++; wipe(NOW); NS.which = tables }
	:: d_step { kept && (!LATER || OVER(0) && OVER(IDS - 1)) ->
			kept = 0; copyTable(NOW, KEPT); wipe(KEPT);
			tables++;
			NS.which = (MOVES == 1 -> tables : NS.which)
#if SEEN
			; for (i : 0 .. OWNERS - 1) {
				stayed[i] = HOLDS(i)
			};
			i = 0
#endif
		}
#endif

#if RESTORES
	/* Somebody copies the table, and puts the copy over it. No write outlives that. What is not covered: who begins
	 * before an old owner has renewed or closed (EARLY), also since all of them stand still; and a copy in which no row
	 * is an older one of somebody who still has it: then nobody ever begins here. */
	:: d_step { !kept && !unseen && restores > 0 -> restores--; kept = 1; copyTable(KEPT, NOW) }
	:: d_step { kept ->
			kept = 0; copyTable(NOW, KEPT); wipe(KEPT); unseen = 1;
			for (j : 0 .. SLOTS - 1) {
				if
				:: RESTORES < 2 && tx[j].phase == Decided -> clear(j)
				:: else
				fi
			};
			j = 0
		}
#endif

#if FAILS
	/* The replica catches up. A server that another one took over from has nothing to catch up with before that writes:
	 * it undoes what the other one lacks only then. */
	:: d_step { fails > 0 && BEHIND && (BACK != 1 || fails == FAILS || news) ->
			copyTable(COPY, NOW);
			news = (news -> 2 : 0);
			for (i : 0 .. OWNERS - 1) {
				tx[i].phase = (DURABLE && tx[i].phase == Done -> Known : tx[i].phase)
			};
			i = 0
		}

	/* It is promoted. What it does not have is lost. */
	:: atomic { fails > 0 && (BACK != 1 || fails == FAILS || news != 1) ->
			d_step {
				fails--;
				for (i : 0 .. OWNERS - 1) {
					assert(SEEN != W_LOST_COMMIT || !(HOLDS(i) && own[i].nonce == NS.row[own[i].id].nonce && own[i].nonce != db[COPY].row[own[i].id].nonce))
#if SEEN == W_BACK
					; stayed[i] = (fails == 0 && HOLDS(i) && news == 2)
#endif
				}
				for (i : 0 .. OWNERS - 1) {
					if
					:: DURABLE && tx[i].phase == Done ->
						WITNESS(W_UNSYNCED);
#if RETAKE
						remember(i);
#endif
						clear(i)
					:: else
					fi
				}
#if BACK
				copyTable(KEPT, NOW); copyTable(NOW, COPY); copyTable(COPY, KEPT); wipe(KEPT);
				server = 1 - server; news = 0;
#else
				copyTable(NOW, COPY);
				server = FAILS - fails;
#endif
				if
				:: fails == 0 -> wipe(COPY); news = 0
				:: else
				fi;
				refuse()
			};
			if
			:: ahead = 0
			:: ahead = SKEW
			:: SKEW > 1 -> ahead = 1
			fi
		}
#endif
	od
}
