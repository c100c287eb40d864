// Command crowd shows how well checks find annotators who do not read, and how seldom they accuse annotators who
// do. It simulates campaigns under all protocols with good, middling and poor systems, and prints a table. The
// campaigns are made in memory; package campaign places and judges their checks. docs/quality.md has the table.
package main

import (
	"flag"
	"fmt"
)

func main() {
	k := crowd{}
	flag.IntVar(&k.Of, "of", 30, "annotators of each of the five kinds in a crowd")
	flag.IntVar(&k.Segments, "segments", 200, "segments that each annotator rates")
	flag.IntVar(&k.Systems, "systems", 4, "translations of each segment")
	flag.IntVar(&k.Redundancy, "redundancy", 3, "annotators of each segment")
	flag.Float64Var(&k.Rate, "rate", 0.05, "setting check_rate")
	flag.Uint64Var(&k.Seed, "seed", 1, "seed of the first crowd")
	crowds := flag.Int("crowds", 4, "number of crowds of each row")
	flag.Parse()
	fmt.Print(table(run(k, *crowds)))
}

// run simulates so many crowds like k under each protocol and with each standard of systems, and as many of careful
// annotators alone.
func run(k crowd, crowds int) (rows []row) {
	for _, id := range []string{"sqm", "esa", "mqm", "rate"} {
		for _, k.Standard = range standards {
			k.Protocol = id
			r := row{Protocol: id, Standard: k.Standard.name}
			for i := range crowds {
				one := k
				one.Seed += uint64(i)
				r.simulate(one)
				one.Alone = true
				r.simulate(one)
			}
			rows = append(rows, r)
		}
	}
	return rows
}
