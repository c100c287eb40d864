// Command declare writes the types of package wire for the scripts of the pages into a
// file.
package main

import (
	"log"
	"os"

	"annotate/internal/wire"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: declare FILE")
	}
	if err := os.WriteFile(os.Args[1], []byte(wire.TypeScript()), 0o644); err != nil {
		log.Fatal(err)
	}
}
