package telemetry

// The counts, with the generators that have them.
const (
	// Issued: UIDs drawn (cached, segment).
	Issued = "issued"
	// Lost: positions that were claimed and not issued; they leave gaps (cached).
	Lost = "lost"
	// Ticks: ticks put into the ring; StaleTicks: those of them that were skipped; Refills: by how
	// many refills they came (cached).
	Ticks      = "ticks"
	StaleTicks = "stale_ticks"
	Refills    = "refills"
	// RejectedTakes: calls that found no UID that they may have (cached, segment).
	RejectedTakes = "rejected_takes"
	// RejectedPuts: ticks for which the ring had no room (cached).
	RejectedPuts = "rejected_puts"
	// HandlerPanics: panics of the configured handlers (cached, segment).
	HandlerPanics = "handler_panics"
	// ClockBehind: calls that found the clock behind the newest UID (uncached).
	ClockBehind = "clock_behind"
	// SequenceWaits: calls that slept because their tick's sequence was used up (uncached).
	SequenceWaits = "sequence_waits"
	// RenewalFailures: attempts to renew the reservation, or to take numbers, that failed (all).
	RenewalFailures = "renewal_failures"
	// NumbersTaken: numbers taken from the store; Segments: how often; NumbersGivenBack: those of
	// them that were given back; NumbersDropped: those of which nobody knows whether they were
	// issued (segment).
	NumbersTaken     = "numbers_taken"
	Segments         = "segments_taken"
	NumbersGivenBack = "numbers_given_back"
	NumbersDropped   = "numbers_dropped"
)

// All returns every name, in the order above.
func All() []string {
	return []string{
		Issued, Lost, Ticks, StaleTicks, Refills, RejectedTakes, RejectedPuts, HandlerPanics,
		ClockBehind, SequenceWaits, RenewalFailures, NumbersTaken, Segments, NumbersGivenBack, NumbersDropped,
	}
}
