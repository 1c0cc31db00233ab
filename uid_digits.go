package uid

import (
	"encoding/binary"
	"strconv"
)

// appendDecimal is strconv.AppendInt(b, int64(u), 10), and as parse does it takes eight digits at a time.
func appendDecimal(b []byte, u UID) []byte {
	if u < 1e16 {
		return strconv.AppendInt(b, int64(u), 10)
	}
	n := uint64(u)
	top, rest := n/1e16, n%1e16
	if top >= 100 {
		b = append(b, byte('0'+top/100))
	}
	if top >= 10 {
		b = append(b, byte('0'+top/10%10))
	}
	b = append(b, byte('0'+top%10))
	b = binary.LittleEndian.AppendUint64(b, eightDigits(rest/1e8))
	return binary.LittleEndian.AppendUint64(b, eightDigits(rest%1e8))
}

// eightDigits returns the digits of n < 1e8, the first one in the lowest byte. It splits numbers of eight,
// four and two digits in two, all of a size at once. The factors are 2^20/100 and 2^10/10, rounded up.
func eightDigits(n uint64) uint64 {
	high := n / 10000
	n = high | (n-10000*high)<<32
	high = n * 10486 >> 20 & 0x0000007f0000007f
	n = high | (n-100*high)<<16
	high = n * 103 >> 10 & 0x000f000f000f000f
	n = high | (n-10*high)<<8
	return n | zeros
}
