package main

const (
	uidFormatGo = "uid_format.go"
	numberGo    = "number.go"
	alphabetGo  = "form/alphabet.go"
	base32Go    = "form/base32.go"
	uuidGo      = "form/uuid.go"
	formJSONGo  = "form/json.go"
	idGo        = "form/id.go"
)

// forms are faults of the forms of a UID: what is written that is not to be, and texts that are read
// though no form writes them.
var forms = []mutant{
	{
		name: "hexadecimal is that of the text", file: uidFormatGo,
		from: "fmt.Fprintf(s, fmt.FormatString(s, verb), int64(u))",
		to:   "fmt.Fprintf(s, fmt.FormatString(s, verb), u.String())", tests: "^TestFormat",
	},
	{
		name: "a width is lost", file: uidFormatGo,
		from: "fmt.Fprintf(s, fmt.FormatString(s, verb), u.String())",
		to:   "fmt.Fprint(s, u.String())", tests: "^TestFormat",
	},
	{
		name: "a negative Number is written", file: numberGo,
		from: "if n < 0 {",
		to:   "if false {", tests: "^TestNumberJSONRange$",
	},
	{
		name: "a Number beyond 53 bits is written", file: numberGo,
		from: "if n > MaxNumber {",
		to:   "if n > MaxNumber+1 {", tests: "^TestNumberJSONRange$",
	},
	{
		name: "a Number beyond 53 bits is read", file: numberGo,
		from: "if err != nil || u > UID(MaxNumber) {",
		to:   "if err != nil || u > UID(MaxNumber)+1 {", tests: "^TestNumberUnmarshalJSON$",
	},
	{
		name: "a Number beyond 63 bits is read", file: numberGo,
		from: "if err != nil || u > UID(MaxNumber) {",
		to:   "if u > UID(MaxNumber) {", tests: "^TestNumberUnmarshalJSON$",
	},
	{
		name: "a string is read as a Number", file: numberGo,
		from: "u, err := parse(data)",
		to:   "var u UID\n\terr := u.UnmarshalJSON(data)", tests: "^TestNumberUnmarshalJSON$",
	},
	{
		name: "a byte that is no digit counts", file: alphabetGo,
		from: "if a.values[text[i]] == noDigit {",
		to:   "if false {", tests: "Refuses$",
	},
	{
		name: "bytes beyond ASCII are the first digit", file: alphabetGo,
		from: "for b := range a.values {",
		to:   "for b := range a.values[:128] {", tests: "Refuses$",
	},
	{
		name: "an empty text is a number", file: alphabetGo,
		from: `if text == "" {`,
		to:   "if false {", tests: "^TestRadixRefuses$",
	},
	{
		name: "zeros may be in front", file: alphabetGo,
		from: "if text[0] == a.digits[0] && len(text) > 1 {",
		to:   "if false {", tests: "^TestRadix$",
	},
	{
		name: "zero has no text", file: alphabetGo,
		from: "if text[0] == a.digits[0] && len(text) > 1 {",
		to:   "if text[0] == a.digits[0] {", tests: "^TestRadix$",
	},
	{
		name: "64 bits wrap", file: alphabetGo,
		from: "if n > most {",
		to:   "if n > most && false {", tests: "^TestRadixRange$",
	},
	{
		name: "64 bits wrap by one digit", file: alphabetGo,
		from: "if n > most {",
		to:   "if n > 2*most {", tests: "^TestRadixRange$",
	},
	{
		name: "the largest numbers are refused", file: alphabetGo,
		from: "if n > most {",
		to:   "if n >= most {", tests: "^TestRadix",
	},
	{
		name: "2^63 is a UID", file: alphabetGo,
		from: "if n > uint64(uid.Max) {",
		to:   "if n > uint64(uid.Max)+1 {", tests: "^TestRadixRange$",
	},
	{
		name: "a negative UID is appended", file: alphabetGo,
		from: "	if u < 0 {\n		return b, negativeError(u)\n",
		to:   "	if false {\n		return b, negativeError(u)\n", tests: "^TestNegative$",
	},
	{
		name: "a minus sign is forgotten", file: alphabetGo,
		from: "return append(b, '-'), -uint64(u)",
		to:   "return b, -uint64(u)", tests: "^TestNegative$",
	},
	{
		name: "base32 may be longer", file: base32Go,
		from: "if len(s) != Base32Len {",
		to:   "if len(s) < Base32Len {", tests: "^TestParseBase32Refuses$",
	},
	{
		name: "base32 may be shorter", file: base32Go,
		from: "if len(s) != Base32Len {",
		to:   "if len(s) == 0 || len(s) > Base32Len {", tests: "^TestParseBase32Refuses$",
	},
	{
		name: "base32 may have any character", file: base32Go,
		from: "if err := check(crockford, s); err != nil {",
		to:   "if err := check(crockford, s); err != nil && false {", tests: "^TestParseBase32Refuses$",
	},
	{
		name: "base32 may be above the largest UID", file: base32Go,
		from: "if s[0] > '7' {",
		to:   "if s[0] > '8' {", tests: "^TestParseBase32Refuses$",
	},
	{
		name: "base32 loses the largest UIDs", file: base32Go,
		from: "if s[0] > '7' {",
		to:   "if s[0] >= '7' {", tests: "^TestBase32$",
	},
	{
		name: "a negative UID is appended in base32", file: base32Go,
		from: "if u < 0 {",
		to:   "if false {", tests: "^TestNegative$",
	},
	{
		name: "a namespace has no name", file: uuidGo,
		from: `if name == "" {`,
		to:   "if false {", tests: "^TestNamespace$",
	},
	{
		name: "the zero Namespace makes UUIDs", file: uuidGo,
		from: "	if n.name == \"\" {\n		return UUID{}, noNamespace()",
		to:   "	if false {\n		return UUID{}, noNamespace()", tests: "^TestNamespace$",
	},
	{
		name: "the zero Namespace makes UIDs", file: uuidGo,
		from: "	if n.name == \"\" {\n		return 0, noNamespace()",
		to:   "	if false {\n		return 0, noNamespace()", tests: "^TestNamespace$",
	},
	{
		name: "a negative UID has a UUID", file: uuidGo,
		from: "if u < 0 {",
		to:   "if false {", tests: "^TestNamespace$",
	},
	{
		name: "a UUID of any version turns back", file: uuidGo,
		from: "v != version {",
		to:   "false {\n\t\t_ = v", tests: "^Test(UIDRefuses|UUIDOneForEachUID)",
	},
	{
		name: "a UUID of any variant turns back", file: uuidGo,
		from: "v != variant {",
		to:   "false {\n\t\t_ = v", tests: "^Test(UIDRefuses|UUIDOneForEachUID)",
	},
	{
		name: "a UUID of any namespace turns back", file: uuidGo,
		from: "b != n.bits {",
		to:   "false {\n\t\t_ = b", tests: "^Test(UIDRefuses|UUIDOneForEachUID)",
	},
	{
		name: "a bit of the namespace does not count", file: uuidGo,
		from: "b != n.bits {",
		to:   "b>>1 != n.bits>>1 {", tests: "^TestUUIDOneForEachUID$",
	},
	{
		name: "a UUID is as long as it likes", file: uuidGo,
		from: "if len(s) != uuidLen {",
		to:   "if len(s) < uuidLen {", tests: "^TestParseUUIDRefuses$",
	},
	{
		name: "any byte is a hyphen", file: uuidGo,
		from: "if c != '-' {",
		to:   "if false {", tests: "^TestParseUUIDRefuses$",
	},
	{
		name: "g is hexadecimal", file: uuidGo,
		from: "case 'a' <= c && c <= 'f':",
		to:   "case 'a' <= c && c <= 'g':", tests: "^TestParseUUIDRefuses$",
	},
	{
		name: "capitals are hexadecimal", file: uuidGo,
		from: "case 'a' <= c && c <= 'f':\n",
		to:   "case 'A' <= c && c <= 'F':\n\t\t\tc -= 'A' - 10\n\t\tcase 'a' <= c && c <= 'f':\n", tests: "^TestParseUUIDRefuses$",
	},
	{
		name: "any number of bytes is a UUID", file: uuidGo,
		from: "if len(v) == len(x) {",
		to:   "if len(v) >= len(x) && len(v) < uuidLen {", tests: "^TestUUIDScan$",
	},
	{
		name: "a text may begin without a quote", file: formJSONGo,
		from: `data[0] != '"' || `,
		to:   "", tests: "^Test(UUIDJSON|IDUnmarshalJSONRefuses)$",
	},
	{
		name: "a text may end without a quote", file: formJSONGo,
		from: ` || data[n-1] != '"'`,
		to:   "", tests: "^Test(UUIDJSON|IDUnmarshalJSONRefuses)$",
	},
	{
		name: "one quote is a text", file: formJSONGo,
		from: "n < 2 || ",
		to:   "", tests: "^Test(UUIDJSON|IDUnmarshalJSONRefuses)$",
	},
	{
		name: "null is no text", file: formJSONGo,
		from: `if string(data) == "null" {`,
		to:   "if false {", tests: "^Test(UUIDJSON|IDUnmarshalJSONRefuses)$",
	},
	{
		name: "the prefix is not compared", file: idGo,
		from: "string(s[:n]) != prefix || ",
		to:   "", tests: "^TestParseIDRefuses$",
	},
	{
		name: "any byte follows the prefix", file: idGo,
		from: "string(s[:n]) != prefix || s[n] != '_' {",
		to:   "string(s[:n]) != prefix {", tests: "^TestParseIDRefuses$",
	},
	{
		name: "a text may end where the prefix does", file: idGo,
		from: "if len(s) <= n || ",
		to:   "if len(s) < n || ", tests: "^TestParseIDRefuses$",
	},
	{
		name: "an ID is read with any prefix", file: idGo,
		from: "	if err := checkPrefix(prefix); err != nil {\n		return 0, err\n",
		to:   "	if err := checkPrefix(prefix); err != nil && false {\n		return 0, err\n", tests: "^TestPrefixes$",
	},
	{
		name: "an ID is written with any prefix", file: idGo,
		from: "	if err := checkPrefix(prefix); err != nil {\n		return b, err\n",
		to:   "	if err := checkPrefix(prefix); err != nil && false {\n		return b, err\n", tests: "^TestPrefixes$",
	},
	{
		name: "String writes any prefix", file: idGo,
		from: "if checkPrefix(prefix) != nil {",
		to:   "if len(prefix) > maxPrefix {", tests: "^TestPrefixes$",
	},
	{
		name: "a prefix may be empty", file: idGo,
		from: "if n == 0 || n > maxPrefix {",
		to:   "if n > maxPrefix {", tests: "^TestPrefixes$",
	},
	{
		name: "a prefix may be too long", file: idGo,
		from: "if n == 0 || n > maxPrefix {",
		to:   "if n == 0 || n > maxPrefix+1 {", tests: "^TestPrefixes$",
	},
	{
		name: "a prefix may be of any characters", file: idGo,
		from: "!('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_')",
		to:   "c == ' '", tests: "^TestPrefixes$",
	},
	{
		name: "a prefix may end with an underscore", file: idGo,
		from: "if prefix[n-1] == '_' {",
		to:   "if false {", tests: "^TestPrefixes$",
	},
	{
		name: "a negative ID is written", file: idGo,
		from: "if id < 0 {",
		to:   "if false {", tests: "^TestNegativeID$",
	},
	{
		name: "NULL in bytes is an empty text", file: idGo,
		from: "if v == nil {",
		to:   "if false {", tests: "^TestIDScanRefuses$",
	},
	{
		name: "a failed parse changes an ID", file: idGo,
		from: "	v, err := parseID[P](text)\n	if err != nil {\n		return err\n	}\n	*id = v\n",
		to:   "	v, err := parseID[P](text)\n	*id = v\n	if err != nil {\n		return err\n	}\n", tests: "^TestParseIDRefuses$",
	},
	{
		name: "a failed scan changes an ID", file: idGo,
		from: "			parsed, err := parseID[P](v)\n",
		to:   "			parsed, err := parseID[P](v)\n			*id = parsed\n", tests: "^TestIDScanRefuses$",
	},
}
