package sqldoctor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/worker/doctor"
)

func TestJudgeGalera(t *testing.T) {
	vars := database.Settings{"wsrep_on": "ON", "wsrep_sync_wait": "1", "wsrep_trx_fragment_size": "0"}
	status := database.Settings{
		"wsrep_cluster_status": "Primary", "wsrep_ready": "ON", "wsrep_local_state_comment": "Synced", "wsrep_cluster_size": "3",
		"wsrep_local_cert_failures": "7", "wsrep_local_bf_aborts": "2",
	}
	require.True(t, isGalera(vars))
	require.False(t, isGalera(database.Settings{"wsrep_on": "OFF"}))
	require.False(t, isGalera(database.Settings{}))
	sound := map[string]doctor.Level{"certification": doctor.LevelNote, "Galera's durability": doctor.LevelNote}
	for _, tt := range []struct {
		name, value string
		durable     bool
		disposable  bool
		what        string
		want        doctor.Level
		says        string
	}{
		{"", "", false, false, "certification", doctor.LevelNote, "7 commits of this node failed it, 2 of its"},
		{"", "", true, false, "Galera's durability", doctor.LevelError, "with Losses as it is"},
		{"", "", false, true, "Galera's durability", doctor.LevelWarn, "AUTO_INCREMENT"},
		{"", "", true, true, "Galera's durability", doctor.LevelError, "with Losses as it is"},
		{"wsrep_cluster_status", "non-Primary", false, false, "wsrep_cluster_status", doctor.LevelError, "non-Primary, wsrep_ready ON"},
		{"wsrep_cluster_status", "Disconnected", false, false, "wsrep_cluster_status", doctor.LevelError, ""},
		{"wsrep_ready", "OFF", false, false, "wsrep_cluster_status", doctor.LevelError, "Primary, wsrep_ready OFF"},
		{"wsrep_local_state_comment", "Donor/Desynced", false, false, "wsrep_local_state_comment", doctor.LevelWarn, "Donor"},
		{"wsrep_cluster_size", "2", false, false, "wsrep_cluster_size", doctor.LevelWarn, "no majority"},
		{"wsrep_cluster_size", "1", false, false, "wsrep_cluster_size", doctor.LevelWarn, "No other node"},
		{"wsrep_sync_wait", "0", false, false, "wsrep_sync_wait", doctor.LevelNote, "0 (of this session)"},
		{"wsrep_sync_wait", "6", false, false, "wsrep_sync_wait", doctor.LevelNote, "6 (of this session)"},
		{"wsrep_trx_fragment_size", "1000", false, false, "wsrep_trx_fragment_size", doctor.LevelWarn, "1000"},
	} {
		t.Run(tt.name+tt.value, func(t *testing.T) {
			v, s := database.Settings{}, database.Settings{}
			for name, value := range vars {
				v[name] = value
			}
			for name, value := range status {
				s[name] = value
			}
			if _, is := v[tt.name]; is {
				v[tt.name] = tt.value
			} else {
				s[tt.name] = tt.value
			}
			found := judgeGalera(v, s, tt.durable, tt.disposable)
			require.Len(t, found, 7)
			for _, f := range found {
				want := sound[f.What]
				if want == "" {
					want = doctor.LevelOK
				}
				if f.What == tt.what {
					checkFinding(t, f, tt.want, tt.says)
					continue
				}
				checkFinding(t, f, want)
			}
		})
	}
}
