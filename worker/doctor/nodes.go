package doctor

import (
	"fmt"

	"github.com/uidgen/uid/internal/supply"
	"github.com/uidgen/uid/worker/registry"
)

// nodesLeft judges how many disposable IDs are left.
func (c *check) nodesLeft(o registry.Overview) {
	if o.Nodes == nil {
		return
	}
	n, most := *o.Nodes, c.MaxWorkerID
	f := Finding{Level: LevelOK, What: "disposable IDs", Value: fmt.Sprintf("%d rows, largest ID %d, next ID %d", n.Rows, n.Last, n.Next)}
	if n.Next == 0 {
		f.Value = fmt.Sprintf("%d rows, largest ID %d, next ID not told", n.Rows, n.Last)
	}
	if most > 0 {
		f.Value += fmt.Sprintf(", of %d", most)
	}
	switch {
	case most > 0 && n.Last > most:
		f.Level = LevelError
		f.Why = fmt.Sprintf("An ID is above the layout's maximum, and so are all that follow: no worker can start. Unless %d starts there were, somebody inserted it.", n.Last)
		f.Do = "Take a layout with more worker bits, or leased IDs. When the row was inserted by mistake and no generator ran under it: delete it, and set the counter above the largest ID that is left."
	case most > 0 && n.Used() >= most:
		f.Level, f.Why = LevelError, "No ID is left: no worker can start."
		f.Do = "Take a layout with more worker bits, or leased IDs, which can be used again."
	case most > 0 && supply.Low(n.Used(), most):
		f.Level, f.Why = LevelWarn, fmt.Sprintf("More than 80 %% are used, %d are left; each start takes one.", most-n.Used())
		f.Do = "Take a layout with more worker bits, or leased IDs, which can be used again, before they are gone."
	case n.Rows > 0 && n.Used()/4 > n.Rows:
		f.Level, f.Why = LevelNote, fmt.Sprintf("%d IDs were given and %d rows are there: the counter jumps, or rows were deleted.", n.Used(), n.Rows)
		f.Do = "Look at the step of the counter (auto_increment_increment, INCREMENT BY), and never delete the newest row."
	}
	c.add(f)
}
