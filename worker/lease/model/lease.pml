/*
 * The protocol of package lease: owners, their transactions, and a store, whose clock is
 * skewed and which may fail over to a replica that is behind. It has locks or compares
 * versions, and a clock of its own or none. README.md says what stands for what, and what is left out.
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
#define LATE       1    /* requests under way for which nobody waits any more */
#endif
#ifndef TAKES
#define TAKES      2    /* acquires that are begun */
#endif
#ifndef DOUBTS
#define DOUBTS     0    /* replies that are lost, and requests that are given up */
#endif
#ifndef FAILS
#define FAILS      1    /* failovers to the replica */
#endif
#ifndef SHIFTS
#define SHIFTS     0    /* times that the database's clock is set */
#endif
#ifndef SPAN
#define SPAN       8    /* units of time that pass */
#endif

#ifndef DELETES
#define DELETES    0    /* times that somebody deletes a row, or all; they may come back */
#endif
#ifndef MAKES
#define MAKES      0    /* 1: whoever takes a new ID makes free rows for all others */
#endif
#ifndef RESETS
#define RESETS     0    /* times that the table is emptied (TRUNCATE, or dropped and made again) */
#endif
#ifndef VANISHES
#define VANISHES   0    /* times that the table is renamed away; it may come back */
#endif
#ifndef INIT
#define INIT       0    /* 1: an operator founds a namespace that is gone (Init) */
#endif
#ifndef CLIENTS
#define CLIENTS    0    /* by how much each client's clock may be off: the store has none. 0: it has one */
#endif
#ifndef NODES
#define NODES      1    /* nodes of a cluster, each with locks and a clock of its own */
#endif
#ifndef FILE
#define FILE       0    /* 1: each owner has a state file */
#endif
#ifndef RETAKE
#define RETAKE     0    /* 1: an acquire whose reply was lost is taken up again */
#endif
#ifndef CAS
#define CAS        0    /* 1: no locks: a write names the versions that were read, and is refused if they are old */
#endif
#ifndef SYNC
#define SYNC       0    /* 1: what can be read need not be durable yet; what was acknowledged is */
#endif
#ifndef STALE
#define STALE      0    /* 1: a follower, which may lag behind, answers what owners read */
#endif
#ifndef AFTER
#define AFTER      0    /* owner 0 asks for ticks above this one only (MinTick). 0: it does not */
#endif
#ifndef MIXED
#define MIXED      0    /* 1: owner 0 does not trust the store, the others do (LossyStore) */
#endif

/* The settings, in units of time; a tick is as long as one. */
#ifndef DURABLE
#define DURABLE    0    /* 1: DurableStore: a commit is never lost, and HIGH is trusted */
#endif
#ifndef WINDOW
#define WINDOW     1    /* how far ahead of the database's clock an owner reserves, */
#endif
#ifndef WIDER
#define WIDER      0    /* and owner 0 by so much more */
#endif
#ifndef SKEW
#define SKEW       (CLIENTS -> 2 * CLIENTS : 1) /* how far two clocks are apart at most */
#endif
#ifndef BURNT
#define BURNT      SKEW /* how far the burn goes beyond what may have been reserved */
#endif
#ifndef QUARANTINE
#define QUARANTINE SKEW
#endif
#ifndef TTL
#define TTL        (WINDOW + WIDER)
#endif
#ifndef REST
#define REST       TTL  /* how long a namespace that begins anew is left alone */
#endif
#ifndef BACK
#define BACK       0    /* 1: a table that was renamed away may come back after that, too */
#endif
#ifndef JUMP
#define JUMP       0    /* how far the database's clock jumps, to and fro, at any time */
#endif
#ifndef BEYOND
#define BEYOND     0    /* how far beyond its window an extend may reserve */
#endif
#ifndef KEEPS
#define KEEPS      0    /* 1: the control row's REACH is in the replica at once */
#endif

/* The rules that can be taken out. */
#ifndef FAULT
#define FAULT                 0
#endif
#define M_NO_RESERVATION      1
#define M_NO_BURN             2
#define M_NO_BURN_UNUSED      3
#define M_BURN_ISSUED         4
#define M_NO_LEASE_CHECK      5
#define M_NO_NONCE_CHECK      6
#define M_NO_ROTATION         7
#define M_EARLY_LIMIT         8
#define M_NO_RECHECK          9
#define M_EARLY_CLOCK        10
#define M_EARLY_CLOCK_ACQUIRE 11
#define M_LOCK_READS         12
#define M_CLOSE_BELOW_BASE   13
#define M_CLOSE_BLIND        14
#define M_CLOSE_KEEPS_NONCE  15
#define M_CLOSE_GOES_ON      16
#define M_OWN_REACH          17
#define M_NO_CONTROL         18
#define M_NO_ROW_LOCK        19
#define M_HIGH_LOWERED       20
#define M_KEEPS_DOUBT        21
#define M_FRESH_GAP          23
#define M_GIVEN_UNSAVED      24
#define M_GIVEN_EARLY        25
#define M_CREATES            26
#define M_NO_REST            27
#define M_NO_FOUNDING_FLOOR  28
#define M_GIVEN_FOUND        29
#define M_LEASE_ENDED        30
#define M_BEYOND_LOSSY       31
#define M_NO_CERTIFICATION   32
#define M_FILE_BELOW         33
#define M_FILE_LATE          34
#define M_FILE_LOWERS        35
#define M_RETAKE_BLIND       36
#define M_RETAKE_BELOW       37
#define M_RETAKE_RELEASED    38
#define M_RETAKE_NONCE_ONLY  39
#define M_CONTROL_DELETED    40
#define M_NO_REST_TIME       41
#define M_ERROR_TAKE         42
#define M_ERROR_OWNER        43
#define M_ERROR_REST         44
#define M_ERROR_FLOOR        45
#define M_RETAKE_READS       46
#define M_RETAKE_HIGH        47
#define M_READ_RAISES        48
#define M_LAST_PROPOSAL      49
#define M_CLEARED_BY_READ    50
#define M_RETAKE_KEEPS       51
#define M_ERROR_BOTH         52
#define M_CAS_BLIND          53
#define M_CAS_NONCE          54
#define M_GIVEN_RACE         55
#define M_CAS_FAILOVER       56
#define M_CAS_TIMED          57
#define M_RETAKE_AFTER       58
#define M_ERROR_FOUND        59
#define M_CAS_FAILOVER_TAKE  60
#define M_CAS_REPLICA        61
#define M_STALE_WRITES       62
#define M_STALE_READS        63
#define M_AFTER_IGNORED      66
#define M_AFTER_NOT_KEPT     67
#define M_AFTER_LOWERS       68
#define M_AFTER_RETAKEN      69
#define M_NO_WAIT            72
#define M_NO_BURN_RELEASED   73
#define M_FILE_RELEASES      74
#define M_FILE_WIDER         75

/* What can happen. */
#ifndef SEEN
#define SEEN                  0
#endif
#define W_TAKEOVER            1
#define W_LOST_COMMIT         2
#define W_UNKNOWN_TICKS       3
#define W_WENT_THROUGH        4
#define W_DID_NOT             5
#define W_LATE_COMMIT         6
#define W_LATE_REPLY          7
#define W_EXPIRED             8
#define W_DISPLACED           9
#define W_DRAINS             10
#define W_HANDED_ON          11
#define W_RECHECKED          12
#define W_REACHED            13
#define W_DELETED            14
#define W_UNDELETED          15
#define W_CAME_BACK          16
#define W_FOUNDED            17
#define W_FORMER             18
#define W_BEYOND             19
#define W_JUMPED             20
#define W_CERTIFIED          21
#define W_RESUMED            22
#define W_RESUMED_PROPOSED   23
#define W_RETAKEN            24
#define W_NOT_RETAKEN        25
#define W_FOUNDING_LOST      26
#define W_APART              27
#define W_REFUSED            28
#define W_SEVERAL            29
#define W_RETAKEN_TWICE      30
#define W_UNSYNCED           31
#define W_OVERTAKEN          32
#define W_STALE              33
#define W_AFTER              34
#define W_AFTER_KEPT         35
#define W_MOVED              36
#define W_MADE               37

