package main

const (
	ff1Go     = "opaque/ff1.go"
	cipherGo  = "opaque/cipher.go"
	sealerGo  = "opaque/sealer.go"
	keyGo     = "opaque/key.go"
	sealingGo = "cmd/uid/sealing.go"
	sealGo    = "cmd/uid/seal.go"
)

// opaques are faults in how UIDs are sealed and opened, and in how keys are kept.
var opaques = []mutant{
	{
		name: "FF1 has eight rounds, as FF3", file: ff1Go,
		from: "const rounds = 10", to: "const rounds = 8", tests: "^TestSamples$",
	},
	{
		name: "a long tweak counts for its end only", file: ff1Go,
		from: "[][]byte{p, q[:last]}", to: "[][]byte{p}", tests: "^TestKnown$",
	},
	{
		name: "the end of a tweak does not count", file: ff1Go,
		from: "copy(q, tweak)", to: "copy(q, tweak[:len(tweak)/16*16])", tests: "^TestKnown$",
	},
	{
		name: "all rounds are alike", file: ff1Go,
		from: "f.low^i<<f.numberAt^b", to: "f.low^b", tests: "^TestSamples$",
	},
	{
		name: "rounds over long halves are alike", file: ff1Go,
		from: "f.high^i>>(64-f.numberAt)", to: "f.high", tests: "^TestTextbook$",
	},
	{
		name: "the halves are of the wrong size in turn", file: ff1Go,
		from: "sizes: [2]modulus{power(radix, u), power(radix, v)}",
		to:   "sizes: [2]modulus{power(radix, v), power(radix, v)}", tests: "^TestOneToOne$",
	},
	{
		name: "every number of values is taken for a power of two", file: ff1Go,
		from: "if m&(m-1) == 0 {", to: "if true {", tests: "^TestSamples$",
	},
	{
		name: "long halves get too few bytes", file: ff1Go,
		from: "d := 4*((b+3)/4) + 4", to: "d := 8", tests: "^TestSamples$",
	},
	{
		name: "opening adds what sealing has added", file: ff1Go,
		from: "b+uint64(m)-m.reduce(f.round(s, i, a))", to: "b+m.reduce(f.round(s, i, a))", tests: "^TestOneToOne$",
	},
	{
		name: "two calls share a block", file: ff1Go,
		from:  "New: func() any { return new([16]byte) }",
		to:    "New: func() any { return &shared }}\n\nvar shared [16]byte\n\nvar _ = sync.Pool{New: func() any { return nil }",
		tests: "^TestCipherConcurrently$",
	},
	{
		name: "a negative number is sealed", file: cipherGo,
		from: "if u < 0 {", to: "if false {", tests: "^TestNegativeNumbers$",
	},
	{
		name: "a negative number is opened", file: cipherGo,
		from: "if sealed < 0 {", to: "if false {", tests: "^TestNegativeNumbers$",
	},
	{
		name: "zeros are a key", file: cipherGo,
		from: "if !slices.ContainsFunc(secret, func(b byte) bool { return b != 0 }) {",
		to:   "if slices.Contains(secret, 255) {", tests: "^TestNewCipherRefuses$",
	},
	{
		name: "a key with a zero in it is none", file: cipherGo,
		from: "if !slices.ContainsFunc(secret, func(b byte) bool { return b != 0 }) {",
		to:   "if slices.Contains(secret, 0) {", tests: "^TestNewCipherRefuses$",
	},
	{
		name: "a tweak has any length", file: cipherGo,
		from: "if len(tweak) > MaxTweak {", to: "if false {", tests: "^TestNewCipherRefuses$",
	},
	{
		name: "the longest tweak is refused", file: cipherGo,
		from: "if len(tweak) > MaxTweak {", to: "if len(tweak) >= MaxTweak {", tests: "^TestKnown$",
	},
	{
		name: "a Cipher forgets its tweak", file: cipherGo,
		from: "newFF1(block, 2, uidBits, tweak)", to: `newFF1(block, 2, uidBits, "")`, tests: "^TestKnown$",
	},
	{
		name: "a UID is cut into other halves", file: cipherGo,
		from:  "{ return uint64(u) >> 32, uint64(uint32(u)) }\n\nfunc join(a, b uint64) uid.UID { return uid.UID(a<<32 | b) }",
		to:    "{ return uint64(u) >> 31 & (1<<31 - 1), uint64(u)>>62<<31 | uint64(u)&(1<<31-1) }\n\nfunc join(a, b uint64) uid.UID { return uid.UID(b>>31<<62 | a<<31 | b&(1<<31-1)) }",
		tests: "^TestKnown$",
	},
	{
		name: "a printed Cipher shows what it has", file: cipherGo,
		from: `fmt.Fprintf(f, "opaque.Cipher of %q", c.tweak)`, to: `fmt.Fprint(f, *c.ff1)`, tests: "^TestSecretsDoNotShow$",
	},
	{
		name: "key 0 is a key", file: sealerGo,
		from: "if k.Number < 1 ||", to: "if k.Number < 0 ||", tests: "^TestNewRefuses$",
	},
	{
		name: "a key's number has no end", file: sealerGo,
		from: "|| k.Number > MaxKeyNumber {", to: "|| k.Number > MaxKeyNumber+1 {", tests: "^TestNewRefuses$",
	},
	{
		name: "the last of two keys with one number counts", file: sealerGo,
		from: "if s.ciphers[k.Number] != nil {", to: "if false {", tests: "^TestNewRefuses$",
	},
	{
		name: "a key is changed to itself", file: sealerGo,
		from: "if bytes.Equal(k.Secret, other.Secret) {", to: "if false && bytes.Equal(k.Secret, other.Secret) {", tests: "^TestNewRefuses$",
	},
	{
		name: "the current key need not be there", file: sealerGo,
		from: "|| s.ciphers[cfg.Current] == nil {", to: "{", tests: "^TestNewRefuses$",
	},
	{
		name: "the current key is any number", file: sealerGo,
		from: "if cfg.Current < 1 || cfg.Current > MaxKeyNumber ||", to: "if", tests: "^TestNewRefuses$",
	},
	{
		name: "the first key seals, whatever is current", file: sealerGo,
		from: "s := &Sealer{current: cfg.Current,", to: "s := &Sealer{current: 1,", tests: "^TestRotation$",
	},
	{
		name: "a longer text is cut off", file: sealerGo,
		from: "if len(text) != TextLength {", to: "if text = text[:min(len(text), TextLength)]; len(text) != TextLength {", tests: "^TestOpenRefuses$",
	},
	{
		name: "a text names key 0, or none", file: sealerGo,
		from: "if number < 1 {", to: "number = max(0, number)\n\tif false {", tests: "^TestOpenRefuses$",
	},
	{
		name: "the current key opens what names another", file: sealerGo,
		from: "if c == nil {", to: "if c == nil {\n\t\tc = s.ciphers[s.current]\n\t}\n\tif false {", tests: "^TestOpenRefuses$",
	},
	{
		name: "a printed secret shows itself", file: keyGo,
		from: "{ fmt.Fprint(f, s.String()) }", to: "{ fmt.Fprint(f, string(s)) }", tests: "^TestSecretsDoNotShow$",
	},
	{
		name: "a logged secret shows itself", file: keyGo,
		from: "slog.StringValue(s.String())", to: "slog.StringValue(string(s))", tests: "^TestSecretsDoNotShow$",
	},
	{
		name: "an encoded secret shows itself", file: keyGo,
		from: "return []byte(s.String()), nil", to: "return []byte(s), nil", tests: "^TestSecretsDoNotShow$",
	},
	{
		name: "a key needs no number", file: keyGo,
		from: "if !found || err != nil ||", to: "if false && (!found || err != nil) ||", tests: "^TestParseKeys$",
	},
	{
		name: "a key may be cut off", file: keyGo,
		from: "|| err2 != nil {", to: "|| err2 != nil && len(b) == 0 {", tests: "^TestParseKeys$",
	},
	{
		name: "no keys are keys", file: keyGo,
		from: "if len(words) == 0 {", to: "if false {", tests: "^TestParseKeys$",
	},
	{
		name: "a number is opened by one of several keys", file: sealingGo,
		from: "if len(keys) > 1 {", to: "if false {", tests: "^TestSealBadInput$",
	},
	{
		name: "a key in the place of its file is shown", file: sealingGo,
		from: "case s.fileSet && likeKey.MatchString(s.file):", to: "case false:", tests: "^TestKeysDoNotShow$",
	},
	{
		name: "a key in the place of a UID is shown", file: sealingGo,
		from: "if likeKey.MatchString(word) {", to: "if false {", tests: "^TestKeysDoNotShow$",
	},
	{
		name: "the last key of the file seals", file: sealingGo,
		from: "Current: keys[0].Number", to: "Current: keys[len(keys)-1].Number", tests: "^TestSealGolden$",
	},
	{
		name: "what comes before a bad argument is sealed", file: "cmd/uid/words.go",
		from: "		all = append(all, v)\n", to: "		if err := show(v); err != nil {\n\t\t\treturn err\n\t\t}\n", tests: "^TestSealBadInput$",
	},
	{
		name: "a UID that is cut off is sealed", file: "cmd/uid/words.go",
		from: "if in.failed {", to: "if false {", tests: "^TestSealPipesThatFail$",
	},
	{
		name: "a new key overwrites another", file: sealGo,
		from: "os.O_CREATE|os.O_EXCL", to: "os.O_CREATE|os.O_TRUNC", tests: "^TestNewKey$",
	},
	{
		name: "everybody can read a new key", file: sealGo,
		from: "0o600", to: "0o644", tests: "^TestNewKey$",
	},
	{
		name: "all new keys are the same", file: sealGo,
		from: "rand.Read(secret)", to: "rand.Read(nil)\n\tsecret[0] = 1", tests: "^TestNewKey$",
	},
	{
		name: "a new key in the place of its file is a file", file: sealGo,
		from: "if likeKey.MatchString(c.newKey) {", to: "if false {", tests: "^TestKeysDoNotShow$",
	},
	{
		name: "a new key is made with UIDs unsealed", file: sealGo,
		from: "|| c.format != plain || len(args) > 0 {", to: "{", tests: "^TestSealBadInput$",
	},
}
