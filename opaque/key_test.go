package opaque

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"log"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
)

// TestSecretsDoNotShow looks for a key in all that is printed, logged and encoded of the values that
// have one.
func TestSecretsDoNotShow(t *testing.T) {
	canary := Secret("c4n4ry-s3cr3t-k3")
	key := Key{Number: 7, Secret: canary}
	cfg := Config{Keys: []Key{key}, Current: 7, Tweak: "orders"}
	s := must(New(cfg))
	text := must(s.Seal(1))

	var said bytes.Buffer
	values := map[string]any{
		"secret": canary, "key": key, "*key": &key, "keys": cfg.Keys, "config": cfg, "*config": &cfg,
		"sealer": s, "*sealer": *s, "within": struct{ S *Sealer }{s},
		"map": map[string]Secret{"key": canary}, "any": []any{key, s},
	}
	loggers := []*slog.Logger{slog.New(slog.NewTextHandler(&said, nil)), slog.New(slog.NewJSONHandler(&said, nil))}
	for name, v := range values {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "% x", "%#x", "%d", "%o", "%b", "%c",
			"%U", "%t", "%10.3v", "%T", "%!"} {
			fmt.Fprintf(&said, verb+"\n", v)
		}
		fmt.Fprintln(&said, v)
		log.New(&said, "", 0).Print(v)
		for _, l := range loggers {
			l.Info("made", name, v, slog.Group("group", "value", v))
		}
		for _, encode := range []func(any) ([]byte, error){json.Marshal, xml.Marshal} {
			if b, err := encode(v); err == nil {
				said.Write(b)
			}
		}
	}
	// And in the errors of what is wrong with them.
	wrong := []error{fmt.Errorf("%w: %v, %+v, %#v", uid.ErrConfig, key, cfg, s)}
	for _, cfg := range []Config{
		{Keys: []Key{key, key}, Current: 7}, {Keys: []Key{key, {8, canary}}, Current: 7}, {Keys: []Key{{40, canary}}},
		{Keys: []Key{key}}, {Keys: []Key{{7, canary[:15]}}}, {Keys: []Key{{7, append(canary, "more"...)}}},
		{Keys: []Key{key}, Current: 7, Tweak: strings.Repeat("x", 256)},
	} {
		_, err := New(cfg)
		require.Error(t, err)
		wrong = append(wrong, err)
	}
	_, err := s.Open("2" + text[1:])
	require.ErrorIs(t, err, ErrUnknownKey)
	wrong = append(wrong, err)
	for _, text := range []string{
		"7:" + string(canary), string(canary), hex.EncodeToString(canary), "x:" + hex.EncodeToString(canary),
		"7:" + hex.EncodeToString(canary) + "0", "256:" + hex.EncodeToString(canary), "7=" + hex.EncodeToString(canary),
	} {
		_, err := ParseSealer(text, "")
		require.Error(t, err)
		wrong = append(wrong, err)
	}
	for _, err := range wrong {
		fmt.Fprintf(&said, "%v %+v %#v\n", err, err, err)
	}

	require.Contains(t, said.String(), "[16 secret bytes]")
	require.Contains(t, said.String(), `opaque.Sealer of "orders", keys 7, current 7`)
	for _, form := range []string{
		string(canary), "c4n4ry", hex.EncodeToString(canary)[:12], strings.ToUpper(hex.EncodeToString(canary))[:12],
		base64.StdEncoding.EncodeToString(canary)[:12],
		strings.Trim(fmt.Sprint([]byte(canary[:6])), "[]"),            // as %d
		fmt.Sprintf("% x", []byte(canary[:6])),                        //
		strings.Trim(fmt.Sprintf("%#v", []byte(canary[:4])), "}")[7:], // as %#v
	} {
		require.NotContains(t, said.String(), form)
	}
}

func TestParseKeys(t *testing.T) {
	sixteen, thirtyTwo := hex.EncodeToString(counting(16)), strings.ToUpper(hex.EncodeToString(counting(32)))
	both := []Key{{2, counting(32)}, {1, counting(16)}}
	require.Equal(t, both, must(parseKeys("2:"+thirtyTwo+"\n1:"+sixteen+"\r\n")))

	for _, text := range []string{
		"", " \n", "1", "1:", ":", "x", sixteen, ":" + sixteen, "1:" + sixteen[1:], "1:x" + sixteen[1:],
		"-1:" + sixteen,
		"256:" + sixteen, "1 :" + sixteen, "1:" + sixteen + ",2:" + thirtyTwo, "# a key\n1:" + sixteen,
	} {
		keys, err := parseKeys(text)
		if err == nil { // no bytes at all are for New to refuse
			require.Equal(t, "1:", text)
			_, err = New(Config{Keys: keys, Current: 1})
			require.ErrorIs(t, err, uid.ErrConfig)
			continue
		}
		require.ErrorIs(t, err, uid.ErrSyntax, text)
		require.Nil(t, keys)
	}
	_, err := parseKeys("1:" + sixteen + " 2")
	require.ErrorContains(t, err, "word 2 of 2 is no key")
}
