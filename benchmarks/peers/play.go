package main

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/uidgen/uid/benchmarks/subject"
	"github.com/uidgen/uid/test/engines/cluster"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// A stage is where scenes are played.
type stage struct {
	dir, exe string
	server   *cluster.MySQL
}

// A scene is a row of the table.
type scene struct {
	title string
	long  bool // the README does without it
	play  func(stage, column) cell
}

// A cell is what came of a scene: in docs/evidence/peers.md, and in README.md.
type cell struct {
	long, brief string
	repeats     int
}

const (
	million = 1_000_000
	rounds  = 3
)

var scenes = []scene{
	{"two processes, one configuration: repeats", false, func(s stage, c column) cell {
		return s.second(c, step{N: 2000, Every: time.Millisecond, For: 10 * time.Second})
	}},
	{"restarted at once after a burst: repeats", false, func(s stage, c column) cell { return s.restarted(c, 0) }},
	{"restarted, the clock 1.2 s back: repeats", false, func(s stage, c column) (worst cell) {
		for range rounds { // on a busy machine a start can come too late to repeat anything
			if got := s.restarted(c, -1200*time.Millisecond); got.repeats >= worst.repeats {
				worst = got
			}
		}
		return worst
	}},
	{"the clock an hour back while it runs", false, stage.hourBack},
	{"IDs in the first second; in each later one", false, stage.rates},
	{"24 IDs, one a second: values of id % 8", true, stage.shards},
	{"bits; characters; in JSON", false, stage.size},
	{"a start gives IDs until; then", false, stage.end},
	{"its store is down at the start; later", true, stage.storeDown},
}

// second starts two processes that think they are alone.
func (s stage) second(c column, st step) cell {
	t := s.task(c, st)
	a, b := s.start(t), s.start(t)
	a.begin()
	b.begin()
	return repeated(a.end(), b.end())
}

// restarted ends a process that has drawn for a second as fast as it can, and starts it again.
func (s stage) restarted(c column, moved time.Duration) cell {
	t := s.task(c, step{N: 10 * million, For: time.Second})
	first := s.start(t)
	first.begin()
	before := first.end()
	t.Moved, t.Steps[0].Moved, t.Steps[0].For = moved, moved, 2*time.Second
	again := s.start(t)
	again.begin()
	return repeated(before, again.end())
}

func repeated(a, b done) cell {
	n, of := repeats(a.Steps[0].Keys, b.Steps[0].Keys), min(len(a.Steps[0].Keys), len(b.Steps[0].Keys))
	long := number("%d of %d", n, of)
	if b.Steps[0].Err != "" {
		long += "; " + b.Steps[0].Err
	}
	brief := "**all**"
	switch percent := n * 100 / max(of, 1); {
	case n == 0:
		brief = "0"
	case percent == 0:
		brief = number("**%d**", n)
	case n < of:
		brief = fmt.Sprintf("**%d %%**", percent)
	}
	return cell{long, brief, n}
}

// repeats returns how many of all IDs had been issued before.
func repeats(all ...[]subject.Key) (n int) {
	keys := slices.Concat(all...)
	slices.SortFunc(keys, order)
	return len(keys) - len(slices.Compact(keys))
}

func order(a, b subject.Key) int {
	switch {
	case a == b:
		return 0
	case below(a, b):
		return -1
	}
	return 1
}

func (s stage) hourBack(c column) cell {
	p := s.start(s.task(c, step{N: 100_000, For: 3 * time.Second},
		step{Moved: -time.Hour, N: 100_000, For: 5 * time.Second}))
	p.begin()
	d := p.end()
	before, after := d.Steps[0], d.Steps[1]
	verdict, said := "goes on", fmt.Sprintf("longest call %v", after.Longest.Round(time.Millisecond))
	switch {
	case after.Blocked:
		verdict, said = "blocks", number("no call returns after the first %d", len(after.Keys))
	case after.Failed > 0:
		verdict, said = "fails", after.Err
	case below(after.Keys[0], before.Keys[len(before.Keys)-1]):
		verdict = "goes on, lower IDs"
	}
	if n := repeats(before.Keys, after.Keys); n > 0 {
		verdict += number(", %d repeats", n)
	}
	return cell{verdict + "; " + said, verdict, 0}
}

// rates takes the best of some processes: other programs can only slow them.
func (s stage) rates(c column) cell {
	var first, later []int64
	for range rounds {
		t := s.task(c)
		t.Seconds = 4
		p := s.start(t)
		p.begin()
		all := p.end().PerSecond
		slices.Sort(all[1:])
		first, later = append(first, all[0]), append(later, all[len(all)/2])
	}
	slices.Sort(first)
	slices.Sort(later)
	f, l := first[rounds-1], later[rounds-1]
	return cell{
		number("%d [%d–%d]; %d [%d–%d]", f, first[0], f, l, later[0], l), number("%d; %d", round(f), round(l)), 0,
	}
}

// round keeps two digits of what the layout does not set.
func round(n int64) int64 {
	if n < 100_000 {
		return n
	}
	unit := int64(1)
	for n/unit >= 100 {
		unit *= 10
	}
	return (n + unit/2) / unit * unit
}

// shards counts the shards that get rows at a low rate.
func (s stage) shards(c column) cell {
	count := func(c column) int {
		p := s.start(s.task(c, step{N: 24, Every: 1010 * time.Millisecond, For: time.Minute}))
		p.begin()
		values := map[uint64]bool{}
		for _, k := range p.end().Steps[0].Keys {
			values[(k[0]+k[1])%8] = true // of 16 bytes, each half is spread
		}
		return len(values)
	}
	text := fmt.Sprint(count(c))
	if c.name == "static" {
		text += fmt.Sprintf("; RandomStart: %d", count(random))
	}
	return cell{text, text, 0}
}

