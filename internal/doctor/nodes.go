package doctor

import (
	"fmt"

	"github.com/uidgen/uid/internal/workerid"
)

// nodesLeft judges how many disposable IDs are left.
func (c *check) nodesLeft() Finding {
	if c.Disposable == nil {
		return Finding{}
	}
	n, most := *c.Disposable, c.MaxWorkerID
	next := fmt.Sprint(n.Next)
	if n.Next == 0 {
		next = "unknown"
	}
	value := fmt.Sprintf("%d rows, largest ID %d, next ID %s", n.Rows, n.Last, next)
	if most > 0 {
		value += fmt.Sprintf(", of %d", most)
	}
	if n.Skipped > 0 {
		value += fmt.Sprintf(", %d skipped after restarts and failovers of the database", n.Skipped)
	}
	const wider = "Take a layout with more worker bits, or leased IDs, which can be used again"
	return Fine(whatNodes, value).
		But(most > 0 && n.Last > most, LevelError, "",
			fmt.Sprintf("An ID is above the layout's maximum, and so are all that follow: no worker can start. "+
				"Unless there were %d starts, somebody inserted it.", n.Last), wider+". If the row was inserted by "+
				"mistake and no generator used the ID: delete it, and set the counter above the largest ID left.").
		But(most > 0 && n.Used() >= most, LevelError, "", "No ID is left: no worker can start.", wider+".").
		But(most > 0 && workerid.Low(n.Used(), most), LevelWarn, "", fmt.Sprintf("More than 80 %% are used, %d are "+
			"left; each start takes one.", most-n.Used()), wider+", before they are gone.").
		But(n.Rows > 0 && (n.Used()-n.Skipped)/4 > n.Rows, LevelNote, "", fmt.Sprintf("%d IDs were given out and "+
			"there are %d rows: the counter jumps, or rows were deleted.", n.Used()-n.Skipped, n.Rows),
			"Check the step of the counter (auto_increment_increment, INCREMENT BY), and never delete the newest row.")
}
