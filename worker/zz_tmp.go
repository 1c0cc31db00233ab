package worker

import "os"

func osHostName() (string, error) { return os.Hostname() }
