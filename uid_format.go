package uid

import "fmt"

// Format implements fmt.Formatter: %s and %v print the decimal text, %q that text quoted, %#v Go syntax,
// uid.UID(180363646902239241), and the other verbs of integers the number, as fmt does.
func (u UID) Format(s fmt.State, verb rune) {
	format(s, verb, u, "uid.UID")
}

// format is Format for the UID and for the types made of it.
func format(s fmt.State, verb rune, u UID, typeName string) {
	switch verb {
	case 'v', 's', 'q':
		if verb == 'v' && s.Flag('#') {
			fmt.Fprintf(s, "%s(%d)", typeName, int64(u))
			return
		}
		fmt.Fprintf(s, fmt.FormatString(s, verb), u.String())
	case 'b', 'c', 'd', 'o', 'O', 'x', 'X', 'U':
		fmt.Fprintf(s, fmt.FormatString(s, verb), int64(u))
	default:
		fmt.Fprintf(s, "%%!%c(%s=%d)", verb, typeName, int64(u)) // as fmt reports a wrong verb
	}
}
