package redis

// Commands returns the commands that an account has to be allowed, those that scripts run among them, in the lower case
// of ACL rules; see the package's comment.
func Commands() []string {
	return []string{"eval", "evalsha", "info", "time", "get", "set", "mset", "hget", "hset", "zadd", "zcard",
		"zrangebylex", "sadd", "smembers"}
}
