// Command palette writes the style sheet with the colours of package chart into a
// file.
package main

import (
	"log"
	"os"

	"annotate/internal/chart"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: palette FILE")
	}
	if err := os.WriteFile(os.Args[1], []byte(chart.CSS()), 0o644); err != nil {
		log.Fatal(err)
	}
}
