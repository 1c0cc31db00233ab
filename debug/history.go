package debug

import "time"

// A point is an average rate, in UIDs a second. It spans a step, or more where nobody looked.
type point struct {
	from, to time.Time
	rate     float64
}

// A history is a ring of the newest points. The zero value is empty.
type history struct {
	points [kept]point
	count  int // of all that were ever added
}

func (h *history) add(p point) {
	h.points[h.count%kept] = p
	h.count++
}

// newest returns the last point, if there is any.
func (h *history) newest() (point, bool) {
	if h.count == 0 {
		return point{}, false
	}
	return h.points[(h.count-1)%kept], true
}

// after returns the kept points but the first n of all, the oldest first.
func (h *history) after(n int) (points []point) {
	for i := max(n, h.count-kept); i < h.count; i++ {
		points = append(points, h.points[i%kept])
	}
	return points
}
