package main

import (
	"fmt"

	"github.com/sony/sonyflake/v2"
)

func main() {
	sf, err := sonyflake.New(sonyflake.Settings{MachineID: func() (int, error) { return 1, nil }})
	if err != nil {
		panic(err)
	}
	id, err := sf.NextID()
	if err != nil {
		panic(err)
	}
	fmt.Println(id)
}
