package fitness

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/doctor"
)

func TestGalera(t *testing.T) {
	vars := settings{"wsrep_on": "ON", "wsrep_sync_wait": "1", "wsrep_trx_fragment_size": "0"}
	status := settings{
		"wsrep_cluster_status": "Primary", "wsrep_ready": "ON", "wsrep_cluster_size": "3",
		"wsrep_local_state_comment": "Synced", "wsrep_local_cert_failures": "7", "wsrep_local_bf_aborts": "2",
	}
	require.True(t, (&server{vars: vars}).isGalera())
	require.False(t, (&server{vars: settings{"wsrep_on": "OFF"}}).isGalera())
	require.False(t, (&server{}).isGalera())
	for _, tt := range []struct {
		name, value string
		what        string
		want        doctor.Level
		says        string
	}{
		{"", "", "certification", note, "7 commits of this node failed it, 2 of its"},
		{"", "", "Galera's durability", takeover, "AUTO_INCREMENT"},
		{"wsrep_cluster_status", "non-Primary", "wsrep_cluster_status", bad, "non-Primary, wsrep_ready ON"},
		{"wsrep_cluster_status", "Disconnected", "wsrep_cluster_status", bad, ""},
		{"wsrep_ready", "OFF", "wsrep_cluster_status", bad, "Primary, wsrep_ready OFF"},
		{"wsrep_local_state_comment", "Donor/Desynced", "wsrep_local_state_comment", warn, "Donor"},
		{"wsrep_cluster_size", "2", "wsrep_cluster_size", warn, "no majority"},
		{"wsrep_cluster_size", "1", "wsrep_cluster_size", warn, "No other node"},
		{"wsrep_sync_wait", "0", "wsrep_sync_wait", note, "0 (of this session)"},
		{"wsrep_sync_wait", "6", "wsrep_sync_wait", note, "6 (of this session)"},
		{"wsrep_trx_fragment_size", "1000", "wsrep_trx_fragment_size", warn, "1000"},
	} {
		t.Run(tt.name+tt.value, func(t *testing.T) {
			s := &server{vars: vars.with(settings{tt.name: tt.value}), status: status.with(settings{tt.name: tt.value})}
			rows, odd := s.galeraRows(),
				map[string]doctor.Level{"certification": note, "Galera's durability": takeover, tt.what: tt.want}
			checkRows(t, rows, tt.what, tt.want, tt.says)
			require.Len(t, doctor.Judge(rows...), 7)
			for _, f := range doctor.Judge(rows...) {
				if want, is := odd[f.What]; is {
					require.Equal(t, want, f.Level)
				} else {
					require.Equal(t, ok, f.Level, "%+v", f)
				}
			}
		})
	}
}
