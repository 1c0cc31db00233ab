package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write testdata/*.txt anew")

// TestGolden compares all that the command says with what it is known to say.
func TestGolden(t *testing.T) {
	const (
		known    = "180363646902239241"
		tweet    = "1541815603606036480"
		sony     = "417256906266053127"
		overflow = "-7053003394352373760"
		machine  = "41ms/10/12 epoch=2010-11-04T01:42:54.657Z fields=datacenter:5,worker:5"
		plan     = "--burst 5e7 --workers 500 --restarts-per-day 20 --years 30"
	)
	needs := func(rate string, more ...string) []string {
		return append(append([]string{"plan", "--rate", rate}, strings.Fields(plan)...), more...)
	}
	for _, tt := range []struct {
		name string
		call call
	}{
		{"gen", call{args: []string{"gen", "-n", "3", "--store", newStore(t)}}},
		{"gen_json", call{args: []string{"gen", "-n", "2", "--store", newStore(t), "--format", "json"}}},
		{"gen_json_machine", call{args: []string{"gen", "-n", "2", "--store", newStore(t), "--format", "json", "--layout", machine}}},
		{"gen_table", call{args: []string{"gen", "--store", newStore(t), "--format", "table"}}},
		{"gen_table_machine", call{args: []string{"gen", "-n", "2", "--store", newStore(t), "--format", "table", "--layout", machine}}},
		{"gen_segment", call{args: []string{"gen", "--segment", "invoice", "--create", "-n", "3", "--store", newStore(t)}}},
		{"gen_daily", call{args: []string{"gen", "--segment", "order", "--daily", "--zone", "Pacific/Kiritimati", "-n", "3", "--store", newStore(t)}}},
		{"backfill", call{args: []string{"backfill", "--store", newStore(t)}, stdin: "2026-03-02T18:07:53Z\n1772474873999\n2026-01-31 09:00\r\n"}},
		{"backfill_json", call{args: []string{"backfill", "2026-03-02", "--store", newStore(t), "--json"}}},
		{"backfill_bad", call{args: []string{"backfill", "--store", newStore(t)}, stdin: "2026-03-02\n\n"}},
		{"backfill_future", call{args: []string{"backfill", "--store", newStore(t)}, stdin: "2026-03-02\n2199-01-01\n"}},
		{"backfill_full", call{args: []string{"backfill", "--layout", "28/22/1", "--store", newStore(t), "--to", "2026-03-03", "2026-03-02", "2026-03-02", "2026-03-02"}}},
		{"help_backfill", call{args: []string{"help", "backfill"}}},
		{"parse", call{args: []string{"parse", "--layout", "uidgenerator", known}}},
		{"parse_two", call{args: []string{"parse", known, "0"}}},
		{"parse_machine", call{args: []string{"parse", "--layout", machine, tweet}}},
		{"parse_unused", call{args: []string{"parse", "--layout", "js", "14680064000000"}}},
		{"parse_no_bits", call{args: []string{"parse", "--layout", "40/0/0", "27000000"}}},
		{"parse_wide", call{args: []string{"parse", "--layout", "33/6/8 fields=abcdefghijklmnop:1,bcdefghijklmnopq:1,c:1,d:1,e:1,f:1", "447696600000"}}},
		{"parse_hint", call{args: []string{"parse", tweet}}},
		{"parse_plain", call{args: []string{"parse", "--format", "plain"}, stdin: known + "\n42 \t43\r\n"}},
		{"parse_json", call{args: []string{"parse", "--format", "json", "--layout", machine, known, tweet}}},
		{"parse_json_hints", call{args: []string{"parse", "--format", "json"}, stdin: strings.Repeat(tweet+" ", 3)}},
		{"parse_overflow", call{args: []string{"parse", "--layout", "uidgenerator", "--", overflow, known}}},
		{"parse_overflow_json", call{args: []string{"parse", "--layout", "uidgenerator", "--format", "json", "--", overflow, known}}},
		{"parse_overflow_future", call{args: []string{"parse", "--layout", "uidgenerator", "--", "-1"}}},
		{"parse_sonyflake", call{args: []string{"parse", "--layout", "sonyflake", sony}}},
		{"parse_sonyflake_plain", call{args: []string{"parse", "--layout", "sonyflake", "--format", "plain"}, stdin: sony + " 1\n"}},
		{"parse_sonyflake_own", call{args: []string{"parse", "--layout", "sonyflake2 41/12/10 unit=1ms epoch=2020-05-18T00:00:00Z", "861909339860796392"}}},
		{"parse_discord", call{args: []string{"parse", "--layout", "discord", "90339695967350784"}}},
		{"guess_overflow", call{args: []string{"parse", "--guess", "--", overflow, sony}}},
		{"guess_some", call{args: []string{"parse", "--guess", "--format", "plain", sony, "42"}}},
		{"guess", call{args: []string{"parse", "--guess", known, tweet}}},
		{"guess_json", call{args: []string{"parse", "--guess", "--format", "json", known}}},
		{"guess_plain", call{args: []string{"parse", "--guess", "--format", "plain"}, stdin: known}},
		{"guess_none", call{args: []string{"parse", "--guess", "42", "43"}}},
		{"plan", call{args: needs("2e6")}},
		{"plan_json", call{args: needs("2e6", "--format", "json")}},
		{"plan_rate", call{args: []string{"plan", "--rate", "1e5"}}},
		{"plan_no_burst", call{args: []string{"plan", "--rate", "1000", "--workers", "16", "--js-safe"}}},
		{"plan_nothing", call{args: needs("2e6", "--js-safe")}},
		{"plan_nothing_json", call{args: needs("2e6", "--js-safe", "--format", "json")}},
		{"plan_nothing_burst", call{args: []string{"plan", "--rate", "1", "--burst", "1e15", "--max-lead", "1ms"}}},
		{"plan_nothing_all", call{args: []string{"plan", "--rate", "1e12", "--burst", "1e15", "--workers", "1e15", "--years", "250", "--js-safe"}}},
		{"plan_from", call{args: []string{"plan", "--from", "uidgenerator"}}},
		{"plan_from_json", call{args: []string{"plan", "--from", "uidgenerator", "--format", "json"}}},
		{"plan_from_plain", call{args: []string{"plan", "--from", "default", "--layout", "twitter", "--format", "plain"}}},
		{"plan_from_workers", call{args: []string{"plan", "--from", "uidgenerator", "--from-workers", "1-1000", "--to-workers", "1001-2000"}}},
		{"plan_from_same", call{args: []string{"plan", "--from", "bwmarrin", "--layout", "twitter"}}},
		{"plan_from_wider", call{args: []string{"plan", "--from", "uidgenerator", "--from-workers", "5", "--to-workers", "5",
			"--layout", "29/21/13 epoch=2016-05-19T16:00:00Z", "--at", "2026-11-21T15:52:32Z"}}},
		{"plan_from_slower", call{args: []string{"plan", "--from", "default", "--layout", "twitter", "--from-lead", "24h"}}},
		{"plan_from_sonyflake", call{args: []string{"plan", "--from", "sonyflake"}}},
		{"plan_from_later", call{args: []string{"plan", "--from", "sonyflake", "--at", "2026-01-15", "--format", "json"}}},
		{"range", call{args: []string{"range", "--from", "2026-11-01", "--to", "2026-12-01"}}},
		{"range_json", call{args: []string{"range", "--from", "2026-11-21 09:00", "--format", "json", "--layout", "twitter"}}},
		{"range_plain", call{args: []string{"range", "--from", "2026-11-21T01:00:00+01:00", "--to", "2026-11-21T00:00:01Z", "--format", "plain"}}},
		{"range_day", call{args: []string{"range", "2026-11-21"}}},
		{"range_uid", call{args: []string{"range", "--layout", "twitter", "--json", tweet}}},
		{"parse_forms", call{args: []string{"parse", "--format", "plain", "--layout", "uidgenerator", "05067s0001009", "order_05067s0001009", "05018f90-0001-8001-88e0-b456d8069047"}}},
		{"parse_base58", call{args: []string{"parse", "--format", "plain", "--layout", "uidgenerator", "--form", "base58", "RHQ2AMTaWc"}}},
		{"gen_base62", call{args: []string{"gen", "-n", "2", "--store", newStore(t), "--format", "base62"}}},
		{"gen_prefix", call{args: []string{"gen", "-n", "2", "--store", newStore(t), "--format", "prefix=order"}}},
		{"gen_uuid", call{args: []string{"gen", "-n", "2", "--store", newStore(t), "--format", "uuid=orders"}}},
		{"help", call{}},
		{"help_gen", call{args: []string{"help", "gen"}}},
		{"help_parse", call{args: []string{"help", "parse"}}},
		{"help_plan", call{args: []string{"help", "plan"}}},
		{"help_worker", call{args: []string{"help", "worker"}}},
		{"help_worker_ls", call{args: []string{"help", "worker", "ls"}}},
		{"help_worker_release", call{args: []string{"help", "worker", "release"}}},
		{"help_worker_init", call{args: []string{"help", "worker", "init"}}},
		{"help_worker_check", call{args: []string{"help", "worker", "check"}}},
		{"help_segment", call{args: []string{"help", "segment"}}},
		{"help_segment_ls", call{args: []string{"help", "segment", "ls"}}},
		{"help_segment_next", call{args: []string{"help", "segment", "next"}}},
		{"help_segment_set", call{args: []string{"help", "segment", "set"}}},
		{"help_serve", call{args: []string{"help", "serve"}}},
		{"help_bench", call{args: []string{"help", "bench"}}},
		{"short_parse", call{args: []string{"parse", "--help"}}},
		{"short_serve", call{args: []string{"serve", "--help"}}},
		{"short_worker", call{args: []string{"worker"}}},
		{"help_layouts", call{args: []string{"help", "layouts"}}},
		{"help_range", call{args: []string{"help", "range"}}},
		{"help_stores", call{args: []string{"help", "stores"}}},
		{"help_times", call{args: []string{"help", "times"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			golden(t, tt.name, tt.call.run())
		})
	}
}

// golden compares an outcome with the one in testdata.
func golden(t *testing.T, name string, o outcome) {
	t.Helper()
	got := fmt.Sprintf("%s--- standard error\n%s--- exit code %d\n", o.out, o.err, o.code)
	file := filepath.Join("testdata", name+".txt")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// What has been frozen is not all: this is the number that the layout was agreed on
// with.
func TestKnownUID(t *testing.T) {
	require.Equal(t, "180363646902239241\t2016-07-19T10:07:53Z\t4\t9\n",
		ok(t, "parse", "--layout", "uidgenerator", "--format", "plain", "180363646902239241"))
}

func TestPictureIsNoWiderThanATerminal(t *testing.T) {
	for _, layout := range []string{"default", "twitter", "js", "63ns/0/0", "1/1/1", "1/62/0",
		"41ms/10/12 fields=datacenter:5,worker:5", "1/61/1 fields=abcdefghijklmnop:61",
		"9/8/46 fields=aaaaaaaaaaaaaaaa:1,bbbbbbbbbbbbbbbb:1,cccccccccccccccc:1,dddddddddddddddd:1,eeeeeeeeeeeeeeee:1,ffffffffffffffff:1,gggggggggggggggg:1,hhhhhhhhhhhhhhhh:1"} {
		out := call{args: []string{"parse", "--layout", layout, "1"}}.run().out
		require.Contains(t, out, "\n")
		for line := range strings.Lines(out) {
			require.LessOrEqual(t, len([]rune(strings.TrimSuffix(line, "\n"))), pictureWidth, out)
			require.Equal(t, strings.TrimRight(line, " \n")+"\n", line, "trailing space")
		}
	}
}
