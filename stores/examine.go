package stores

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/worker"
)

var _ doctor.Examiner = registered{}

// Examine implements [doctor.Examiner]: the findings of a Driver that is an Examiner, and whether each namespace, and
// each row of segments, is usable.
func (r registered) Examine(ctx context.Context, cfg doctor.Config) (findings []doctor.Finding, err error) {
	if e, is := r.driver.(doctor.Examiner); is {
		if findings, err = e.Examine(ctx, cfg); err != nil {
			return nil, err
		}
	}
	namespaces, err := r.examineNamespaces(ctx)
	if err != nil {
		return nil, err
	}
	segments, err := r.examineSegments(ctx)
	return slices.Concat(findings, namespaces, segments), err
}

func (r registered) examineNamespaces(ctx context.Context) (findings []doctor.Finding, err error) {
	const what = "namespaces in the store"
	names, _, err := r.Namespaces(ctx)
	if errors.Is(err, worker.ErrNoNamespace) {
		return nil, nil
	}
	if err != nil {
		return doctor.Unknown(what, err)
	}
	for _, name := range names {
		l := &leases{r.driver, name}
		a, err := r.driver.Read(ctx, Query{Keys: []string{l.own()}, Newest: true})
		if err != nil {
			return doctor.Unknown(what, err)
		}
		_, bad := l.usable(a.Records[0], a)
		switch {
		case errors.Is(bad, worker.ErrNoNamespace):
			findings = append(findings, doctor.Finding{Level: doctor.LevelWarn, What: what,
				Value: fmt.Sprintf("%q has rows, and nothing of its own", name),
				Why:   "It was removed, or never made. The next start makes it anew, two minutes ahead of the clock.",
				Do:    "Find out who has removed it."})
		case bad != nil:
			findings = append(findings, doctor.Finding{Level: doctor.LevelError, What: what,
				Value: fmt.Sprintf("%q cannot be used", name),
				Why:   fmt.Sprintf("%v.", bad), Do: "Repair it before any worker starts again."})
		}
	}
	if len(findings) == 0 {
		findings = append(findings, doctor.Fine(what, fmt.Sprintf("%d, all as they should be", len(names))))
	}
	return findings, nil
}

func (r registered) examineSegments(ctx context.Context) ([]doctor.Finding, error) {
	const what = "segments in the store"
	rows, bad := 0, 0
	var first error
	err := segmentsOf(r.driver).each(ctx, "", math.MaxInt, func(_ storage.Segment, is Record, err error) error {
		if rows++; cmp.Or(err, is.Bad) != nil {
			bad, first = bad+1, cmp.Or(first, err, is.Bad)
		}
		return nil
	})
	switch {
	case err != nil:
		return doctor.Unknown(what, err)
	case bad > 0:
		return []doctor.Finding{{Level: doctor.LevelError, What: what,
			Value: fmt.Sprintf("%d of %d cannot be used", bad, rows), Why: fmt.Sprintf("The first: %v.", first),
			Do: "Repair it before anybody draws their numbers again."}}, nil
	case rows == 0:
		return nil, nil
	}
	return []doctor.Finding{doctor.Fine(what, fmt.Sprintf("%d, all as they should be", rows))}, nil
}
