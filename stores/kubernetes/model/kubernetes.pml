/*
 * Package kubernetes keeps a namespace in one object of the API server and each row in another. A request writes one
 * object, and a row's write depends on both. README.md says how it is decided what counts, and what has to hold.
 *
 * One row, clients that read and write it, and requests that arrive late or never. Objects have etcd's revisions, which
 * are one order for all of them.
 *
 * FAULT=M_... takes a rule out, and then an assertion fails. SEEN=W_... makes the search stop where something happens.
 */

/* The size of a configuration. */
#ifndef CLIENTS
#define CLIENTS  2
#endif
#ifndef LATE
#define LATE     1    /* requests under way for which nobody waits any more */
#endif
#ifndef WRITES
#define WRITES   3    /* of the row, by clients */
#endif
#ifndef RAISES
#define RAISES   1    /* times that a client raises the namespace's floor */
#endif
#ifndef TRIMS
#define TRIMS    0    /* times that one shortens the namespace's log */
#endif
#ifndef DOUBTS
#define DOUBTS   1    /* replies that are lost, and requests that are given up */
#endif
#ifndef DELETES
#define DELETES  0    /* times that somebody deletes the row by hand, */
#endif
#ifndef RESETS
#define RESETS   0    /* and the namespace */
#endif
#ifndef NEW
#define NEW      0    /* 1: there is no row yet */
#endif

/* The rules that can be taken out. */
#ifndef FAULT
#define FAULT            0
#endif
#define M_VOID_COUNTS    1
#define M_NO_VERDICT     2
#define M_LOOK_ONLY      3
#define M_WAS_RAW        4
#define M_NO_UID         5
#define M_ANY_NAMESPACE  6
#define M_GIVEN_FIRST    7
#define M_SPARE_ANY      8
#define M_TRIM_BLIND     9
#define M_TRIM_ALL      10
#define M_TRIM_KNOWN    11
#define M_RETAKE_FLOOR  12
#define M_NO_LOG        13
#define M_OLD_CAS       14

/* What can happen. */
#ifndef SEEN
#define SEEN             0
#endif
#define W_VOID           1
#define W_RETAKEN        2
#define W_SPARE_VOID     3
#define W_REWRITTEN      4
#define W_UNKNOWN        5
#define W_ORPHAN         6

#define IS(fault)        (FAULT == fault)
#define WITNESS(event)   assert(SEEN != event)

byte rev = 1;                   /* etcd's revision: that of the last write */

/* The texts of a row. Each write of a client has one of its own. */
#define None     0
#define Unused   1
#define FIRST    2
#define TEXTS    (FIRST + WRITES)

typedef Namespace {
	byte uid;               /* 0: it is not there */
	byte at;                /* the revision of its last write; */
	int log;                /* those of its former writes, a bit each, since */
	byte since;             /* since: of what was decided before that, what was stored before it counts */
	byte floor;
	bit given               /* the row's ID was given */
};
typedef Row {
	byte at;                /* 0: it is not there */
	byte on;                /* the revision of the namespace that its text was decided on, */
	byte text, was          /* and the one that it replaced */
};
Namespace ns;
Row row;

/* A row's text counts if the namespace was not written after what it was decided on, until it was stored. */
#define BITS(from, to)  ((2 << (to)) - (2 << (from)))
#define HISTORY(n)      ((IS(M_NO_LOG) -> 0 : n.log) | (1 << n.at))
#define COUNTED(n, r)   (!n.uid || r.on > r.at || (r.on < n.since -> r.at < n.since || IS(M_TRIM_ALL) : !(HISTORY(n) & BITS(r.on, r.at))))
#define ANYHOW(r)       (IS(M_VOID_COUNTS) || IS(M_LOOK_ONLY) || IS(M_SPARE_ANY) && r.was == None)
#define COUNTS(n, r)    (COUNTED(n, r) || ANYHOW(r))
#define TEXT(n, r)      (r.at == 0 -> None : (COUNTS(n, r) -> r.text : r.was))

/* A request. The first slots are those of clients, which wait for them. */
typedef Request {
	byte kind, uid, seen;   /* on condition of what is there */
	byte on, text, was;
	int log;
	byte since, floor;
	bit given
};
#define Nothing   0
#define PutRow    1
#define PostRow   2
#define PutOwn    3
#define PostOwn   4
Request rq[CLIENTS + LATE];

