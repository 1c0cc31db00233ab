package redis

import "slices"

// Commands returns the commands that an account has to be allowed, in the lower case of ACL rules:
// on the keys that begin with the Prefix and a colon. A server from version 6 on makes such an
// account, for the default Prefix, with
//
//	ACL SETUSER uid on >password ~uid:* +eval +evalsha +info …
//
// Commands that scripts run are among them: servers check those, too.
func Commands() []string { return slices.Clone(commands) }

var commands = []string{
	"eval", "evalsha", "info", "time",
	"get", "set", "mset", "hget", "hset", "zadd", "zcard", "zrangebylex", "sadd", "smembers",
}
