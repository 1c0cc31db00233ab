package main

const (
	chartGo        = "benchmarks/report/chart.go"
	chartResultsGo = "benchmarks/report/results.go"
	chartCallsGo   = "benchmarks/measure/calls.go"
	chartPlanGo    = "benchmarks/measure/plan.go"
	chartWaitsGo   = "benchmarks/measure/waits.go"
	chartCoresGo   = "cmd/uid/bench_cores.go"
	chartBenchGo   = "cmd/uid/bench.go"
)

// chartsAndNumbers are faults in what readers of the measurements see.
var chartsAndNumbers = []mutant{
	{
		name: "names of lines lie one upon the other", file: chartGo,
		from: "at = apart(at, labelRoom, c.Min.Y+4, c.Max.Y-4)", to: "_ = apart(at, labelRoom, c.Min.Y+4, c.Max.Y-4)", tests: "^TestNastyResultsAreLegible$",
	},
	{
		name: "a chart is not as high as its names need", file: chartGo,
		from: "p.height = max(p.height, aroundData+labelRoom*vg.Length(len(all)))", to: "_ = aroundData", tests: "^TestNastyResultsAreLegible$",
	},
	{
		name: "there is no room for names", file: chartGo,
		from: "p.right = max(p.right, leader+3+widthOf(s.label))", to: "p.right = leader", tests: "^TestNastyResultsAreLegible$",
	},
	{
		name: "labels of ticks are not thinned out", file: chartGo,
		from: "middle-half < free+tickRoom {", to: "middle-half < free-1e9 {", tests: "^TestNastyResultsAreLegible$",
	},
	{
		name: "a text is as long as its font makes it", file: chartGo,
		from: ` textLength="%.2f" lengthAdjust=`, to: ` data-length="%.2f" lengthAdjust=`, tests: "^TestNastyResultsAreLegible$",
	},
	{
		name: "a text has a font that not every machine has", file: chartGo,
		from: "Helvetica,sans-serif;", to: "Helvetica;", tests: "^TestNastyResultsAreLegible$",
	},
	{
		name: "what has no logarithm is drawn", file: chartGo,
		from: "return !(at.Y > 0)", to: "return false && at.Y > 0", tests: "^TestNastyResultsAreLegible$",
	},
	{
		name: "colours repeat", file: chartGo,
		from: "c := hues[i%len(hues)]", to: "c := hues[i%8]", tests: "^TestColours$",
	},
	{
		name: "the rounds' median stands for the calls of all", file: chartResultsGo,
		from: "s.median, s.low, s.high = merged, min(s.low, merged), max(s.high, merged)", to: "_ = merged", tests: "^TestMergedPercentiles$",
	},
	{
		name: "repeated measurements are not said", file: chartResultsGo,
		from: "if repeats > 0 {", to: "if false && repeats > 0 {", tests: "^TestLackingProcessorTimeIsSaid$",
	},
	{
		name: "a ratio is that of the rates' first round", file: chartResultsGo,
		from: "above[i] /= below[i]", to: "above[i] /= below[0]", tests: "^TestRatios$",
	},
	{
		name: "a round's calls replace those before", file: chartCallsGo,
		from: "m[bucket.From] += bucket.Count", to: "m[bucket.From] = bucket.Count", tests: "^TestMerged$",
	},
	{
		name: "the calls of all rounds are recorded after the first", file: chartPlanGo,
		from: "round == rounds && len(all) > 0", to: "round == 1 && len(all) > 0", tests: "^TestResultsAreReadable$",
	},
	{
		name: "what lacked processor time is not repeated", file: chartWaitsGo,
		from: "if repeats == mostRepeats || !Waited(waited) {", to: "if repeats <= mostRepeats || !Waited(waited) {", tests: "^TestRepeats$",
	},
	{
		name: "it is repeated without end", file: chartWaitsGo,
		from: "if repeats == mostRepeats || !Waited(waited) {", to: "if !Waited(waited) {", tests: "^TestRepeats$",
	},
	{
		name: "a thread that began meanwhile counts with all its life", file: chartWaitsGo,
		from: "if was, ok := earlier[id]; ok {", to: "if was := earlier[id]; true {", tests: "^TestRepeats$",
	},
	{
		name: "measurements with servers are repeated", file: chartWaitsGo,
		from: "if s.Engine != subject.NoEngine {", to: "if false && s.Engine != subject.NoEngine {", tests: "^TestRepeats$",
	},
	{
		name: "bench --cores leaves out the machine's last cores", file: chartCoresGo,
		from: "return append(counts, most)", to: "return counts", tests: "^TestCoreCounts$",
	},
	{
		name: "bench --cores leaves GOMAXPROCS as it last was", file: chartBenchGo,
		from: "defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))", to: "", tests: "^TestBenchCoresEndsAsItBegan$",
	},
}
