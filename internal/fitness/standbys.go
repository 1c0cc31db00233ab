package fitness

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// lackingStandby says why a standby that takes over may lack a commit that was acknowledged; "" if none can. setting is
// synchronous_standby_names, connected the names of the standbys that are connected.
func lackingStandby(setting string, connected []string) string {
	confirm, listed := parseStandbys(setting)
	named := 0 // two may have one name
	for _, name := range connected {
		if listed[strings.ToLower(name)] {
			named++
		}
	}
	var which string
	switch {
	case setting == "" && len(connected) == 0:
		return ""
	case setting == "":
		return fmt.Sprintf("%d standbys are connected asynchronously: "+
			"one of them lacks the newest commits when it takes over", len(connected))
	case listed["*"]:
		which = "synchronous_standby_names names no standby but * (any)"
	case len(listed) > confirm:
		which = fmt.Sprintf("synchronous_standby_names lists %d standbys", len(listed))
	case named > confirm:
		which = fmt.Sprintf("%d standbys are connected under the names that synchronous_standby_names lists", named)
	default:
		return ""
	}
	return fmt.Sprintf("%s, and %d of them must have a commit: "+
		"another one lacks the newest commits when it takes over", which, confirm)
}

// confirmations matches a setting that has the number of standbys that must confirm.
var confirmations = regexp.MustCompile(`(?is)^\s*(?:(?:FIRST|ANY)\s+)?(\d+)\s*\((.*)\)\s*$`)

// standbyName matches the next name of a list.
var standbyName = regexp.MustCompile(`"((?:[^"]|"")*)"|[^\s,"]+`)

// parseStandbys returns how many standbys must confirm a commit, and the names of those that can, in lower case, as the
// server compares them. The server has accepted the setting.
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
