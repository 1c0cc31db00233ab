package main

const (
	leaseJSONGo  = "internal/leasejson/leasejson.go"
	jsonFaultGo  = "internal/leasejson/fault.go"
	jsonStrictGo = "internal/leasejson/strict.go"
)

// leaseJSON are faults of the texts that stores of keys keep.
var leaseJSON = []mutant{
	{
		name: "stored texts that lack something are read", file: jsonStrictGo,
		from: "string(again) != s", to: "string(again) == \"\"", tests: "ParseRefuses",
	},
	{
		name: "stored texts of newer versions are read", file: jsonStrictGo,
		from: "case head.Version > version:", to: "case false:", tests: "ParseRefuses",
	},
	{
		name: "stored texts of no version are read", file: jsonStrictGo,
		from: "case head.Version < version:", to: "case false:", tests: "ParseRefuses",
	},
	{
		name: "an error names a field that is not known", file: jsonStrictGo,
		from: `errors.New("it has a field that is not known")`, to: "err", tests: "ParseRefuses",
	},
	{
		name: "stored numbers that no worker has are read", file: leaseJSONGo,
		from: "if fault := v.fault(); fault != \"\" {\n\t\treturn v,", to: "if fault := v.fault(); false {\n\t\treturn v,", tests: "Faults",
	},
	{
		name: "numbers that could not be read are written", file: leaseJSONGo,
		from: "if fault := v.fault(); fault != \"\" {\n\t\treturn \"\",", to: "if fault := v.fault(); false {\n\t\treturn \"\",", tests: "Faults",
	},
	{
		name: "times before 1970 or after 9999 are written", file: leaseJSONGo,
		from: "if at.Before(clock(0)) || !at.Before(latest) {", to: "if false {", tests: "Faults",
	},
	{
		name: "texts that are not UTF-8 are written", file: leaseJSONGo,
		from: "if !utf8.ValidString(s) {", to: "if false && !utf8.ValidString(s) {", tests: "UTF8",
	},
	{
		name: "a row's last tick is below all ticks", file: jsonFaultGo,
		from: "if v.High < -1 {", to: "if false {", tests: "Faults",
	},
	{
		name: "a namespace's floor is below all ticks", file: jsonFaultGo,
		from: "case v.Floor < -1:", to: "case false:", tests: "Faults",
	},
	{
		name: "a range of worker IDs ends before it begins", file: jsonFaultGo,
		from: "|| v.Last < v.First:", to: ":", tests: "Faults",
	},
	{
		name: "a range of worker IDs begins below 0", file: jsonFaultGo,
		from: "case v.First < 0 ||", to: "case", tests: "Faults",
	},
	{
		name: "a stored time is before 1970", file: jsonFaultGo,
		from: "if micros < 0 || micros >= latest", to: "if micros >= latest", tests: "Faults",
	},
	{
		name: "a stored time is after 9999", file: jsonFaultGo,
		from: "if micros < 0 || micros >= latest.UnixMicro() {", to: "if micros < 0 {", tests: "Faults",
	},
	{
		name: "a stored reach is negative", file: jsonFaultGo,
		from: "micros < 0 || micros > most {", to: "micros > most {", tests: "Faults",
	},
	{
		name: "a stored reach is longer than a duration", file: jsonFaultGo,
		from: "micros < 0 || micros > most {", to: "micros < 0 {", tests: "Faults",
	},
}
