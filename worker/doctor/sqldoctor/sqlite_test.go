package sqldoctor

import (
	"testing"

	"github.com/uidgen/uid/worker/doctor"
)

func TestJudgePlace(t *testing.T) {
	checkFinding(t, judgeFileSystem(localDisk, true), doctor.LevelOK)
	checkFinding(t, judgeFileSystem(localDisk, false), doctor.LevelNote)
	checkFinding(t, judgeFileSystem(networkDisk, true), doctor.LevelError)
	checkFinding(t, judgeFileSystem(memoryDisk, true), doctor.LevelWarn)
	checkFinding(t, judgeLinks(1, true), doctor.LevelOK, "1")
	checkFinding(t, judgeLinks(2, true), doctor.LevelError, "2")
	checkFinding(t, judgeLinks(0, true), doctor.LevelError, "0")
	checkFinding(t, judgeLinks(0, false), doctor.LevelNote)
	for at, want := range map[filePlacing]doctor.Level{placeFound: doctor.LevelOK, placeMounted: doctor.LevelError, placeGone: doctor.LevelError, placeTaken: doctor.LevelError} {
		checkFinding(t, judgePlace(at), want)
	}
}
