// Cycles fails where files of a package use each other's declarations in more pairs than listed here: a package reads
// from top to bottom if what a file needs lies in files that do not need it.
//
//	go run ./test/cycles
package main

import (
	"fmt"
	"go/token"
	"go/types"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

const module = "github.com/uidgen/uid/"

// most is how many pairs a package may have; the others none. A generator's type has fields of types that stand with
// their methods, and each such file is a pair.
var most = map[string]int{
	"github.com/uidgen/uid": 1,
	"bits":                  2, "form": 2, "foreign": 2, "opaque": 1,
	"ringbuffer": 1, "cached": 4, "default": 3, "segment": 2, "debug": 8,
	"worker/lease": 1, "worker/sqlstore": 8, "stores/drivertest": 1,
	"internal/storage": 1, "internal/registry": 1, "internal/scheme": 1, "internal/database": 6, "internal/doctor": 5,
	"internal/fitness": 9, "internal/conformance": 3, "internal/suite": 4, "internal/segmenttest": 3,
	"internal/storetest": 5,
}

func main() {
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedImports | packages.NeedSyntax | packages.NeedTypes |
			packages.NeedTypesInfo,
	}, "./...")
	if err != nil || packages.PrintErrors(loaded) > 0 {
		log.Fatal("packages cannot be read: ", err)
	}
	failed := false
	for _, p := range loaded {
		name := strings.TrimPrefix(p.PkgPath, module)
		if pairs := pairs(p); len(pairs) > most[name] {
			failed = true
			fmt.Printf("%s: %d pairs of files use each other, and %d may: %s\n",
				name, len(pairs), most[name], strings.Join(pairs, ", "))
		}
	}
	if failed {
		os.Exit(1)
	}
}

// pairs returns the pairs of a package's files that use each other's functions, methods, types, variables or constants.
func pairs(p *packages.Package) (pairs []string) {
	uses := map[[2]string]bool{}
	for id, used := range p.TypesInfo.Uses {
		_, isFunc := used.(*types.Func)
		if used.Pkg() != p.Types || used.Parent() != p.Types.Scope() && !isFunc {
			continue
		}
		file := func(o interface{ Pos() token.Pos }) string { return filepath.Base(p.Fset.Position(o.Pos()).Filename) }
		from, to := file(id), file(used)
		if from != to && uses[[2]string{to, from}] && !uses[[2]string{from, to}] {
			pairs = append(pairs, from+" and "+to)
		}
		uses[[2]string{from, to}] = true
	}
	slices.Sort(pairs)
	return pairs
}
