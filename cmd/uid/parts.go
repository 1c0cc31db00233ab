package main

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/foreign"
)

// partsListing lists the parts of UIDs of one layout. Its JSON is that of uid.Parts; its
// plain lines hold UID, time, worker ID and sequence.
type partsListing struct {
	*listing
}

func newPartsListing(out *output, f format, l bits.Layout) partsListing {
	columns := []column{{"uid", "UID", true}, {"time", "time", false}, {"worker_id", "worker ID", true}}
	if f == table {
		for _, field := range l.Fields() {
			columns = append(columns, column{field.Name, field.Name, true})
		}
	}
	return partsListing{newListing(out, f, append(columns, column{"sequence", "sequence", true})...)}
}

func (l partsListing) add(p uid.Parts) error {
	switch l.format {
	case asJSON:
		text, err := json.Marshal(p)
		if err != nil {
			return err
		}
		_, err = l.out.Write(append(text, '\n'))
		return err
	case table:
		cells := []cell{{value: p.UID}, {value: p.Time}, {value: p.WorkerID}}
		for _, value := range p.Machine() {
			cells = append(cells, cell{value: value})
		}
		return l.listing.add(append(cells, cell{value: p.Sequence})...)
	default:
		_, err := fmt.Fprintf(l.out, "%d\t%s\t%d\t%d\n", p.UID, p.Time.Format(time.RFC3339Nano), p.WorkerID, p.Sequence)
		return err
	}
}

// addForeign adds a row of another generator's number, in the same form.
func (l partsListing) addForeign(p foreign.Parts) error {
	if l.format == asJSON {
		text, err := json.Marshal(p)
		if err != nil {
			return err
		}
		_, err = l.out.Write(append(text, '\n'))
		return err
	}
	_, err := fmt.Fprintf(l.out, "%d\t%s\t%d\t%d\n", p.ID, p.Time.Format(time.RFC3339Nano), p.Machine, p.Sequence)
	return err
}
