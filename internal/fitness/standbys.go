package fitness

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// lackingStandby says why a standby can lack a commit that was acknowledged; "" if none of those can
// that setting, synchronous_standby_names, lists. connected are the names of those that are connected.
func lackingStandby(setting string, connected []string) string {
	if setting == "" {
		if len(connected) == 0 {
			return ""
		}
		return fmt.Sprintf("%d standbys are connected asynchronously: "+
			"one of them lacks the newest commits when it takes over", len(connected))
	}
	confirm, listed := parseStandbys(setting)
	const lacks = ": another one lacks the newest commits when it takes over"
	if listed["*"] {
		return fmt.Sprintf("synchronous_standby_names names no standby but * (any), "+
			"and %d of them must have a commit%s", confirm, lacks)
	}
	if len(listed) > confirm {
		return fmt.Sprintf("synchronous_standby_names lists %d standbys, and %d of them must have a commit%s",
			len(listed), confirm, lacks)
	}
	n := 0 // two may have one name
	for _, name := range connected {
		if listed[strings.ToLower(name)] {
			n++
		}
	}
	if n > confirm {
		return fmt.Sprintf("%d standbys are connected under the names that synchronous_standby_names lists, "+
			"and %d of them must have a commit%s", n, confirm, lacks)
	}
	return ""
}

// confirmations matches a setting that says how many standbys have to confirm.
var confirmations = regexp.MustCompile(`(?is)^\s*(?:(?:FIRST|ANY)\s+)?(\d+)\s*\((.*)\)\s*$`)

// standbyName matches the next name of a list.
var standbyName = regexp.MustCompile(`"((?:[^"]|"")*)"|[^\s,"]+`)

// parseStandbys returns how many standbys have to confirm a commit, and the names of those that can,
// in lower case: the server does not tell them apart by case. The server has accepted the setting.
func parseStandbys(setting string) (confirm int, listed map[string]bool) {
	confirm = 1
	if m := confirmations.FindStringSubmatch(setting); m != nil {
		confirm, _ = strconv.Atoi(m[1])
		setting = m[2]
	}
	listed = map[string]bool{}
	for _, m := range standbyName.FindAllStringSubmatch(setting, -1) {
		name := m[0]
		if strings.HasPrefix(name, `"`) {
			name = strings.ReplaceAll(m[1], `""`, `"`)
		}
		listed[strings.ToLower(name)] = true
	}
	return confirm, listed
}
