package recipes_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/test/engines/cluster"
)

// What "uid code" prints takes UIDs apart as Parse does, and finds the first UID of their time.
func TestCode(t *testing.T) {
	command := filepath.Join(t.TempDir(), "uid")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", command, "../cmd/uid").CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, layout := range []string{
		"default", "twitter", "discord", "javascript", "45/8/10 unit=10us epoch=2020-01-01T00:00:00.000001Z",
		"50/0/13 unit=64ns", "41ms/8/10 epoch=1970-01-01T00:00:00Z fields=rack-a:4,host:4",
	} {
		l := bits.MustParseLayout(layout)
		var uids []uid.UID
		for range 10 {
			at := l.Epoch().Add(time.Duration(rand.Int64N(int64(min(8*365*24*time.Hour, l.Expires().Sub(l.Epoch()))))))
			worker, sequence := rand.Int64N(l.MaxWorkerID()+1), rand.Int64N(l.MaxSequence()+1)
			uids = append(uids, must(l.Compose(l.TickAt(at), worker, sequence)))
		}
		for language, run := range runners {
			t.Run(language+" "+layout, func(t *testing.T) {
				t.Parallel()
				cmd := exec.CommandContext(t.Context(), command, "code", "--for", language, "--layout", layout)
				code := string(must(cmd.Output()))
				for i, got := range run(t, code, uids) {
					want := must(l.Parse(uids[i]))
					parts := map[string]int64{"sequence": want.Sequence, "worker": want.WorkerID}
					if l.WorkerBits() == 0 || want.Fields != "" {
						delete(parts, "worker")
					}
					for name, value := range want.Machine() {
						parts[strings.ReplaceAll(name, "-", "_")] = value
					}
					require.Equal(t, want.Time.Truncate(got.precision), got.at, "%d: %v", uids[i], want)
					require.Equal(t, parts, got.parts)
					if l.Unit() >= got.precision {
						require.Equal(t, must(l.First(want.Time)), got.first)
					}
				}
			})
		}
	}
}

// A result is what another language has made of a UID.
type result struct {
	at        time.Time
	precision time.Duration // of that language's times
	parts     map[string]int64
	first     uid.UID
}

// runners run code of a language for some UIDs.
var runners = map[string]func(t *testing.T, code string, uids []uid.UID) []result{
	"js": func(t *testing.T, code string, uids []uid.UID) []result {
		return script(t, uids, time.Millisecond, "uid.js", code+`
for (const id of process.argv.slice(2)) {
  const {time, ...parts} = parseUID(id);
  console.log(JSON.stringify({...parts, at: time.getTime() * 1000, first: "" + firstUID(time)}));
}`, must(cluster.Find("nodejs", "node")))
	},
	"python": func(t *testing.T, code string, uids []uid.UID) []result {
		return script(t, uids, time.Microsecond, "uid.py", code+`
import json, sys
for id in sys.argv[1:]:
    parts = parse_uid(int(id))
    time = parts.pop("time")
    epoch = datetime(1970, 1, 1, tzinfo=timezone.utc)
    print(json.dumps({**parts, "at": (time - epoch) // timedelta(microseconds=1), "first": str(first_uid(time))}))
`, must(cluster.Find("python3", "python3")))
	},
	"java": func(t *testing.T, code string, uids []uid.UID) []result {
		java, err := exec.LookPath("java")
		if err != nil {
			t.Skip("no Java is installed")
		}
		code = strings.TrimSuffix(strings.TrimSpace(code), "}") + `
    public static void main(String[] ids) throws Exception {
        for (String id : ids) {
            UID u = parse(Long.parseLong(id));
            StringBuilder all = new StringBuilder("{");
            for (var c : UID.class.getRecordComponents())
                if (!c.getName().equals("time"))
                    all.append("\"" + c.getName() + "\":" + c.getAccessor().invoke(u) + ",");
            System.out.println(all + "\"at\":" + ChronoUnit.MICROS.between(Instant.EPOCH, u.time()) +
                ",\"first\":\"" + first(u.time()) + "\"}");
        }
    }
}`
		return script(t, uids, time.Microsecond, "UID.java", code, java)
	},
	"mysql": func(t *testing.T, code string, uids []uid.UID) []result {
		server := cluster.Shared(t)
		cfg := server.Config(server.NewDatabase(t))
		cfg.ParseTime = true
		return query(t, "mysql", cfg.FormatDSN(), code, uids)
	},
	"postgres": func(t *testing.T, code string, uids []uid.UID) []result {
		return query(t, "pgx", cluster.SharedPostgres(t).NewDatabase(t), code, uids)
	},
}

// script runs a program that prints a line of JSON for each UID.
func script(t *testing.T, uids []uid.UID, precision time.Duration, name, code, interpreter string) (results []result) {
	file := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(file, []byte(code), 0o600))
	cmd := exec.CommandContext(t.Context(), interpreter, file)
	for _, u := range uids {
		cmd.Args = append(cmd.Args, u.String())
	}
	cmd.Stderr = os.Stderr
	for line := range strings.Lines(string(must(cmd.Output()))) {
		var all map[string]json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(line), &all))
		r := result{precision: precision, parts: map[string]int64{}}
		for name, value := range all {
			switch name {
			case "at":
				r.at = time.UnixMicro(number(t, value)).UTC()
			case "first":
				require.NoError(t, json.Unmarshal(value, &r.first))
			default:
				r.parts[name] = number(t, value)
			}
		}
		results = append(results, r)
	}
	require.Len(t, results, len(uids))
	return results
}

func number(t *testing.T, value json.RawMessage) (n int64) {
	require.NoError(t, json.Unmarshal(value, &n))
	return n
}

// query runs both statements on a table of the UIDs.
func query(t *testing.T, driver, source, code string, uids []uid.UID) (results []result) {
	db := must(sql.Open(driver, source))
	t.Cleanup(func() { db.Close() })
	exec := func(statement string) { _, err := db.ExecContext(t.Context(), statement); require.NoError(t, err) }
	exec("CREATE TABLE orders (id BIGINT PRIMARY KEY)")
	for _, u := range uids {
		exec(fmt.Sprintf("INSERT INTO orders VALUES (%d)", u))
	}
	parse, first, _ := strings.Cut(code, ";\n")
	for _, u := range uids {
		one := strings.Replace(parse, "FROM orders", fmt.Sprintf("FROM orders WHERE id = %d", u), 1)
		rows := must(db.QueryContext(t.Context(), one))
		names := must(rows.Columns())
		r := result{precision: time.Microsecond, parts: map[string]int64{}}
		values := make([]int64, len(names))
		into := []any{&values[0], &r.at}
		for i := range values[2:] {
			into = append(into, &values[2+i])
		}
		require.True(t, rows.Next())
		require.NoError(t, rows.Scan(into...))
		require.NoError(t, rows.Close())
		for i, name := range names[2:] {
			r.parts[strings.ReplaceAll(name, "-", "_")] = values[2+i]
		}
		r.at = r.at.UTC()
		// The first UID of the time, by which the statement selects, as a number.
		bound := first[strings.Index(first, "id >= ")+len("id >= "):]
		bound = strings.Replace(strings.TrimSuffix(strings.TrimSpace(bound), ";"), "2026-11-21 09:00:00",
			r.at.Format("2006-01-02 15:04:05.999999"), 1)
		require.NoError(t, db.QueryRowContext(t.Context(), "SELECT "+bound).Scan(&r.first))
		results = append(results, r)
	}
	exec("DROP TABLE orders")
	return results
}
