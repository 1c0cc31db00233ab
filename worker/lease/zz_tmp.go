package lease

var usage struct {
	High    func(a, b int64) bool
	Warning string
}
