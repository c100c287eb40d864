package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"annotate/internal/database"
	"annotate/internal/store"
)

func main() {
	k := crowd{}
	flag.IntVar(&k.Segments, "segments", 2000, "segments of the campaign")
	flag.IntVar(&k.Systems, "systems", 4, "translations of each segment")
	flag.IntVar(&k.Of, "of", 6, "annotators of each of the five kinds")
	flag.IntVar(&k.Redundancy, "redundancy", 3, "annotators of each segment")
	flag.Float64Var(&k.Rate, "rate", 0.05, "setting check_rate")
	flag.IntVar(&k.RepeatAfter, "repeat-after", 20, "setting repeat_after")
	flag.Uint64Var(&k.Seed, "seed", 1, "seed of the first crowd")
	crowds := flag.Int("crowds", 1, "number of crowds, whose figures are added")
	flag.Parse()
	if err := run(context.Background(), k, *crowds); err != nil {
		fmt.Fprintln(os.Stderr, "crowd:", err)
		os.Exit(1)
	}
}

// run simulates crowds, each in a database of its own, and prints the table.
func run(ctx context.Context, k crowd, crowds int) error {
	var sum []row
	for range crowds {
		rows, err := one(ctx, k)
		if err != nil {
			return err
		}
		if sum == nil {
			sum = rows
		} else {
			for i := range sum {
				sum[i].add(rows[i])
			}
		}
		k.Seed++
	}
	fmt.Print(table(sum))
	return nil
}

// one simulates a crowd in a new database.
func one(ctx context.Context, k crowd) ([]row, error) {
	dir, err := os.MkdirTemp("", "crowd")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // nothing in it is needed
	st, err := store.Open(ctx, database.Config{Driver: database.SQLite, DSN: filepath.Join(dir, "crowd.db")})
	if err != nil {
		return nil, err
	}
	defer func() { _ = st.Close() }()
	s, err := newSimulation(ctx, st, k)
	if err != nil {
		return nil, err
	}
	if err := s.run(ctx); err != nil {
		return nil, err
	}
	return s.rows(ctx)
}