func (s stage) size(c column) cell {
	p := s.start(s.task(c, step{N: 1, For: time.Second}))
	p.begin()
	k := p.end().Steps[0].Keys[0]
	bits := 63
	if k[1] != 0 {
		bits = 128
	}
	id := c.typed(k)
	js := "string"
	if must(json.Marshal(id))[0] != '"' {
		js = "number"
	}
	text := fmt.Sprintf("%d; %d; %s", bits, len(fmt.Sprint(id)), js)
	return cell{text, text, 0}
}

// end looks for the last day on which a new process gets an ID above today's.
func (s stage) end(c column) cell {
	if c.name == "mariadb" {
		return s.end(shown[0]) // the layout's: its own clock is not moved
	}
	const day, most = 24 * time.Hour, 280 * 365 * 24 * time.Hour // a Duration has 292 years
	began := time.Now()
	today, _ := s.idAt(c, 0)
	rises := func(after time.Duration) bool {
		k, err := s.idAt(c, after)
		return err == "" && below(today, k)
	}
	last, wrong := time.Duration(0), 5*365*day
	for ; wrong < most && rises(wrong); wrong += 5 * 365 * day {
		last = wrong
	}
	if wrong >= most {
		return cell{began.Add(last).Format("after 2006"), began.Add(last).Format("after 2006"), 0}
	}
	for wrong-last > day {
		if middle := last + (wrong-last)/2; rises(middle) {
			last = middle
		} else {
			wrong = middle
		}
	}
	then := "old IDs again"
	switch k, err := s.idAt(c, wrong); {
	case err != "":
		then = "error"
	case int64(k[0]) < 0:
		then = "negative IDs"
	}
	end := began.Add(last)
	return cell{end.Format("2006-01-02") + "; " + then, end.Format("2006") + ", " + then, 0}
}

// idAt returns the first ID of a process whose clock is moved.
func (s stage) idAt(c column, moved time.Duration) (k subject.Key, err string) {
	t := s.task(c, step{Moved: moved, N: 1, For: time.Minute, UntilError: true})
	t.Moved = moved
	p := s.start(t)
	if p.Refused != "" {
		return k, p.Refused
	}
	p.begin()
	d := p.end().Steps[0]
	if len(d.Keys) == 0 {
		return k, cmp.Or(d.Err, "no ID in a minute")
	}
	return d.Keys[0], ""
}

// storeDown has the database killed, or the file locked, while it runs, and then starts another process.
func (s stage) storeDown(c column) cell {
	if !c.store {
		return cell{"none", "none", 0}
	}
	t := s.task(c, step{N: million, Every: time.Millisecond, For: 3 * time.Minute, UntilError: true})
	p := s.start(t)
	p.begin()
	time.Sleep(45 * time.Second) // the lease is renewed once
	gone := time.Now()
	back := s.take(t)
	refused := s.start(t)
	d := p.end().Steps[0]
	back()
	went := d.Ended.Sub(gone).Round(time.Second)
	if refused.Refused == "" || d.Failed == 0 {
		return cell{"it does not matter", "", 0}
	}
	long := fmt.Sprintf("error after %v; IDs for %v", refused.Took.Round(100*time.Millisecond), went)
	return cell{long, long, 0}
}

// take takes a task's store away, and returns what brings it back.
func (s stage) take(t task) (back func()) {
	if t.Column == "mariadb" {
		s.server.Kill()
		return func() { check(s.server.Restart()) }
	}
	return locked(t)
}

// mustFindRepeats panics unless the judge sees what is planted.
func (s stage) mustFindRepeats() {
	for _, got := range []cell{s.second(planted, step{N: 1000, For: time.Minute}), s.restarted(planted, 0)} {
		if got.brief != "**all**" {
			panic("planted repeats are not found: " + got.long)
		}
	}
}

// A process is a child that has opened its generator.
type process struct {
	opened
	cmd *exec.Cmd
	in  io.WriteCloser
	out *gob.Decoder
	log bytes.Buffer
}

// task returns a task on a store of its own.
func (s stage) task(c column, steps ...step) task {
	t := task{Column: c.name, Dir: must(os.MkdirTemp(s.dir, "n")), Steps: steps}
	if c.name == "mariadb" {
		t.DSN = s.server.DSN("uid")
	}
	found(t)
	return t
}

func (s stage) start(t task) *process {
	p := &process{cmd: exec.Command(s.exe)}
	p.cmd.Env = append(os.Environ(), taskEnv+"="+string(must(json.Marshal(t))))
	p.cmd.Stderr = &p.log
	p.in = must(p.cmd.StdinPipe())
	p.out = gob.NewDecoder(must(p.cmd.StdoutPipe()))
	began := time.Now()
	check(p.cmd.Start())
	if err := p.out.Decode(&p.opened); err != nil {
		panic(fmt.Sprintf("%v: %v: %s", t, err, &p.log))
	}
	if p.Refused != "" {
		check(p.cmd.Wait())
	}
	if right := p.At.Add(-t.Moved); right.Before(began) || right.After(time.Now()) {
		panic(fmt.Sprintf("a clock that was to be off by %v showed %v", t.Moved, p.At))
	}
	return p
}

// begin lets the process draw.
func (p *process) begin() {
	if p.Refused != "" {
		panic(p.Refused)
	}
	check(p.in.Close())
}

// end returns what the process did until its end.
func (p *process) end() (d done) {
	if err := p.out.Decode(&d); err != nil {
		panic(fmt.Sprintf("%v: %s", err, &p.log))
	}
	check(p.cmd.Wait())
	return d
}

var english = message.NewPrinter(language.English)

// number is fmt.Sprintf with numbers as in 1,000.
func number(format string, args ...any) string { return english.Sprintf(format, args...) }
