package main

const segmentJSONGo = "internal/segmentjson/segmentjson.go"

// segmentJSON are faults of the texts of segments' rows.
var segmentJSON = []mutant{
	{
		name: "segmentjson: a text of nothing is read", file: segmentJSONGo,
		from: "if r.Writes, r.Floor = v.Writes, v.Floor; r.Writes == 0", to: "if r.Writes, r.Floor = v.Writes, v.Floor; false", tests: "UnmarshalRefuses",
	},
	{
		name: "segmentjson: takers that no row can have are read", file: segmentJSONGo,
		from: "	return r.CheckTakers()\n", to: "	return nil\n", tests: "UnmarshalRefuses",
	},
	{
		name: "segmentjson: takers that no row can have are written", file: segmentJSONGo,
		from: "err != nil || r.Writes == 0 &&", to: "r.Writes == 0 &&", tests: "MarshalRefuses",
	},
	{
		name: "segmentjson: a row that is not there is written", file: segmentJSONGo,
		from: "if r.Fresh {", to: "if false {", tests: "MarshalRefuses",
	},
	{
		name: "segmentjson: what is no row is written", file: segmentJSONGo,
		from: "if err := r.Check(); err != nil {\n\t\treturn \"\", err", to: "if err := r.Check(); false {\n\t\treturn \"\", err", tests: "MarshalRefuses",
	},
	{
		name: "segmentjson: what is no row is read", file: segmentJSONGo,
		from: "if err := r.Check(); err != nil {\n\t\treturn segment.Row{}, err", to: "if err := r.Check(); false {\n\t\treturn segment.Row{}, err", tests: "UnmarshalRefuses",
	},
	{
		name: "segmentjson: a description that is not UTF-8 is written", file: segmentJSONGo,
		from: "if !utf8.ValidString(r.Description) {", to: "if !utf8.ValidString(\"\") {", tests: "MarshalRefuses",
	},
	{
		name: "segmentjson: no list of takers is read", file: segmentJSONGo,
		from: "if l == nil {", to: "if false {", tests: "UnmarshalRefuses",
	},
	{
		name: "segmentjson: a taker's number may be written in any way", file: segmentJSONGo,
		from: "err != nil || strconv.FormatInt(last, 10) != number {", to: "err != nil {", tests: "UnmarshalRefuses",
	},
	{
		name: "segmentjson: a floor alone is not written", file: segmentJSONGo,
		from: "r.Writes == 0 && r.Floor == 0 && len(r.Takers) == 0 {\n\t\treturn \"\", err", to: "len(r.Takers) == 0 {\n\t\treturn \"\", err", tests: "TestTexts",
	},
	{
		name: "segmentjson: a time that nobody can have written is read", file: segmentJSONGo,
		from: "if !datable(v.Updated) {\n\t\t\treturn segment.Row{}", to: "if false {\n\t\t\treturn segment.Row{}", tests: "UnmarshalRefuses",
	},
	{
		name: "segmentjson: a time that cannot be read is written", file: segmentJSONGo,
		from: "if !datable(v.Updated) {\n\t\t\treturn \"\"", to: "if false {\n\t\t\treturn \"\"", tests: "MarshalRefuses",
	},
	{
		name: "segmentjson: rows may have any form", file: segmentJSONGo,
		from: "var v row\n\tif err := leasejson.Strict(s, version, &v);", to: "var v row\n\tif err := json.Unmarshal([]byte(s), &v);", tests: "UnmarshalRefuses",
	},
	{
		name: "segmentjson: takers may have any form", file: segmentJSONGo,
		from: "var v takers\n\tif err := leasejson.Strict(s, version, &v);", to: "var v takers\n\tif err := json.Unmarshal([]byte(s), &v);", tests: "UnmarshalRefuses",
	},
}
