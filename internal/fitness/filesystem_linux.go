package fitness

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

// diskOf returns what a file is on. It is unknown where the file system may hide another one.
func diskOf(path string) diskKind {
	var s syscall.Statfs_t
	if err := syscall.Statfs(path, &s); err != nil {
		return unknownDisk
	}
	switch magic := uint32(s.Type); {
	case networkMagic[magic]:
		return networkDisk
	case magic == tmpfsMagic || magic == ramfsMagic:
		return memoryDisk
	case magic == fuseMagic:
		return unknownDisk
	}
	return localDisk
}
