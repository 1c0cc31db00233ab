package doctor

import "testing"

func TestJudgePlace(t *testing.T) {
	checkFinding(t, judgeFileSystem(localDisk, true), LevelOK)
	checkFinding(t, judgeFileSystem(localDisk, false), LevelNote)
	checkFinding(t, judgeFileSystem(networkDisk, true), LevelError)
	checkFinding(t, judgeFileSystem(memoryDisk, true), LevelWarn)
	checkFinding(t, judgeLinks(1, true), LevelOK, "1")
	checkFinding(t, judgeLinks(2, true), LevelError, "2")
	checkFinding(t, judgeLinks(0, true), LevelError, "0")
	checkFinding(t, judgeLinks(0, false), LevelNote)
	for at, want := range map[filePlacing]Level{placeFound: LevelOK, placeMounted: LevelError, placeGone: LevelError, placeTaken: LevelError} {
		checkFinding(t, judgePlace(at), want)
	}
}
