package fitness

// A diskKind is what matters about a file system.
type diskKind int

const (
	unknownDisk diskKind = iota
	localDisk
	networkDisk // whose locks another machine keeps
	memoryDisk
)