#ifndef LEMMAS
#define LEMMAS     1    /* 0: only the first rule counts, that no tick is issued twice, */
#endif
#ifndef LOSSES
#define LOSSES     LEMMAS /* and 1: that no lease is lost for nothing */
#endif

#define IS(fault)       (FAULT == fault)
#define WITNESS(event)  assert(SEEN != event)
#define LEMMA(claim)    assert(!LEMMAS || (claim))

#define SURE(fault)     (IS(fault) -> 0 : CLIENTS)      /* a clock may be off by so much */
#define HAS(set, k)     (((set) >> (k)) & 1)
#define MAX(a, b)       ((a) > (b) -> (a) : (b))
#define TICKS(from, to) ((2 << (to)) - (2 << (from)))   /* those above from, up to to */
#define SLOTS           (OWNERS + LATE)
#define NONCES          12
#define GONE            11
#define START           (QUARANTINE + SKEW + 1)
#if FILE && WIDER
bit grown;                      /* owner 0 has been given its wider window, for its next start */
#define REACH(o)        (WINDOW + ((o) == 0 && grown -> WIDER : 0))
#define WIDENED(o)      (WINDOW + own[o].wide < REACH(o))       /* the namespace knows of less */
#else
#define REACH(o)        (WINDOW + ((o) == 0 -> WIDER : 0))
#define WIDENED(o)      0
#endif
#define FOUNDS          (RESETS || VANISHES)    /* namespaces can be gone */
#define FLOORS          (FOUNDS || AFTER)
#define CAS_FAULT           (FAULT >= M_CAS_BLIND && FAULT <= M_CAS_TIMED || FAULT == M_NO_ROTATION || FAULT == M_CAS_FAILOVER_TAKE || FAULT == M_STALE_WRITES)
#define LOSSY(s)            (!DURABLE || MIXED && (s) == 0)
#if VANISHES && FAILS || FOUNDS && NODES > 1 || CAS && NODES > 1 || AFTER && (FOUNDS || FILE) || (STALE || MIXED) && !CAS || STALE && (FAILS || FOUNDS) || IDS > 2 && (FAILS || STALE) || IDS > 3
#error these do not go together
#endif

/* The table. All zero: the row is not there. */
typedef Row {
	byte nonce;                     /* 0: released, or nobody has had it */
	byte high, until                /* NEVER: nobody has had it */
#if CAS && !FAILS
	; byte by                       /* for a property: the owner who has written it, + 1 */
#endif
};
#define NEVER   1
Row row[IDS];
byte given;                             /* the control row's GIVEN, + 1: only from here on are IDs new */
byte reach = (WIDER -> 0 : WINDOW + BURNT);             /* the control row's REACH */
#if FLOORS
byte floor;                     /* the control row's HIGH: nobody is given ticks up to it */
#define FLOOR           floor
#else
#define FLOOR           0
#endif
#if FOUNDS
bit control = 1;                /* there is a control row, */
byte rest;                      /* and the end of its rest: nobody acquires until then */
bit away, former;               /* the table is renamed away; there is another one now */
byte resets = RESETS, vanishes = VANISHES;
#define THERE           (!away)
#define FOUNDED         (control && !away)
#define RESTED(s)       (FOUNDED && rest + SURE(M_ERROR_REST) < CLOCK_OF(s))
#else
#define THERE           1
#define FOUNDED         1
#define RESTED(s)       1
#endif

/* Locks: slot + 1. A cluster has them on each node. */
#if NODES > 1
byte lockedBy[NODES * IDS], controlBy[NODES];
#define LOCK(s, k)      lockedBy[tx[s].node * IDS + (k)]
#define CONTROL(s)      controlBy[tx[s].node]
#define CONTROL_FREE    (!controlBy[0])
#define CLOCK_OF(s)     (time + (tx[s].node -> SKEW - ahead : ahead))
#else
byte lockedBy[IDS], controlBy;
#define LOCK(s, k)      lockedBy[k]
#define CONTROL(s)      controlBy
#define CONTROL_FREE    (!controlBy)
#define CLOCK_OF(s)     CLOCK
#endif
#define ROWS_FREE       (!lockedBy[0] && !lockedBy[IDS / 2] && !lockedBy[IDS - 1])
#define UNLOCKED        (CONTROL_FREE && ROWS_FREE)

/* What of it has reached the replica, or what was renamed away. */
Row copy[IDS];
byte copyGiven;
byte copyReach = (WIDER -> 0 : WINDOW + BURNT);
#if FLOORS
byte copyFloor;
#endif
#if FOUNDS
bit copyControl;
byte copyRest;
#endif

#if DELETES
/* The rows that somebody has deleted, and keeps. */
Row deleted[IDS];
byte deletes = DELETES;
#endif

/* The database's clock. */
byte time = START, ahead;
#define CLOCK           (time + ahead)
#define TRUE            (time + CLIENTS)        /* without errors of clients */

/* A transaction of an owner, or with CAS a decision and its write. The first slots hold those that the owner of this number
 * waits for, the others those for which nobody waits any more. */
#define Nothing  0
#define Sent     1
#define Chosen   2      /* an acquire that has locked the control row and chosen an ID */
#define Locked   3      /* the row is locked and judged; with CAS it is read and judged */
#define Done     4      /* committed, and the reply is under way */
#define Known    6      /* with SYNC: the commit is durable */
#define Away     5      /* locked and judged at the replica (M_LOCK_READS) */

#define Acquire  1
#define Extend   2
#define Release  3
#define Retake   4

typedef Transaction {
	byte kind, phase, id;
	byte wide;              /* the owner's reach - WINDOW */
	short mine;             /* the nonces that a row has if it is the owner's */
	byte nonce, high, until;/* what is written */
	byte base               /* what the first usable tick follows */
#if NODES > 1
	; byte node
#endif
#if CAS && !FAILS
	; byte who              /* the owner, + 1 */
#endif
#if CAS
	; bit new               /* there was no row */
#endif
#if CAS && CAS_FAULT
	; byte saw              /* the nonce of the row that was read, or ABSENT */
#endif
#if AFTER
	; byte after            /* the owner asks for ticks above this one, */
	; bit due               /* and for a property: the namespace keeps AFTER since before this began */
#endif
};
#define ABSENT   (NONCES + 1)
Transaction tx[SLOTS];
#define KEPT     255            /* as high: a release leaves HIGH as it is */

/* What an owner knows. */
typedef Lease {
	byte id;
	byte nonce;             /* the confirmed one; 0: there is no lease */
	short doubted;          /* nonces that were proposed, but no reply came */
	byte base, limit        /* ticks above base, up to limit, may be issued, */
#if FILE
	; byte granted          /* or with a state file up to granted */
#if WIDER
	; byte wide             /* the reach that its acquire told the namespace - WINDOW */
#endif
#endif
};
Lease own[OWNERS];
#define HOLDS(o)        (own[o].nonce != 0)

#if FILE
/* The state files. */
typedef Record {
	byte id, nonce;         /* 0: there is none */
	short doubted;          /* the nonce that was proposed last */
	byte limit, granted
#if WIDER
	; byte wide
#endif
};
Record file[OWNERS];
#endif

#if RETAKE
/* Acquires without a reply, as far as their owners remember them. */
typedef Memory {
	bit open;
	byte id;
	short nonces;           /* those that the row may bear */
	byte high, base
};
Memory lost[OWNERS];
#define FORGOT(o)       (!lost[o].open)
#else
#define FORGOT(o)       1
#endif
byte proposed[NONCES];          /* the HIGH that was proposed with a doubted nonce */

byte takes = TAKES, doubts = DOUBTS, fails = FAILS, shifts = SHIFTS;

/* What only the properties know. A tick counts as issued as soon as it is reserved, since
 * its owner may issue it at any moment from now on, whatever its own clock is. What Close
 * gives back was not issued. */
int issued[IDS];
byte reserved[IDS];             /* the largest HIGH that was ever committed */
#if AFTER
bit kept;                       /* an acquire that asked for ticks above AFTER was acknowledged */
#endif
#if SEEN
int returned[IDS];              /* the ticks given back */
bool drains[OWNERS];
bool stayed[OWNERS];            /* its table was away, or it has started from its file, or lost the reply to a retake */
#endif

