package stores

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/segmentstore"
	"github.com/uidgen/uid/worker"
)

var _ doctor.Examiner = (*Store)(nil)

// Examine implements [doctor.Examiner]: whether each namespace, and each row of segments, can be used. What
// the servers have that can harm workers its [Driver] knows; see the package of each.
func (s *Store) Examine(ctx context.Context, _ doctor.Config) (findings []doctor.Finding, err error) {
	namespaces, err := s.examineNamespaces(ctx)
	if err != nil {
		return nil, err
	}
	segments, err := s.examineSegments(ctx)
	return append(namespaces, segments...), err
}

// Unknown is the finding for what a store does not tell. An error that may pass is not one.
func Unknown(what string, err error) ([]doctor.Finding, error) {
	if retry.IsTransient(err) {
		return nil, err
	}
	return []doctor.Finding{{Level: doctor.LevelNote, What: what, Value: "could not be told", Why: fmt.Sprintf("The store does not say: %v.", err),
		Do: "Look yourself, or check with an account that may see it."}}, nil
}

// Fine is the finding for what is as it should be.
func Fine(what, value string) doctor.Finding {
	return doctor.Finding{Level: doctor.LevelOK, What: what, Value: value}
}

func (s *Store) examineNamespaces(ctx context.Context) (findings []doctor.Finding, err error) {
	const what = "namespaces in the store"
	names, _, err := s.Namespaces(ctx)
	if errors.Is(err, worker.ErrNoNamespace) {
		return nil, nil
	}
	if err != nil {
		return Unknown(what, err)
	}
	for _, name := range names {
		l := &Leases{s.driver, name}
		a, err := s.driver.Read(ctx, Query{Keys: []string{l.own()}, Newest: true})
		if err != nil {
			return Unknown(what, err)
		}
		_, bad := l.usable(a.Records[0], a)
		switch {
		case errors.Is(bad, worker.ErrNoNamespace):
			findings = append(findings, doctor.Finding{Level: doctor.LevelWarn, What: what, Value: fmt.Sprintf("%q has rows, and nothing of its own", name),
				Why: "It was removed, or never made. The next start makes it anew, far ahead of the clock.", Do: "Look who has removed it."})
		case bad != nil:
			findings = append(findings, doctor.Finding{Level: doctor.LevelError, What: what, Value: fmt.Sprintf("%q cannot be used", name),
				Why: fmt.Sprintf("%v.", bad), Do: "Look into it before anybody starts again."})
		}
	}
	if len(findings) == 0 {
		findings = append(findings, Fine(what, fmt.Sprintf("%d, all as they should be", len(names))))
	}
	return findings, nil
}

func (s *Store) examineSegments(ctx context.Context) ([]doctor.Finding, error) {
	const what = "segments in the store"
	rows, bad := 0, 0
	var first error
	err := s.Segments().each(ctx, "", math.MaxInt, func(_ segmentstore.Row, is Record, err error) error {
		if rows++; cmp.Or(err, is.Bad) != nil {
			bad, first = bad+1, cmp.Or(first, err, is.Bad)
		}
		return nil
	})
	switch {
	case err != nil:
		return Unknown(what, err)
	case bad > 0:
		return []doctor.Finding{{Level: doctor.LevelError, What: what, Value: fmt.Sprintf("%d of %d cannot be used", bad, rows), Why: fmt.Sprintf("The first: %v.", first),
			Do: "Look into it before anybody draws their numbers again."}}, nil
	case rows == 0:
		return nil, nil
	}
	return []doctor.Finding{Fine(what, fmt.Sprintf("%d, all as they should be", rows))}, nil
}
