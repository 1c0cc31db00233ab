package foreign

// Formats, for tests.
type (
	Sonyflake    = sonyflake
	UidGenerator = uidGenerator
)

// SonyflakeV1, SonyflakeV2 and NewUidGenerator are what ParseFormat reads.
func SonyflakeV1() Sonyflake { return sonyflakeV1 }

func SonyflakeV2() Sonyflake { return sonyflakeV2 }

var NewUidGenerator = newUidGenerator
