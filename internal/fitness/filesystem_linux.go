package fitness

import "golang.org/x/sys/unix"

// What package unix does not name.
const (
	gpfsMagic   = 0x47504653
	lustreMagic = 0x0bd00bd0
)

// diskOf returns the kind of a file's file system. It is unknown if that may hide another one.
func diskOf(path string) diskKind {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return unknownDisk
	}
	switch uint32(s.Type) {
	case unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.V9FS_MAGIC,
		unix.CEPH_SUPER_MAGIC, unix.AFS_SUPER_MAGIC, unix.CODA_SUPER_MAGIC, gpfsMagic, lustreMagic:
		return networkDisk
	case unix.TMPFS_MAGIC, unix.RAMFS_MAGIC:
		return memoryDisk
	case unix.FUSE_SUPER_MAGIC:
		return unknownDisk
	}
	return localDisk
}