/* What a client knows. */
typedef Client {
	byte phase;
	Namespace ns;           /* as they were read */
	Row row;
	byte text, stored;      /* what it has written, and its revision */
	byte retakes;           /* the acquisition that this takes up */
	byte lost               /* a text without a reply */
};
#define Idle      0
#define Half      1             /* the row was read, and the namespace was not */
#define Read      2
#define Waits     3
#define Stored    4
#define Refused   5
Client c[CLIENTS];

bit begun;
byte writes, raises = RAISES, doubts = DOUBTS;
#if TRIMS
byte trims = TRIMS;
#endif
#if DELETES
byte deletes = DELETES;
#endif
#if RESETS
byte resets = RESETS;
#endif

/* What only the properties know: the text under the row's key in a store that writes both at once, the texts that were
 * stored in it, the namespace that was there last, and in which one the ID was leased. */
byte is, last, orphan;
bit landed[TEXTS];
byte base[TEXTS];               /* the floor that a text was decided under */
byte floors, lastUID, lastAt, leasedIn;

hidden byte i, j;

inline copyNS(to, from) { to.uid = from.uid; to.at = from.at; to.log = from.log; to.since = from.since; to.floor = from.floor; to.given = from.given }
inline copyRow(to, from) { to.at = from.at; to.on = from.on; to.text = from.text; to.was = from.was }
inline noRow(to) { to.at = 0; to.on = 0; to.text = 0; to.was = 0 }
inline noNS(to) { to.uid = 0; to.at = 0; to.log = 0; to.since = 0; to.floor = 0; to.given = 0 }
inline clear(s) {
	rq[s].kind = 0; rq[s].uid = 0; rq[s].seen = 0; rq[s].on = 0; rq[s].text = 0; rq[s].was = 0; rq[s].log = 0;
	rq[s].since = 0; rq[s].floor = 0; rq[s].given = 0
}
inline forget(o) {
	c[o].phase = Idle; noNS(c[o].ns); noRow(c[o].row); c[o].text = 0; c[o].stored = 0; c[o].retakes = 0
}

/* Nobody sees anything else than in a store that writes both at once. */
#define SAME      (TEXT(ns, row) == is)

/* ------------------------------------------------------------------- the API server */

inline storeRow(s) {
	rev++;
	/* In the other store it is stored if both are as they were read. */
	if
	:: is == rq[s].was && lastAt == rq[s].on ->
		assert(rq[s].text != Unused || !leasedIn || leasedIn != ns.uid);
		is = rq[s].text; last = is; landed[is] = 1; orphan = None;
		leasedIn = (is >= FIRST -> ns.uid : leasedIn)
	:: else ->
		/* Without a namespace nobody can tell. */
		orphan = (ns.uid -> orphan : rq[s].text);
		assert(SEEN != W_VOID || rq[s].text < FIRST);
		assert(SEEN != W_SPARE_VOID || rq[s].text >= FIRST)
	fi;
	row.at = rev; row.on = rq[s].on; row.text = rq[s].text; row.was = rq[s].was;
	is = ((TEXT(ns, row) == Unused || !landed[TEXT(ns, row)]) && TEXT(ns, row) == orphan || TEXT(ns, row) == last -> TEXT(ns, row) : is);
	assert(SAME)
}

inline apply(s, ok) {
	ok = 0;
	if
	:: rq[s].kind == PutRow && (row.at == rq[s].seen || !row.at && IS(M_NO_UID)) -> ok = 1; storeRow(s)
	:: rq[s].kind == PostRow && !row.at -> ok = 1; storeRow(s)
	:: rq[s].kind == PutOwn && ns.uid && ns.uid == rq[s].uid && (ns.at == rq[s].seen || IS(M_OLD_CAS)) ->
		ok = 1;
		rev++;
		ns.at = rev; ns.log = rq[s].log; ns.since = rq[s].since;
		ns.floor = rq[s].floor; ns.given = rq[s].given;
		lastAt = rev;
		assert(SAME)
	:: rq[s].kind == PostOwn && !ns.uid ->
		ok = 1;
		rev++;
		lastUID++;
		ns.uid = lastUID; ns.at = rev; ns.floor = rq[s].floor; ns.given = rq[s].given;
		lastAt = rev;
		assert(SAME)
	:: else
	fi;
	clear(s)
}

/* --------------------------------------------------------------------- the clients */

