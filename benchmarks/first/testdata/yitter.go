package main

import (
	"fmt"

	"github.com/yitter/idgenerator-go/idgen"
)

func main() {
	options := idgen.NewIdGeneratorOptions(1)
	idgen.SetIdGenerator(options)
	fmt.Println(idgen.NextId())
}
