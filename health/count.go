package health

// A Count names something that a generator counts.
type Count string

// The counts, with the generators that have them.
const (
	// Issued: UIDs drawn (cached, segment).
	Issued Count = "issued"
	// Lost: positions that were claimed and not issued; they leave gaps (cached).
	Lost Count = "lost"
	// Ticks: ticks put into the ring; StaleTicks: those of them that were skipped; Refills: by how
	// many refills they came (cached).
	Ticks      Count = "ticks"
	StaleTicks Count = "stale_ticks"
	Refills    Count = "refills"
	// RejectedTakes: calls that found no UID that they may have (cached, segment).
	RejectedTakes Count = "rejected_takes"
	// RejectedPuts: ticks for which the ring had no room (cached).
	RejectedPuts Count = "rejected_puts"
	// HandlerPanics: panics of the configured handlers (cached, segment).
	HandlerPanics Count = "handler_panics"
	// ClockBehind: calls that found the clock behind the newest UID (uncached).
	ClockBehind Count = "clock_behind"
	// SequenceWaits: calls that slept because their tick's sequence was used up (uncached).
	SequenceWaits Count = "sequence_waits"
	// RenewalFailures: attempts to renew the reservation, or to take numbers, that failed (all).
	RenewalFailures Count = "renewal_failures"
	// NumbersTaken: numbers taken from the store; Segments: how often; NumbersGivenBack: those of
	// them that were given back; NumbersDropped: those of which nobody knows whether they were
	// issued (segment).
	NumbersTaken     Count = "numbers_taken"
	Segments         Count = "segments_taken"
	NumbersGivenBack Count = "numbers_given_back"
	NumbersDropped   Count = "numbers_dropped"
)

// AllCounts returns every Count, in the order above.
func AllCounts() []Count {
	return []Count{
		Issued, Lost, Ticks, StaleTicks, Refills, RejectedTakes, RejectedPuts, HandlerPanics,
		ClockBehind, SequenceWaits, RenewalFailures, NumbersTaken, Segments, NumbersGivenBack, NumbersDropped,
	}
}
