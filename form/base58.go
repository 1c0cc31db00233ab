package form

// The digits of base58 are letters and digits without 0, I, O and l. There are two orders:
// Bitcoin's (https://datatracker.ietf.org/doc/html/draft-msporny-base58-03) and Flickr's
// (https://www.flickr.com/groups/api/discuss/72157616713786392/).
var (
	bitcoin = newAlphabet("base58", "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")
	flickr  = newAlphabet("base58 (Flickr's)", "123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ")
)
