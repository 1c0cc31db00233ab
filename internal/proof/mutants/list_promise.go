package main

const (
	promiseGo      = "internal/proof/promise/matrix_test.go"
	promiseSceneGo = "internal/proof/promise/scene_test.go"
	promiseProcGo  = "internal/proof/promise/process_test.go"
)

// promise is what the matrix of the promise has to notice: of itself, and, cell by cell, of
// the guards that it is about.
var promise = []mutant{
	{
		name: "the matrix marks nothing", file: promiseSceneGo,
		from: "		s.marks[u] = by\n", to: "", tests: "PromiseSeesDuplicates",
	},
	{
		name: "the matrix counts no duplicates", file: promiseSceneGo,
		from: "	s.duplicates++\n", to: "", tests: "PromiseSeesDuplicates",
	},
	{
		name: "the matrix does not mind duplicates", file: promiseGo,
		from: "			require.Zero(t, s.duplicates,", to: "			require.NotNil(t, s.duplicates,", tests: "PromiseJudges",
	},
	{
		name: "the matrix takes a verdict's word that duplicates come", file: promiseGo,
		from: "		require.NotZero(t, found,", to: "		require.NotNil(t, found,", tests: "PromiseJudges",
	},
	{
		name: "the matrix is content with nothing drawn", file: promiseGo,
		from: "		require.NotEmpty(t, s.marks,", to: "		require.NotNil(t, s.marks,", tests: "PromiseJudges",
	},
	{
		name: "the matrix is content with half a play", file: promiseGo,
		from: "func (e elsewhere) FailNow() {\n	e.Fail()\n", to: "func (e elsewhere) FailNow() {\n", tests: "PromiseJudges",
	},
	{
		name: "the matrix lacks a verdict", file: promiseProcGo,
		from: "static: notCovered(\"both have the ID that they were given\"), file: unique(),", to: "static: notCovered(\"both have the ID that they were given\"),", tests: "PromiseIsComplete",
	},
	{
		name: "the matrix names a test that does not exist", file: promiseProcGo,
		from: "internal/proof/fleet TestPause", to: "internal/proof/fleet TestPauses", tests: "PromiseIsComplete",
	},
	{
		name: "the page of the matrix is out of date", file: promiseProcGo,
		from: "Paused beyond the end of its lease", to: "Paused", tests: "PromisePage",
	},
}
