package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/connect/scheme"
)

// topics are what uid help knows besides commands.
func (p *program) topics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "layouts", Short: "The preset layouts, and how layouts are written", Long: layoutsTopic()},
		{Use: "stores", Short: "Where worker IDs and numbers are kept, and how to name the place", Long: storesTopic()},
		{Use: "times", Short: "How to write times and durations, and what a UID's time is", Long: timesTopic},
	}
}

// storeHelp is the part of a command's help about its store.
const storeHelp = `The store is what --store or --mysql names, or else $` + storeEnv + ` or $` + dsnEnv + `, or
else a SQLite file in the user's data folder. uid help stores says what can be named.`

func storesTopic() string {
	var forms strings.Builder
	for _, d := range scheme.All() {
		fmt.Fprintf(&forms, "    %s%s\n", d.Form, d.Secure)
	}
	return `A store keeps worker IDs, so that no two runs have the same one, and the numbers of tags
(uid segment). It is the first of these that is given:

  --store FILE    a SQLite file, for the processes of one machine
  --store URL     servers that machines share
  --mysql DSN     MySQL or MariaDB, as its Go driver names it:
                  user:password@tcp(host:3306)/database
  $` + storeEnv + `      what --store takes
  $` + dsnEnv + `  what --mysql takes

FILE has a / or ends in .db or .sqlite, has none of : @ $ = % (on Windows the colon of a
drive, and \ for /) and no space around it, and neither begins as name// does nor ends in
/. What is neither that nor a URL is refused: it would make a file in which worker IDs
begin with 1, on each host that has the same mistake.

Without any it is the SQLite file uid/workers.db in $XDG_DATA_HOME, or else in
~/.local/share (macOS: ~/Library/Application Support, Windows: %LocalAppData%). A command
that makes a file says so.

URLs look like this; the parameters turn TLS on. Of all of them ?namespace=NAME names the
namespace of leases:

` + forms.String() + `
Other users of the machine can read a command line: better put a password into the
environment.

Databases (SQLite, MySQL, MariaDB, PostgreSQL) give each run of uid gen a worker ID that
was never used before, the key of a new row in WORKER_NODE, the table of Baidu's
UidGenerator. The default layout has 4,194,303 of them, the layout javascript 15. etcd,
ZooKeeper and Redis lease a worker ID of a namespace to each run, which gives it back at
its end. Programs can lease worker IDs from all of them.

Two stores know nothing of each other: both have a worker ID 1, so UIDs of one can be
equal to UIDs of the other. The same goes for two namespaces, and for two layouts.`
}

const timesTopic = `Times (--from, --to, --epoch) have one of these forms. They are in UTC unless they say
otherwise:

  2026-11-21
  2026-11-21T10:00           or with a space, in quotes: "2026-11-21 10:00"
  2026-11-21T10:00:30.25     with seconds, and parts of a second
  2026-11-21T10:00:00+01:00  in another zone; Z at the end is UTC

The times that uid backfill reads can also be whole numbers, the milliseconds since 1970.

Durations (--timeout, --older-than, --time) are numbers with units: 90s, 1h30m, 250ms. The
units are ns, us, ms, s, m and h; a week is 168h. --zone of uid gen --daily takes a name
of the time zone database, such as Europe/Berlin.

A UID's time is the beginning of its tick, a second in the default layout. It can be
ahead of the clock at which the UID was made: a generator that is asked for more UIDs
than a tick holds borrows future ticks, by default up to ten minutes of them. It can be
behind the clock by a second, or by what MaxLag says. So widen a time range by these to
find every UID that was made in it.

The time field of a layout is full one day: that of the default layout on 2034-07-04. uid
help layouts shows the days of the presets.`

func layoutsTopic() string {
	var presets strings.Builder
	for _, p := range bits.Presets() {
		fmt.Fprintf(&presets, "  %-14s%s, %s to %s: %s UIDs a second, of each of %s workers\n", p.Name, short(p.Layout),
			p.Layout.Epoch().Format(time.DateOnly), p.Layout.Expires().Format(time.DateOnly),
			number(perSecond(p.Layout)).text, number(float64(p.Layout.MaxWorkerID()+1)).text)
	}
	return `A layout says which bits of a UID are its time, worker ID and sequence. --layout takes
the name of a preset, or a text:

  28/22/13        the bits of time, worker ID and sequence, 63 at most
  41ms/10/12      the same with ticks of a millisecond; other units are ns, us, s (the
                  default), m and h
  unit=10ms       ticks of any length that divides a second, or is a multiple of one
  epoch=TIME      when tick 0 begins, such as 2014-09-01T00:00:00Z; the default is
                  2026-01-01T00:00:00Z
  fields=A:5,B:5  names for the highest 5 bits of the worker ID and for the 5 below them

The last three follow the widths in any order, in quotes:

  --layout "39/8/16 unit=10ms epoch=2014-09-01T00:00:00Z"
  --layout "41ms/10/12 fields=datacenter:5,worker:5"

The presets, with the days on which their times begin and are full:

` + presets.String() + `
js is short for javascript; bwmarrin and leaf are other names of twitter. uidgenerator,
discord, instagram and yitter are there to read the IDs of these. uid parse also knows
the forms sonyflake and sonyflake2, which are no layouts.

UIDs of two layouts can be equal. uid plan finds a layout for a rate and a number of
workers.`
}
