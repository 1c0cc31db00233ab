package redis

// Writes are the scripts that write, by which tests tell them from those that read.
var Writes = []struct{ Hash, Source string }{{writeScript.Hash(), sources[writeScript]}, {segmentWriteScript.Hash(), sources[segmentWriteScript]}}