/* Used within steps only. */
hidden byte i, j, at;
hidden short set, doubted;
hidden byte name[NONCES], was[NONCES];

/* The owner may issue ticks up to high. */
inline raise(o, upto) {
	if
	:: upto > own[o].limit ->
		LEMMA(upto <= reserved[own[o].id]);
#if AFTER
		assert(o || own[o].limit >= AFTER);
#endif
#if SEEN
		assert(SEEN != W_HANDED_ON || !(returned[own[o].id] & TICKS(own[o].limit, upto)));
#endif
#if !FILE
		assert(!(issued[own[o].id] & TICKS(own[o].limit, upto)));
		issued[own[o].id] = issued[own[o].id] | TICKS(own[o].limit, upto);
#endif
		own[o].limit = upto
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
inline save(o, upto, proposals) {
	file[o].id = own[o].id; file[o].nonce = own[o].nonce; file[o].doubted = proposals;
	file[o].limit = own[o].limit; file[o].granted = upto
#if WIDER
	; file[o].wide = own[o].wide
#endif
}
#endif

inline clear(s) {
	tx[s].kind = 0; tx[s].phase = Nothing; tx[s].id = 0; tx[s].wide = 0; tx[s].mine = 0;
	tx[s].nonce = 0; tx[s].high = 0; tx[s].until = 0; tx[s].base = 0
#if NODES > 1
	; tx[s].node = 0
#endif
#if CAS && !FAILS
	; tx[s].who = 0
#endif
#if CAS
	; tx[s].new = 0
#endif
#if CAS && CAS_FAULT
	; tx[s].saw = 0
#endif
#if AFTER
	; tx[s].after = 0; tx[s].due = 0
#endif
}

inline drop(o) {
	own[o].id = 0; own[o].nonce = 0; own[o].doubted = 0; own[o].base = 0; own[o].limit = 0
#if FILE
	; own[o].granted = 0
#if WIDER
	; own[o].wide = 0
#endif
#endif
}

#if RETAKE
inline forget(o) {
	lost[o].open = 0; lost[o].id = 0; lost[o].nonces = 0; lost[o].high = 0; lost[o].base = 0
}
#endif

/* Nothing is left of the table. */
inline wipe() {
	for (i : 0 .. IDS - 1) {
		row[i].nonce = 0; row[i].high = 0; row[i].until = 0
#if CAS && !FAILS
		; row[i].by = 0
#endif
	};
	reach = 0; given = 0
#if FLOORS
	; floor = 0
#endif
#if FOUNDS
	; control = 0; rest = 0
#endif
}

inline wipeCopy() {
	for (i : 0 .. IDS - 1) {
		copy[i].nonce = 0; copy[i].high = 0; copy[i].until = 0
#if CAS && !FAILS
		; copy[i].by = 0
#endif
	};
	copyReach = 0; copyGiven = 0
#if FLOORS
	; copyFloor = 0
#endif
#if FOUNDS
	; copyControl = 0; copyRest = 0
#endif
}

/* The copy becomes as the table is, */
inline toCopy() {
	for (i : 0 .. IDS - 1) {
		copy[i].nonce = row[i].nonce; copy[i].high = row[i].high; copy[i].until = row[i].until
#if CAS && !FAILS
		; copy[i].by = row[i].by
#endif
	};
	copyReach = reach; copyGiven = given
#if FLOORS
	; copyFloor = floor
#endif
#if FOUNDS
	; copyControl = control; copyRest = rest
#endif
}

/* and the table as the copy. */
inline fromCopy() {
	for (i : 0 .. IDS - 1) {
		row[i].nonce = copy[i].nonce; row[i].high = copy[i].high; row[i].until = copy[i].until
#if CAS && !FAILS
		; row[i].by = copy[i].by
#endif
	};
	reach = (KEEPS -> reach : copyReach); given = copyGiven
#if FLOORS
	; floor = copyFloor
#endif
#if FOUNDS
	; control = copyControl; rest = copyRest
#endif
}

/* A nonce is random and never comes twice. Which number stands for it does not matter,
 * so they are numbered anew, in the order in which they are found. Those that are in no
 * row and in no transaction cannot come back: they are all the same. */
inline rename(it) {
	if
	:: it && !name[it] -> name[it] = j; was[j] = it; j++
	:: else
	fi;
	it = name[it]
}

inline renameAll(them) {
	set = 0;
	for (i : 1 .. GONE - 1) {
		set = set | (was[i] && HAS(them, was[i]) -> 1 << i : 0)
	}
	them = set
}

inline tidy() {
	for (i : 0 .. NONCES - 1) {
		name[i] = 0; was[i] = 0
	}
	j = 1;
	for (i : 0 .. IDS - 1) {
		rename(row[i].nonce)
	}
	for (i : 0 .. IDS - 1) {
		rename(copy[i].nonce)
	}
#if DELETES
	for (i : 0 .. IDS - 1) {
		rename(deleted[i].nonce)
	}
#endif
	for (i : 0 .. SLOTS - 1) {
		rename(tx[i].nonce)
	}
	doubted = 0;
	for (at : 0 .. OWNERS - 1) {
		own[at].nonce = (own[at].nonce && !name[own[at].nonce] -> GONE : name[own[at].nonce]);
		renameAll(own[at].doubted);
		doubted = doubted | own[at].doubted
#if FILE
		; file[at].nonce = (file[at].nonce && !name[file[at].nonce] -> GONE : name[file[at].nonce]);
		renameAll(file[at].doubted);
		doubted = doubted | file[at].doubted
#endif
#if RETAKE
		; renameAll(lost[at].nonces)
#endif
	}
	for (at : 0 .. SLOTS - 1) {
		renameAll(tx[at].mine)
#if CAS && CAS_FAULT
		; tx[at].saw = (tx[at].saw == ABSENT || !tx[at].saw -> tx[at].saw : (name[tx[at].saw] -> name[tx[at].saw] : GONE))
#endif
	}
	/* name[] is used again, for the permuted proposals */
	for (i : 1 .. NONCES - 1) {
		name[i] = (HAS(doubted, i) -> proposed[was[i]] : 0)
	}
	for (i : 1 .. NONCES - 1) {
		proposed[i] = name[i]
	};
	i = 0
}

/* A nonce that nobody knows yet. */
inline fresh(s, o) {
	set = 1;
	for (i : 0 .. IDS - 1) {
		set = set | (1 << row[i].nonce) | (1 << copy[i].nonce)
#if DELETES
		; set = set | (1 << deleted[i].nonce)
#endif
	}
	for (i : 0 .. SLOTS - 1) {
		set = set | (1 << tx[i].nonce)
	}
	j = 1;
	do
	:: HAS(set, j) -> j++
	:: else -> break
	od;
	assert(j < GONE);
	tx[s].nonce = (IS(M_NO_ROTATION) && HOLDS(o) -> own[o].nonce : j)
}

/* ------------------------------------------------------------- the database's side */

#define ROW         row[tx[s].id]
/* Where clocks may be wrong, a lease is over when it is by a slow one, and lasts while it
 * does by a fast one. */
#define FREE(k)     (row[k].until + QUARANTINE + (IS(M_ERROR_BOTH) -> 0 : SURE(M_ERROR_TAKE)) < at)
#define LASTS       (ROW.until >= at + (IS(M_ERROR_BOTH) -> 0 : SURE(M_ERROR_OWNER)))
/* An ID without a row is new only if no ID from it on was ever given. */
#define NEW(k)      ((k) >= given || IS(M_FRESH_GAP))
#define MINE        (ROW.nonce && HAS(tx[s].mine, ROW.nonce))
#define READS_EARLY (IS(M_EARLY_CLOCK) && tx[s].kind == Extend || IS(M_EARLY_CLOCK_ACQUIRE) && tx[s].kind == Acquire)

inline unlock(s) {
#if NODES > 1
	for (i : 0 .. NODES - 1) {
		controlBy[i] = (controlBy[i] == s + 1 -> 0 : controlBy[i])
	}
#else
	controlBy = (controlBy == s + 1 -> 0 : controlBy);
#endif
	for (i : 0 .. NODES * IDS - 1) {
		lockedBy[i] = (lockedBy[i] == s + 1 -> 0 : lockedBy[i])
	}
}

#if NODES > 1
/* What is committed for row k at one node ends the transactions that have read it at
 * another: the first one to commit wins. */
inline certify(s, k) {
	for (at : 0 .. SLOTS - 1) {
		if
		:: at != s && tx[at].phase == Locked && tx[at].id == k && !IS(M_NO_CERTIFICATION) ->
			WITNESS(W_CERTIFIED);
			unlock(at);
			clear(at)
		:: else
		fi
	}
}
#endif

#if CAS
/* The rows' versions: what is written to row k (IDS: to all, or to the control row, which
 * acquires name) makes every write vain that was decided before. What is refused once stays
 * so. A fault has a store tell versions by less, as its writes arrive. */
#if CAS_FAULT
#define SPARED(s) (IS(M_CAS_BLIND) || IS(M_CAS_NONCE) || (IS(M_CAS_FAILOVER) || IS(M_CAS_TIMED) || IS(M_NO_ROTATION)) && tx[s].kind == Extend || IS(M_CAS_FAILOVER_TAKE) && tx[s].kind == Acquire || IS(M_GIVEN_RACE) && tx[s].kind == Acquire && tx[s].saw == ABSENT)
#define VAIN(s)   (SPARED(s) && !IS(M_CAS_BLIND) && (IS(M_CAS_TIMED) && row[tx[s].id].until < CLOCK || (tx[s].saw == ABSENT -> row[tx[s].id].until : row[tx[s].id].nonce != tx[s].saw)))
#else
#define SPARED(s) 0
#define VAIN(s)   0
#endif
inline refuse(s, k, kinds) {
	for (at : 0 .. SLOTS - 1) {
		if
		:: at != s && tx[at].phase == Locked && (tx[at].id == k || k == IDS) && (kinds == 0 || tx[at].kind == kinds) && !SPARED(at) ->
			WITNESS(W_REFUSED);
			clear(at)
		:: else
		fi
	}
}
#endif

/* An acquire has locked the control row, and looks whether ID k is free, or new. */
inline choose(s, k) {
	at = (READS_EARLY -> tx[s].until : CLOCK_OF(s));
	if
	:: FREE(k) && (row[k].until || NEW(k)) ->
		tx[s].id = k;
#if AFTER
		tx[s].due = kept;
#endif
		tx[s].phase = Chosen;
		CONTROL(s) = (IS(M_NO_CONTROL) || IS(M_GIVEN_EARLY) || CAS -> 0 : s + 1)
	:: else -> clear(s)
	fi;
	tidy()
}

/* What an acquire writes. */
inline take(s) {
	tx[s].until = at + CLIENTS + TTL;
	tx[s].base = MAX(ROW.high, FLOOR);
#if CAS
	tx[s].new = !ROW.until;
#endif
#if DELETES
	for (i : 0 .. OWNERS - 1) {
		assert(SEEN != W_MOVED || ROW.until || !HOLDS(i) || row[own[i].id].until)
	};
#endif
	assert(SEEN != W_MADE || ROW.until != NEVER);
#if AFTER
	assert(SEEN != W_AFTER || tx[s].base >= tx[s].after);
	assert(SEEN != W_AFTER_KEPT || s == 0 || ROW.high >= FLOOR);
	tx[s].base = MAX(tx[s].base, tx[s].after);
#endif
#if FOUNDS
	assert(SEEN != W_FOUNDED || !rest);
#endif
#if JUMP
	assert(SEEN != W_JUMPED || ROW.high <= at + WINDOW + SKEW);
#endif
	if
	:: !LOSSY(s) || IS(M_NO_BURN_RELEASED) && ROW.until > NEVER && !ROW.nonce ->
		tx[s].high = MAX(tx[s].base, at + WINDOW + tx[s].wide)
	:: LOSSY(s) && (IS(M_NO_BURN) || IS(M_NO_BURN_UNUSED) && ROW.until <= NEVER) ->
		tx[s].high = tx[s].base
	:: else ->
		tx[s].high = WINDOW + tx[s].wide + BURNT;
		tx[s].high = (IS(M_OWN_REACH) -> tx[s].high : MAX(tx[s].high, reach));
		tx[s].high = MAX(tx[s].base, at + tx[s].high);
		tx[s].base = (IS(M_BURN_ISSUED) -> tx[s].base : tx[s].high)
	fi;
	assert(SEEN != W_UNKNOWN_TICKS || issued[tx[s].id] < (2 << ROW.high));
	assert(SEEN != W_REACHED || tx[s].high <= at + WINDOW + tx[s].wide + BURNT)
}

/* What an extend writes. */
inline prolong(s) {
	tx[s].until = at + CLIENTS + TTL;
	tx[s].high = at + WINDOW + tx[s].wide;
	tx[s].high = (IS(M_HIGH_LOWERED) -> tx[s].high : MAX(ROW.high, tx[s].high));
#if FAULT == M_NO_WAIT
	tx[s].high = (s < OWNERS && own[s].limit == own[s].base -> MAX(own[s].base + 1, tx[s].high) : tx[s].high);
#endif
	proposed[tx[s].nonce] = tx[s].high
}

/* An owner that finds one of its doubted nonces in the row has got its answer: what was
 * proposed with it was committed. It may issue that only when its next write is
 * acknowledged, which reserves as much at least; until then all its proposals count, for
 * without locks one may be on its way still. */
inline settle(s) {
	if
	:: HAS(own[s].doubted, ROW.nonce) ->
		WITNESS(W_WENT_THROUGH);
#if SEEN == W_RESUMED_PROPOSED
		assert(SEEN != W_RESUMED_PROPOSED || !stayed[s]);
#endif
		LEMMA(ROW.high == proposed[ROW.nonce]);
#if SEEN == W_SEVERAL
		for (i : OWNERS .. SLOTS - 1) {
			assert(SEEN != W_SEVERAL || !(tx[i].kind == Extend && tx[i].phase == Locked && HAS(own[s].doubted, tx[i].nonce)))
		}
#endif
		if
		:: IS(M_READ_RAISES) -> raise(s, proposed[ROW.nonce]); own[s].nonce = ROW.nonce
		:: IS(M_CLEARED_BY_READ) -> own[s].nonce = ROW.nonce; own[s].doubted = 0
		:: else
		fi
	:: else ->
		assert(SEEN != W_DID_NOT || !own[s].doubted);
		own[s].doubted = (IS(M_CLEARED_BY_READ) -> 0 : own[s].doubted);
		LEMMA(ROW.high == own[s].limit)         /* HIGH <= the owner's limit */
	fi
}

/* The row is locked, and then the clock is read. An owner whose extend is refused has lost
 * its lease; what was reserved drains. An acquire that finds the row taken begins anew. */
inline judge(s) {
	at = (READS_EARLY -> tx[s].until : CLOCK_OF(s));
	tx[s].until = 0;
	if
	:: tx[s].kind == Acquire && (FREE(tx[s].id) || IS(M_NO_RECHECK)) && (ROW.until || NEW(tx[s].id) || IS(M_GIVEN_EARLY)) ->
#if !JUMP
		/* The owner's lease is over by its own clock, too. */
		for (i : 0 .. OWNERS - 1) {
			assert(!LOSSES || !CLIENTS && QUARANTINE < SKEW || !(HOLDS(i) && own[i].id == tx[s].id && ROW.nonce == own[i].nonce && ROW.until >= time + (IS(M_ERROR_OWNER) -> 0 : CLIENTS)))
		}
#endif
		assert(SEEN != W_APART || !(ROW.nonce && ROW.until >= time));
		take(s); tx[s].phase = Locked; LOCK(s, tx[s].id) = (CAS -> 0 : s + 1)
	:: tx[s].kind == Extend && (MINE || IS(M_NO_NONCE_CHECK)) && (LASTS || IS(M_NO_LEASE_CHECK)) ->
		if
		:: s < OWNERS -> settle(s)
		:: else
		fi;
#if SEEN == W_CAME_BACK || SEEN == W_UNDELETED
		assert((SEEN != W_CAME_BACK && SEEN != W_UNDELETED) || !stayed[s]);
#endif
		prolong(s); tx[s].phase = Locked; LOCK(s, tx[s].id) = (CAS -> 0 : s + 1);
#if BEYOND
		assert(SEEN != W_BEYOND || tx[s].high <= at + REACH(s));
#endif
#if FILE
		if
		:: s < OWNERS -> save(s, own[s].granted, own[s].doubted | (1 << tx[s].nonce))
		:: else
		fi;
#endif
		if
		:: s < OWNERS && IS(M_EARLY_LIMIT) -> raise(s, tx[s].high)
		:: else
		fi
	:: tx[s].kind == Release && (MINE || IS(M_CLOSE_BLIND)) ->
		tx[s].until = at; tx[s].phase = Locked; LOCK(s, tx[s].id) = (CAS -> 0 : s + 1);
		tx[s].high = (tx[s].high == KEPT -> ROW.high : tx[s].high);
		tx[s].nonce = (IS(M_CLOSE_KEEPS_NONCE) -> ROW.nonce : 0)
#if RETAKE
	:: tx[s].kind == Retake && (MINE || IS(M_RETAKE_BLIND)) && (IS(M_RETAKE_NONCE_ONLY) || ROW.high == tx[s].high && LASTS) ->
		tx[s].until = at + CLIENTS + TTL; tx[s].phase = Locked; LOCK(s, tx[s].id) = (CAS -> 0 : s + 1);
		tx[s].high = (IS(M_RETAKE_HIGH) -> at + WINDOW : ROW.high)
#endif
	:: else ->
		assert(SEEN != W_RECHECKED || tx[s].kind != Acquire);
		assert(SEEN != W_EXPIRED || !(tx[s].kind == Extend && MINE));
		assert(SEEN != W_DISPLACED || !(tx[s].kind == Extend && ROW.until && !MINE));
		assert(SEEN != W_DELETED || !(tx[s].kind == Extend && s < OWNERS && !ROW.until));
#if CAS && !FAILS
		/* Nobody loses a lease for nothing. */
		assert(!LOSSES || FILE || STALE && !IS(M_STALE_READS) || s >= OWNERS || tx[s].kind != Extend || MINE || ROW.by != s + 1);
#endif
		unlock(s);
		if
		:: s < OWNERS && tx[s].kind == Extend ->
#if SEEN == W_DRAINS
			drains[s] = (own[s].limit > own[s].base);
#endif
			drop(s)
#if RETAKE
		:: s < OWNERS && tx[s].kind == Retake -> WITNESS(W_NOT_RETAKEN); forget(s)
#endif
		:: else
		fi;
		clear(s)
	fi;
#if CAS && CAS_FAULT
	tx[s].saw = (tx[s].phase != Locked -> 0 : (ROW.until -> ROW.nonce : ABSENT));
#endif
	tidy()
}

#if STALE
/* A follower shows rows as they were. What is decided on an old row is refused when it is to be
 * written, since that names the row's version, and the owner knows. It may have given up its
 * lease, or the hope for its acquire, on the strength of it. */
#define OLD(k)  (row[k].nonce != copy[k].nonce || row[k].high != copy[k].high || row[k].until != copy[k].until)
inline swap(k) {
	j = row[k].nonce; row[k].nonce = copy[k].nonce; copy[k].nonce = j;
	j = row[k].high; row[k].high = copy[k].high; copy[k].high = j;
	j = row[k].until; row[k].until = copy[k].until; copy[k].until = j;
	j = row[k].by; row[k].by = copy[k].by; copy[k].by = j
	; j = given; given = copyGiven; copyGiven = j
#if FLOORS
	; j = floor; floor = copyFloor; copyFloor = j
#endif
}

inline outdated(s) {
	if
	:: tx[s].phase == Locked && !IS(M_STALE_WRITES) -> clear(s)
	:: else
	fi;
	assert(SEEN != W_STALE || HOLDS(s));
	tidy()
}
#endif

/* A new ID is given: the control row says so, and those that are passed over get free rows. Acquires
 * of other new IDs have read the control row, and begin anew. */
#if CAS
#define NEWLY(s)    (tx[s].new)
#define ELSEWHERE   (!SPARED(at))
#else
#define NEWLY(s)    (!row[tx[s].id].until)
#define ELSEWHERE   (tx[at].node != tx[s].node)
#endif
inline give(s) {
#if CAS || NODES > 1
	for (at : 0 .. SLOTS - 1) {
		if
		:: at != s && tx[at].kind == Acquire && tx[at].phase == Locked && NEWLY(at) && ELSEWHERE -> unlock(at); clear(at)
		:: else
		fi
	}
#endif
	j = (MAKES -> IDS : tx[s].id + 1);
	for (i : given .. j - 1) {
		row[i].until = (row[i].until -> row[i].until : NEVER)
	}
	given = j
}

/* What is decided is stored. */
inline write(s) {
#if SEEN == W_OVERTAKEN
	for (i : 0 .. OWNERS - 1) {
		assert(SEEN != W_OVERTAKEN || s < OWNERS || tx[s].kind != Extend || !(tx[i].kind == Extend && tx[i].phase == Locked && tx[i].id == tx[s].id && HAS(own[i].doubted, tx[s].nonce)))
	}
#endif
	assert(SEEN != W_LATE_COMMIT || s < OWNERS || tx[s].kind != Extend);
#if AFTER
	/* The namespace keeps what was asked for, and whoever comes later begins above it. */
	if
	:: tx[s].kind == Acquire ->
		assert(!tx[s].due || tx[s].base >= AFTER);
		if
		:: (tx[s].after > floor || IS(M_AFTER_LOWERS)) && !IS(M_AFTER_NOT_KEPT) ->
			floor = tx[s].after;
#if CAS
			refuse(s, IDS, Acquire)
#endif
#if NODES > 1
			for (at : 0 .. SLOTS - 1) {
				if
				:: at != s && controlBy[1 - tx[s].node] == at + 1 -> unlock(at); clear(at)
				:: else
				fi
			}
#endif
		:: else
		fi
	:: else
	fi;
#endif
	if
	:: tx[s].kind == Acquire ->
		for (i : 0 .. OWNERS - 1) {
			assert(SEEN != W_TAKEOVER || !(own[i].limit > own[i].base && own[i].id == tx[s].id && own[i].nonce == ROW.nonce))
		}
#if CAS
		if
		:: reach < WINDOW + tx[s].wide + BURNT -> refuse(s, IDS, Acquire)
		:: else
		fi;
#endif
		reach = MAX(reach, WINDOW + tx[s].wide + BURNT);
		if
		:: NEWLY(s) && tx[s].id >= given && !IS(M_GIVEN_UNSAVED) -> give(s)
		:: else
		fi
	:: else
	fi;
	ROW.high = tx[s].high;
	ROW.until = tx[s].until;
	ROW.nonce = tx[s].nonce;
	reserved[tx[s].id] = MAX(reserved[tx[s].id], tx[s].high);
#if NODES > 1
	certify(s, tx[s].id);
#endif
#if CAS
	refuse(s, tx[s].id, 0);
#endif
#if CAS && !FAILS
	ROW.by = tx[s].who;
#endif
	unlock(s);
	if
	:: s < OWNERS -> tx[s].phase = Done; tx[s].until = 0
	:: else -> clear(s)
	fi
}

inline commit(s) {
	write(s);
	tidy()
}

inline rollback(s) {
	unlock(s);
	clear(s);
	tidy()
}

#if CAS && DELETES
#define LANDS(s)     (tx[s].phase == Locked && !VAIN(s) && tx[s].new == !row[tx[s].id].until)
#elif CAS
#define LANDS(s)     (tx[s].phase == Locked && !VAIN(s))
#else
#define LANDS(s)     (tx[s].phase == Locked)
#endif
#define ASKS(s)      (tx[s].phase == Chosen || tx[s].phase == Sent && tx[s].kind != Acquire)
#define MAY_ASK(s)   (ASKS(s) && THERE && (!LOCK(s, tx[s].id) || IS(M_NO_ROW_LOCK)))

#if FOUNDS
/* A table without a control row gets one, or a missing one is created. Nobody acquires
 * while it rests. */
inline found() {
#if CAS
	refuse(SLOTS, IDS, 0);
#endif
	former = former || away;
	away = 0;
	control = 1;
	given = 0;
	for (i : 0 .. IDS - 1) {
		given = (row[i].until && !IS(M_GIVEN_FOUND) -> i + 1 : given)
	};
	rest = (IS(M_NO_REST) || IS(M_NO_REST_TIME) || IS(M_CREATES) -> 0 : CLOCK + SURE(M_ERROR_FOUND) + REST);
	floor = (IS(M_NO_REST) || IS(M_NO_FOUNDING_FLOOR) || IS(M_CREATES) -> 0 : CLOCK + SURE(M_ERROR_FOUND) + REST + SURE(M_ERROR_FLOOR))
}
#endif

/* ------------------------------------------------------------------ the owner's side */

#define IDLE(o)  (tx[o].phase == Nothing)

inline send(s, o, what) {
	tx[s].kind = what;
#if CAS && !FAILS
	tx[s].who = (what == Release -> 0 : o + 1);
#endif
	tx[s].phase = Sent;
	tx[s].id = own[o].id;
	tx[s].wide = REACH(o) - WINDOW;
#if AFTER
	tx[s].after = (o == 0 && !IS(M_AFTER_IGNORED) -> AFTER : 0);
#endif
	tx[s].mine = (HOLDS(o) -> (1 << own[o].nonce) | own[o].doubted : 0);
	if
	:: what != Release -> fresh(s, o)
	:: else
	fi;
	tx[s].until = (READS_EARLY -> CLOCK : 0)
}

/* No reply comes to transaction s, and the owner cannot know what became of it. */
inline doubt(s, o) {
	if
	:: tx[s].kind == Extend ->
		own[o].doubted = (IS(M_LAST_PROPOSAL) -> 0 : own[o].doubted) | (1 << tx[s].nonce);
		proposed[tx[s].nonce] = tx[s].high
	:: else
	fi
}

#if RETAKE
/* An acquire is remembered, as it may have gone through, and so is each attempt to take it
 * up. */
inline remember(o) {
	if
	:: tx[o].kind == Acquire && tx[o].phase != Chosen ->
		lost[o].open = 1; lost[o].id = tx[o].id; lost[o].nonces = 1 << tx[o].nonce;
		lost[o].high = tx[o].high; lost[o].base = tx[o].base
	:: tx[o].kind == Retake -> lost[o].nonces = lost[o].nonces | (1 << tx[o].nonce);
#if SEEN == W_RETAKEN_TWICE
		stayed[o] = 1
#endif
	:: else
	fi
}

/* It is taken up if its row says that it went through. A nonce of its own is written. */
inline retake(o) {
	send(o, o, Retake);
	tx[o].id = lost[o].id; tx[o].mine = lost[o].nonces;
	tx[o].high = lost[o].high; tx[o].base = (IS(M_RETAKE_BELOW) || IS(M_AFTER_RETAKEN) -> 0 : lost[o].base);
	tx[o].nonce = (IS(M_RETAKE_READS) || IS(M_RETAKE_KEEPS) || IS(M_RETAKE_RELEASED) -> row[lost[o].id].nonce : tx[o].nonce);
	judge(o);
	if
	:: IS(M_RETAKE_READS) && tx[o].phase == Locked -> unlock(o); tx[o].phase = Known
	:: else
	fi
}
#endif

/* The first free slot for a request for which nobody waits. */
inline spare() {
	j = OWNERS;
	do
	:: tx[j].phase != Nothing -> j++
	:: else -> break
	od
}
#define SPARE (tx[OWNERS].phase == Nothing || tx[SLOTS - 1].phase == Nothing)

inline hear(o) {
#if AFTER
	kept = kept || DURABLE && o == 0 && (tx[o].kind == Acquire || tx[o].kind == Retake);
#endif
	if
	:: tx[o].kind == Acquire ->
		own[o].id = tx[o].id;
		own[o].nonce = tx[o].nonce;
		own[o].base = tx[o].base;
		own[o].limit = tx[o].base;
#if FILE
		own[o].granted = tx[o].base;
#if WIDER
		own[o].wide = tx[o].wide;
#endif
#endif
#if SEEN == W_DRAINS
		assert(SEEN != W_DRAINS || !drains[o]);
#endif
#if RETAKE
	:: tx[o].kind == Retake ->
		WITNESS(W_RETAKEN);
#if SEEN == W_RETAKEN_TWICE
		assert(SEEN != W_RETAKEN_TWICE || !stayed[o]);
#endif
		own[o].id = tx[o].id;
		own[o].nonce = tx[o].nonce;
		own[o].base = tx[o].base;
		own[o].limit = tx[o].base;
		tx[o].high = lost[o].high;
		forget(o)
#endif
	:: tx[o].kind == Extend ->
		assert(SEEN != W_LATE_REPLY || row[own[o].id].nonce == tx[o].nonce);
		own[o].nonce = tx[o].nonce;
		own[o].doubted = (IS(M_KEEPS_DOUBT) -> own[o].doubted : 0)
	fi;
#if SEEN == W_CAME_BACK || SEEN == W_UNDELETED || SEEN == W_RESUMED || SEEN == W_RESUMED_PROPOSED
	stayed[o] = 0;
#endif
	raise(o, tx[o].high);
	clear(o);
	tidy()
}

active [OWNERS] proctype Owner()
{
	byte me = _pid, k;

end:
	do
	/* Acquire: the control row is locked, and one of the free IDs chosen, which one is
	 * left open; */
	:: atomic { IDLE(me) && !HOLDS(me) && FORGOT(me) && takes > 0 && RESTED(me) && !CONTROL(me) && !IS(M_EARLY_CLOCK_ACQUIRE) ->
			do
			:: k < IDS - 1 -> k++
			:: break
			od;
			d_step { takes--; send(me, me, Acquire); choose(me, k); k = 0;
				if
				:: CAS && tx[me].phase == Chosen -> judge(me)
				:: else
				fi
			}
		}

	/* Extend: the row is locked and judged. */
	:: d_step { IDLE(me) && HOLDS(me) && THERE && !LOCK(me, own[me].id) && !IS(M_EARLY_CLOCK) && (!WIDENED(me) || IS(M_FILE_WIDER)) -> send(me, me, Extend); judge(me) }
#if STALE
	/* The same, and acquires, at a follower that lags. */
	:: d_step { IDLE(me) && HOLDS(me) && OLD(own[me].id) -> k = own[me].id; send(me, me, Extend); swap(k); judge(me); swap(k); k = 0; outdated(me) }
	:: d_step { IDLE(me) && !HOLDS(me) && FORGOT(me) && takes > 0 && OLD(0) -> takes--; send(me, me, Acquire); swap(0); choose(me, 0);
			if
			:: tx[me].phase == Chosen -> judge(me)
			:: else
			fi;
			swap(0); outdated(me)
		}
#if RETAKE
	:: d_step { IDLE(me) && !HOLDS(me) && !FORGOT(me) && OLD(lost[me].id) -> k = lost[me].id; swap(k); retake(me); swap(k); k = 0; outdated(me) }
#endif
#endif
#if BEYOND
	:: atomic { (DURABLE || IS(M_BEYOND_LOSSY)) && IDLE(me) && HOLDS(me) && THERE && !LOCK(me, own[me].id) ->
			do
			:: k < BEYOND - 1 -> k++
			:: break
			od;
			d_step { send(me, me, Extend); tx[me].wide = tx[me].wide + k + 1; judge(me); k = 0 }
		}
#endif
#if NODES > 1
	/* The same on the other node. */
	:: atomic { IDLE(me) && !HOLDS(me) && FORGOT(me) && takes > 0 && !controlBy[1] ->
			do
			:: k < IDS - 1 -> k++
			:: break
			od;
			d_step { takes--; tx[me].node = 1; send(me, me, Acquire); choose(me, k); k = 0 }
		}
	:: d_step { IDLE(me) && HOLDS(me) && !lockedBy[IDS + own[me].id] -> tx[me].node = 1; send(me, me, Extend); judge(me) }
#endif
#if FOUNDS
	/* A start finds no namespace. Where commits can be lost, it founds one. */
	:: d_step { (!DURABLE || IS(M_CREATES)) && IDLE(me) && !HOLDS(me) && takes > 0 && !control -> found(); tidy() }
	/* Fault: so does an extend that finds no table. */
	:: d_step { IS(M_CREATES) && IDLE(me) && HOLDS(me) && away -> found(); tidy() }
#endif
#if RETAKE
	/* An acquire without a reply is taken up, or given up, or its process crashes. */
	:: d_step { IDLE(me) && !HOLDS(me) && !FORGOT(me) && THERE && !LOCK(me, lost[me].id) -> retake(me) }
	:: d_step { IDLE(me) && !HOLDS(me) && !FORGOT(me) && SPARE ->
			spare();
			tx[j].kind = Release; tx[j].phase = Sent; tx[j].id = lost[me].id;
			tx[j].mine = lost[me].nonces; tx[j].high = lost[me].base;
			if
			:: IS(M_RETAKE_RELEASED) || IS(M_RETAKE_AFTER)
			:: else -> forget(me)
			fi;
			tidy()
		}
	:: d_step { IDLE(me) && !HOLDS(me) && !FORGOT(me) -> forget(me); tidy() }
#endif
#if FILE
	/* The state file is written, and then ticks are issued; how many is left open. The
	 * database is not asked. A process may end in between. */
	:: atomic { IDLE(me) && HOLDS(me) && own[me].granted < own[me].limit ->
			k = own[me].granted + 1;
			do
			:: k < own[me].limit -> k++
			:: break
			od;
			if
			:: d_step {
#if SEEN == W_RESUMED
					assert(SEEN != W_RESUMED || !stayed[me] || row[own[me].id].nonce == 0 || row[own[me].id].nonce == own[me].nonce || HAS(own[me].doubted, row[own[me].id].nonce));
#endif
					save(me, k, own[me].doubted); grant(me, k); k = 0; tidy()
				}
			:: d_step { save(me, k, own[me].doubted); k = 0; tidy() }
			:: d_step { IS(M_FILE_LATE) -> grant(me, k); k = 0; tidy() }
			fi
		}
	:: d_step { IS(M_FILE_LATE) && IDLE(me) && HOLDS(me) -> save(me, own[me].granted, own[me].doubted); tidy() }

	/* A process starts from its file. It asks the database, or does without. */
	:: d_step { IDLE(me) && !HOLDS(me) && file[me].nonce ->
			own[me].id = file[me].id; own[me].nonce = file[me].nonce; own[me].doubted = file[me].doubted;
			own[me].limit = file[me].limit;
			own[me].base = (IS(M_FILE_BELOW) && time < file[me].granted -> time : file[me].granted);
			own[me].granted = own[me].base;
#if WIDER
			own[me].wide = file[me].wide;
#endif
#if SEEN == W_RESUMED || SEEN == W_RESUMED_PROPOSED
			stayed[me] = 1;
#endif
			tidy()
		}

#if WIDER
	/* Its next start has a wider window. It may issue what its file has, and extends nothing, for
	 * only an acquire tells the namespace. */
	:: d_step { me == 0 && !grown && IDLE(me) && !HOLDS(me) -> grown = 1; tidy() }
#endif

	/* A start cannot write its file, or does not know whether it has, and gives up. Where commits
	 * can be lost it leaves its row as it is, for the end of its lease could be lost as well. */
	:: d_step { (!LOSSY(me) || IS(M_FILE_RELEASES)) && IDLE(me) && HOLDS(me) && own[me].granted == own[me].base && SPARE ->
			spare();
			at = j;
			send(at, me, Release);
			tx[at].high = (IS(M_FILE_LOWERS) -> own[me].base : KEPT);
			drop(me);
			tidy()
		}
#endif

	/* the acquire's row is locked, the clock is read, and the row is judged again. */
	:: d_step { MAY_ASK(me) -> judge(me) }
	:: d_step { LANDS(me) -> commit(me) }
	:: d_step { tx[me].phase == Known || tx[me].phase == Done && (!SYNC || !fails) -> hear(me) }

	/* Faults: the clock is read before the locks are had; the locks are had by reading,
	 * at a replica; ticks are issued that are not reserved. */
	:: d_step { IS(M_EARLY_CLOCK_ACQUIRE) && IDLE(me) && !HOLDS(me) && takes > 0 -> takes--; send(me, me, Acquire); tidy() }
	:: d_step { IS(M_EARLY_CLOCK_ACQUIRE) && tx[me].kind == Acquire && tx[me].phase == Sent && !CONTROL(me) -> choose(me, 0) }
	:: d_step { IS(M_EARLY_CLOCK) && IDLE(me) && HOLDS(me) -> send(me, me, Extend); tidy() }
	:: d_step { (IS(M_LOCK_READS) || IS(M_CAS_REPLICA)) && fails > 0 && IDLE(me) && HOLDS(me) && copy[own[me].id].nonce == own[me].nonce && copy[own[me].id].until >= CLOCK ->
			send(me, me, Extend);
			tx[me].phase = Away;
			tx[me].until = CLOCK + TTL;
			tx[me].high = MAX(copy[own[me].id].high, CLOCK + WINDOW);
			tidy()
		}

	:: d_step { IS(M_NO_RESERVATION) && IDLE(me) && HOLDS(me) && time > own[me].limit ->
			assert(!HAS(issued[own[me].id], time));
			issued[own[me].id] = issued[own[me].id] | (1 << time);
			own[me].limit = time
		}

	/* The transaction fails, and the owner knows that it did not go through. */
	:: d_step { tx[me].phase == Chosen || tx[me].phase == Locked -> rollback(me) }

	/* The reply is lost. */
	:: d_step { (tx[me].phase == Done || tx[me].phase == Known) && doubts > 0 ->
			doubts--;
			doubt(me, me);
#if RETAKE
			remember(me);
#endif
			clear(me); tidy()
		}

	/* The owner waits no longer. The request may be done later. */
	:: d_step { (tx[me].phase == Chosen || tx[me].phase == Locked) && doubts > 0 && SPARE ->
			doubts--;
			doubt(me, me);
#if RETAKE
			remember(me);
#endif
			spare();
			tx[j].kind = tx[me].kind; tx[j].phase = tx[me].phase; tx[j].id = tx[me].id;
			tx[j].wide = tx[me].wide; tx[j].mine = tx[me].mine; tx[j].nonce = tx[me].nonce;
			tx[j].high = tx[me].high; tx[j].until = tx[me].until; tx[j].base = tx[me].base;
#if AFTER
			tx[j].after = tx[me].after; tx[j].due = tx[me].due;
#endif
#if NODES > 1
			tx[j].node = tx[me].node;
#endif
#if CAS && !FAILS
			tx[j].who = tx[me].who;
#endif
#if CAS && CAS_FAULT
			tx[j].saw = tx[me].saw;
#endif
			CONTROL(me) = (CONTROL(me) == me + 1 -> j + 1 : CONTROL(me));
			for (i : 0 .. NODES * IDS - 1) {
				lockedBy[i] = (lockedBy[i] == me + 1 -> j + 1 : lockedBy[i])
			}
			clear(me); tidy()
		}
	:: d_step { !FILE && IDLE(me) && doubts > 0 && SPARE && HOLDS(me) -> doubts--; spare(); at = j; send(at, me, Extend); doubt(at, me); tidy() }

	/* Its process crashes and starts again, or calls Invalidate. */
	:: d_step { IDLE(me) && HOLDS(me) && (takes > 0 || FILE) -> drop(me); tidy() }

#if FILE
	/* Close keeps the lease, for the next start. */
	:: atomic { IDLE(me) && HOLDS(me) ->
			k = own[me].base;
			do
			:: k < own[me].granted -> k++
			:: break
			od;
			d_step {
				save(me, k, own[me].doubted);
				issued[own[me].id] = issued[own[me].id] & ~TICKS(k, own[me].granted);
				drop(me);
				k = 0;
				tidy()
			}
		}
#else
	/* Close. It waits for no reply here. */
	:: atomic { IDLE(me) && HOLDS(me) && SPARE ->
			k = own[me].base;
			do
			:: k < own[me].limit -> k++
			:: break
			od;
			d_step {
				spare();
				at = j;
				send(at, me, Release);
				tx[at].high = (IS(M_CLOSE_BELOW_BASE) && k == own[me].base -> 0 : k);
				if
				:: IS(M_CLOSE_GOES_ON)
				:: else ->
#if SEEN
					returned[own[me].id] = returned[own[me].id] | TICKS(k, own[me].limit);
#endif
					issued[own[me].id] = issued[own[me].id] & ~TICKS(k, own[me].limit);
					drop(me)
				fi;
				k = 0;
				tidy()
			}
		}
#endif
	od
}

/* Requests for which nobody waits. */
active [LATE] proctype Straggler()
{
	byte me = _pid, k;

end:
	do
	:: d_step { MAY_ASK(me) -> judge(me) }
	:: d_step { LANDS(me) -> commit(me) }
	:: d_step { tx[me].phase != Nothing -> rollback(me) }
	od
}

/* ---------------------------------------------------------------------- the world */

#define DIFFERS(k) (row[k].nonce != copy[k].nonce || row[k].high != copy[k].high || row[k].until != copy[k].until)
#if FOUNDS
#define BEHIND     (DIFFERS(0) || DIFFERS(IDS - 1) || reach != copyReach || given != copyGiven || floor != copyFloor || control != copyControl || rest != copyRest)
#elif FLOORS
#define BEHIND     (DIFFERS(0) || DIFFERS(IDS - 1) || reach != copyReach || given != copyGiven || floor != copyFloor)
#else
#define BEHIND     (DIFFERS(0) || DIFFERS(IDS - 1) || reach != copyReach || given != copyGiven)
#endif

#if DELETES
/* A row is deleted and kept, and put back as it was unless there is another one. Either waits for locks, and
 * nobody else's row or the control row is touched. What compares and swaps is refused while the row
 * is away, or arrives when it is back: then nothing has changed. */
#define DELETES_NOW(k)  (deletes > 0 && THERE && row[k].until && !lockedBy[k])
#define PUTS_BACK(k)    (deleted[k].until && !row[k].until && THERE && !lockedBy[k])

inline move(k, to, from) {
	to.nonce = from.nonce; to.high = from.high; to.until = from.until;
	from.nonce = 0; from.high = 0; from.until = 0
#if CAS && !FAILS
	; to.by = from.by; from.by = 0
#endif
#if NODES > 1
	; certify(SLOTS, k)
#endif
}

inline remove(k) { move(k, deleted[k], row[k]) }

inline putBack(k) {
	move(k, row[k], deleted[k]);
#if SEEN == W_UNDELETED
	for (i : 0 .. OWNERS - 1) {
		stayed[i] = stayed[i] || HOLDS(i) && own[i].id == k && own[i].nonce == row[k].nonce
	};
#endif
	tidy()
}
#endif

/* Time, clocks, replication and failover. */
active proctype World()
{
	atomic {
		if
		:: true
		:: FAILS || SHIFTS || NODES > 1 -> ahead = SKEW
		:: JUMP -> ahead = JUMP
		fi
	};
end:
	do
	:: time < START + SPAN -> time++
	:: atomic { shifts > 0 ->
			shifts--;
			if
			:: ahead < SKEW -> ahead++
			:: ahead > 0 -> ahead--
			fi
		}

	/* Who reads a clock next is another client, or has set his own. */
	:: d_step { CLIENTS && ahead -> ahead = 0 }
	:: d_step { CLIENTS && !ahead -> ahead = SKEW }

	:: d_step { JUMP && ahead -> ahead = 0 }
	:: d_step { JUMP && !ahead -> ahead = JUMP }

#if DELETES
	/* Somebody deletes a row, or all, and puts them back one by one. */
	:: d_step { DELETES_NOW(0) -> deletes--; remove(0); tidy() }
	:: d_step { PUTS_BACK(0) -> putBack(0) }
#if IDS > 1
	:: d_step { DELETES_NOW(IDS - 1) -> deletes--; remove(IDS - 1); tidy() }
	:: d_step { PUTS_BACK(IDS - 1) -> putBack(IDS - 1) }
	:: d_step { deletes > 0 && THERE && ROWS_FREE && row[0].until && row[IDS / 2].until && row[IDS - 1].until -> deletes--;
			for (j : 0 .. IDS - 1) {
				remove(j)
			}
			tidy()
		}
#endif
#if IDS > 2
	:: d_step { PUTS_BACK(1) -> putBack(1) }
#endif
#endif

#if FOUNDS
	/* The table is emptied, or renamed away and back. Either waits for locks. */
	:: d_step { resets > 0 && THERE && UNLOCKED -> resets--;
			if
			:: IS(M_LEASE_ENDED) -> row[0].until = (row[0].until -> NEVER : 0)
			:: IS(M_CONTROL_DELETED) || IS(M_GIVEN_FOUND) -> control = 0; reach = 0; floor = 0; rest = 0; given = 0
			:: else -> wipe()
			fi;
#if CAS
			refuse(SLOTS, IDS, 0);
#endif
			tidy()
		}
	:: d_step { vanishes > 0 && UNLOCKED -> vanishes--;
#if CAS
			refuse(SLOTS, IDS, 0);
#endif
			toCopy(); wipe(); away = 1; tidy() }
	:: d_step { (away || former) && UNLOCKED && (away || rest >= TRUE || BACK) ->
			for (i : 0 .. OWNERS - 1) {
				assert(SEEN != W_FORMER || !rest || !HOLDS(i) || own[i].nonce != copy[own[i].id].nonce)
			}
#if SEEN == W_CAME_BACK
			for (i : 0 .. OWNERS - 1) {
				stayed[i] = HOLDS(i)
			}
#endif
#if CAS
			refuse(SLOTS, IDS, 0);
#endif
			fromCopy(); wipeCopy(); away = 0; former = 0;
			tidy()
		}
	/* An operator founds what is missing. */
	:: d_step { INIT && !control -> found(); tidy() }
#endif

	/* The replica catches up. */
	:: d_step { (fails > 0 || STALE) && BEHIND && tx[0].phase != Away && tx[OWNERS - 1].phase != Away ->
			toCopy();
#if SYNC
			for (i : 0 .. OWNERS - 1) {
				tx[i].phase = (tx[i].phase == Done -> Known : tx[i].phase)
			};
#endif
			tidy()
		}

	/* It is promoted. What it does not have is lost, and so is every transaction that
	 * holds a lock. One that holds none may be about to begin at the replica. */
	:: atomic { fails > 0 ->
			d_step {
				fails--;
				for (i : 0 .. OWNERS - 1) {
					assert(SEEN != W_LOST_COMMIT || !(own[i].nonce && own[i].nonce == row[own[i].id].nonce && own[i].nonce != copy[own[i].id].nonce));
#if FOUNDS
					assert(SEEN != W_FOUNDING_LOST || !rest || !HOLDS(i) || own[i].nonce != copy[own[i].id].nonce)
#endif
				}
				fromCopy();
				for (i : 0 .. NODES * IDS - 1) {
					lockedBy[i] = 0
				}
#if NODES > 1
				controlBy[0] = 0; controlBy[1] = 0;
#else
				controlBy = 0;
#endif
				for (i : 0 .. SLOTS - 1) {
					if
					:: tx[i].phase == Chosen || tx[i].phase == Locked && !((IS(M_CAS_FAILOVER) || IS(M_CAS_TIMED)) && tx[i].kind == Extend || IS(M_CAS_FAILOVER_TAKE) && tx[i].kind == Acquire) -> clear(i)
#if SYNC
					/* A commit is lost that nobody has been told of. */
					:: i < OWNERS && tx[i].phase == Done ->
						WITNESS(W_UNSYNCED);
						doubt(i, i);
#if RETAKE
						remember(i);
#endif
						clear(i)
#endif
					:: tx[i].phase == Away -> tx[i].phase = Locked; LOCK(i, tx[i].id) = (CAS -> 0 : i + 1)
					:: else
					fi
				}
				if
				:: fails == 0 -> wipeCopy()
				:: else
				fi;
				tidy()
			};
			if
			:: ahead = 0
			:: ahead = SKEW
			:: SKEW > 1 -> ahead = 1
			fi
		}
	od
}