/* A write of the row, on what was read. */
inline write(o, taken) {
	c[o].text = FIRST + writes; writes++;
	c[o].retakes = taken;
	base[c[o].text] = (taken -> base[taken] : c[o].ns.floor);
	rq[o].kind = PutRow; rq[o].seen = c[o].row.at; rq[o].on = c[o].ns.at; rq[o].text = c[o].text;
	rq[o].was = (IS(M_WAS_RAW) -> c[o].row.text : TEXT(c[o].ns, c[o].row));
	c[o].phase = Waits
}

/* A write of the namespace, on what was read of it. */
inline writeNS(o, high, gives) {
	rq[o].kind = PutOwn; rq[o].uid = c[o].ns.uid; rq[o].seen = c[o].ns.at;
	rq[o].log = c[o].ns.log | (1 << c[o].ns.at); rq[o].since = c[o].ns.since;
	rq[o].floor = high; rq[o].given = c[o].ns.given || gives;
	c[o].phase = Waits
}

/* The row that is made has no text of a lease. It may replace one that does not count. */
inline make(o) {
	rq[o].kind = (c[o].row.at -> PutRow : PostRow); rq[o].seen = c[o].row.at; rq[o].on = c[o].ns.at; rq[o].text = Unused;
	c[o].phase = Waits
}

/* What a client has written is stored if it counts by the namespace as it is after that. */
#define MINE(o)   (ns.uid == c[o].ns.uid || IS(M_ANY_NAMESPACE))
#define VERDICT(o) (IS(M_NO_VERDICT) || IS(M_TRIM_KNOWN) && c[o].ns.at < ns.since && c[o].stored < ns.since || !(HISTORY(ns) & BITS(c[o].ns.at, c[o].stored)))
/* A log that was forgotten in between does not say: a text that does not count may have been replaced. */
#define KNOWN(o)   (ns.uid && MINE(o) && (c[o].ns.at >= ns.since || IS(M_TRIM_KNOWN)) && (ns.at == c[o].ns.at || !IS(M_LOOK_ONLY)))

inline confirm(o) {
	/* It begins, or goes on. */
	assert(landed[c[o].text]);
	assert(!c[o].retakes || landed[c[o].retakes]);
	assert(SEEN != W_RETAKEN || !c[o].retakes);
	/* The next renewal begins with what this one has read. */
	c[o].row.at = c[o].stored; c[o].row.on = c[o].ns.at; c[o].row.text = c[o].text; c[o].row.was = None;
	if
	:: ns.uid == c[o].ns.uid -> copyNS(c[o].ns, ns); c[o].row.was = c[o].text; c[o].phase = Read
	:: else -> forget(o)
	fi;
	c[o].text = 0; c[o].stored = 0; c[o].retakes = 0
}

