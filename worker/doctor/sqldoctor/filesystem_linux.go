package sqldoctor

import "syscall"

// networkMagic are Linux's numbers of the file systems whose locks another machine keeps.
var networkMagic = map[uint32]bool{
	0x6969:     true, // NFS
	0x517b:     true, // SMB
	0xff534d42: true, // CIFS
	0xfe534d42: true, // SMB2
	0x01021997: true, // 9P
	0x00c36400: true, // Ceph
	0x5346414f: true, // AFS
	0x73757245: true, // Coda
	0x47504653: true, // GPFS
	0x0bd00bd0: true, // Lustre
}

const (
	tmpfsMagic = 0x01021994
	ramfsMagic = 0x858458f6
	fuseMagic  = 0x65735546
)

// fileSystem returns the kind of file system that a file is on. known is false if the file system
// may hide another one.
func fileSystem(path string) (kind fileSystemKind, known bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(path, &s); err != nil {
		return localDisk, false
	}
	switch magic := uint32(s.Type); {
	case networkMagic[magic]:
		return networkDisk, true
	case magic == tmpfsMagic || magic == ramfsMagic:
		return memoryDisk, true
	case magic == fuseMagic:
		return localDisk, false
	}
	return localDisk, true
}
