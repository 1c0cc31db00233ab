package redis

// IsWrite reports whether a command is a script that writes: it has the history that was read.
func IsWrite(args []any) bool {
	if len(args) < 3 || args[0] != "eval" && args[0] != "evalsha" ||
		args[1] == inspectScript.hash || args[1] == namesScript.hash {
		return false
	}
	keys, is := args[2].(int)
	return is && len(args) > 3+keys && args[3+keys] != ""
}