active [CLIENTS] proctype Process() provided (begun)
{
	byte me = _pid;
	bit ok;

end:
	do
	/* It reads the row and then the namespace, or both at once. A list from the API server's memory is one that was
	 * read earlier: who has read may wait for any time. */
	:: d_step { c[me].phase == Idle -> copyRow(c[me].row, row); c[me].phase = Half }
	:: d_step { c[me].phase == Half -> copyNS(c[me].ns, ns); c[me].phase = Read }
	:: d_step { c[me].phase == Read -> forget(me) }

	/* It takes the row, or renews it. */
	:: d_step { c[me].phase == Read && writes < WRITES && !c[me].lost && c[me].ns.uid && c[me].ns.given && TEXT(c[me].ns, c[me].row) -> write(me, 0) }

	/* Or it takes up what it has written without a reply, or gives that up. */
	:: d_step { c[me].phase == Read && writes < WRITES && c[me].lost && c[me].ns.uid && TEXT(c[me].ns, c[me].row) == c[me].lost && (c[me].ns.floor <= base[c[me].lost] || IS(M_RETAKE_FLOOR)) ->
			write(me, c[me].lost); c[me].lost = 0 }
	:: d_step { c[me].lost -> c[me].lost = 0 }

	/* It makes the row, and says then that it was given. */
	:: d_step { c[me].phase == Read && NEW && c[me].ns.uid && !c[me].ns.given && !TEXT(c[me].ns, c[me].row) && !IS(M_GIVEN_FIRST) -> make(me) }
	:: d_step { c[me].phase == Read && NEW && c[me].ns.uid && !c[me].ns.given && (TEXT(c[me].ns, c[me].row) || IS(M_GIVEN_FIRST)) -> writeNS(me, c[me].ns.floor, 1) }
	:: d_step { c[me].phase == Read && NEW && IS(M_GIVEN_FIRST) && c[me].ns.uid && c[me].ns.given && !c[me].row.at && !leasedIn -> make(me) }

	:: d_step { c[me].phase == Read && c[me].ns.uid && raises > 0 -> raises--; floors++; writeNS(me, floors, 0) }

#if RESETS
	/* The namespace is missing. A start makes it, beyond all that anybody may have reserved, and gives the IDs of
	 * rows that are there. */
	:: d_step { c[me].phase == Read && !c[me].ns.uid ->
			floors++;
			rq[me].kind = PostOwn; rq[me].floor = floors; rq[me].given = (c[me].row.at && c[me].row.text);
			c[me].phase = Waits
		}
#endif

#if TRIMS
	/* It lists the row and the namespace at once. If the row's text does not count it is written anew, as what counts;
	 * else the log is forgotten, up to the namespace's write that was read. */
	:: d_step { c[me].phase == Idle && ns.uid && trims > 0 ->
			copyRow(c[me].row, row); copyNS(c[me].ns, ns);
			if
			:: row.at && !COUNTED(ns, row) && !IS(M_TRIM_BLIND) ->
				WITNESS(W_REWRITTEN);
				rq[me].kind = PutRow; rq[me].seen = row.at; rq[me].on = ns.at; rq[me].text = row.was; rq[me].was = row.was;
				c[me].phase = Waits
			:: else ->
				trims--;
				writeNS(me, ns.floor, 0);
				rq[me].log = 1 << ns.at; rq[me].since = ns.at
			fi
		}
#endif

	/* The request arrives, and its reply. */
	:: d_step { c[me].phase == Waits && rq[me].kind ->
			i = rq[me].kind; j = rq[me].text;
			apply(me, ok);
			if
			:: ok && i == PutRow && j >= FIRST && c[me].text -> c[me].stored = rev; c[me].phase = Stored
			:: else -> forget(me)
			fi;
			ok = 0; i = 0; j = 0
		}
	/* The namespace as it is after the write says whether that counts. */
	:: d_step { c[me].phase == Stored && KNOWN(me) ->
			if
			:: VERDICT(me) -> confirm(me)
			:: else ->
				assert(!landed[c[me].text]);
				forget(me)
			fi
		}
	:: d_step { c[me].phase == Stored && !KNOWN(me) ->
			WITNESS(W_UNKNOWN);
			c[me].lost = c[me].text; forget(me)
		}
	/* Its reply is lost. */
	:: d_step { c[me].phase == Stored && doubts > 0 -> doubts--; c[me].lost = c[me].text; forget(me) }
	/* It is given up, by one that remembers, or one that has crashed. It may arrive later. */
	:: d_step { c[me].phase == Waits && doubts > 0 && rq[CLIENTS].kind == Nothing ->
			doubts--;
			rq[CLIENTS].kind = rq[me].kind; rq[CLIENTS].uid = rq[me].uid; rq[CLIENTS].seen = rq[me].seen;
			rq[CLIENTS].on = rq[me].on; rq[CLIENTS].text = rq[me].text; rq[CLIENTS].was = rq[me].was;
			rq[CLIENTS].log = rq[me].log; rq[CLIENTS].since = rq[me].since;
			rq[CLIENTS].floor = rq[me].floor; rq[CLIENTS].given = rq[me].given;
			clear(me);
			c[me].lost = c[me].text;
			forget(me)
		}
	od
}

active proctype World()
{
	bit ok;

	d_step {
		begun = 1;
		lastUID = 1; lastAt = 1;
		ns.uid = 1; ns.at = 1;
#if !NEW
		/* The ID was given by the second write. */
		rev = 3; row.at = 2; row.on = 1; row.text = Unused; is = Unused; last = Unused;
		ns.log = 1 << 1; ns.at = 3; ns.given = 1; lastAt = 3
#endif
	};
end:
	do
	:: d_step { rq[CLIENTS].kind -> apply(CLIENTS, ok); ok = 0 }
	:: d_step { rq[CLIENTS].kind -> clear(CLIENTS) }
#if DELETES
	:: d_step { deletes > 0 && row.at -> deletes--; rev++; noRow(row); is = None; last = None }
#endif
#if RESETS
	/* Without it nobody can tell which text counted. */
	:: d_step { resets > 0 && ns.uid -> resets--; rev++; noNS(ns);
			assert(SEEN != W_ORPHAN || !row.at || row.text == is);
			is = TEXT(ns, row); orphan = (is == last -> orphan : is) }
#endif
	od
}
