package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"annotate/internal/campaign"
	"annotate/internal/command"
	"annotate/internal/format"
	"annotate/internal/transfer"
)

func (a *app) convertCommand() *cobra.Command {
	var conv transfer.Conversion
	var selected selectionFlags
	cmd := &cobra.Command{
		Use:   "convert --to FORMAT IN… OUT",
		Short: "Convert files from one format to another",
		Long: `Convert files that hold segments from one format to another, without a database. IN may be
files, folders, or archives (zip, tar), also compressed with gzip or zstd; the files show their format
unless --from names it. OUT is a file, or - for standard output. ` + format.MTME + ` is written as a folder, unless
OUT ends in .zip. The command counts and lists the data for which the other format has no place.

Without a database no gate decides. All ratings of the last round of a segment are gold.

Formats to convert from: ` + strings.Join(transfer.Convertible(), ", ") + `.
Formats to convert to: ` + strings.Join(transfer.Written(), ", ") + `.`,
		Example: `  annotate convert --to ratings mqm.tsv ratings.jsonl
  annotate convert --to mtme MENT.jsonl --language-pair zh-en ment-zh-en
  annotate convert --from mqm-tsv --to gold mqm.tsv.gz -`,
		Args: command.Takes("IN", "OUT…"),
		RunE: func(_ *cobra.Command, args []string) error {
			if conv.From != "" {
				if err := command.CheckFormat(conv.From, transfer.Convertible()); err != nil {
					return err
				}
			}
			if err := command.CheckFormat(conv.To, transfer.Written()); err != nil {
				return err
			}
			sel, err := selected.read()
			if err != nil {
				return err
			}
			return a.convert(conv, sel, args[:len(args)-1], args[len(args)-1])
		},
	}
	cmd.Flags().StringVar(&conv.From, "from", "", "`FORMAT` of the files (default the one that they show)")
	cmd.Flags().StringVar(&conv.To, "to", "", "`FORMAT` to write")
	cmd.Flags().StringVar(&conv.LanguagePair, "language-pair", "", "read only the segments of this `PAIR`, such as zh-en")
	cmd.Flags().StringVar(&conv.Protocol, "protocol", "", "`PROTOCOL` of the ratings, such as esa (default the one that the files show)")
	selected.add(cmd)
	cmd.Flags().StringArrayVar(&conv.LeaveOut, "leave-out", nil, "leave out `WHAT` instead of refusing it: "+transfer.Contradictions)
	return cmd
}

// convert converts the files at paths to a file or a folder at out.
func (a *app) convert(conv transfer.Conversion, sel transfer.Selection, paths []string, out string) error {
	if info, err := os.Stat(out); err == nil && info.Mode().IsRegular() {
		return command.Usage("%s exists already; name another file to write to, or remove it", out)
	}
	p := a.NewProgress()
	files, closeAll, err := a.openInputs(p, paths)
	if err != nil {
		return err
	}
	defer closeAll()
	conv.Files = files
	conv.Name = strings.TrimSuffix(filepath.Base(out), filepath.Ext(out))
	read, err := transfer.ReadToConvert(conv)
	closeAll()
	if problems, ok := errors.AsType[*campaign.Problems](err); ok {
		fmt.Fprintln(a.Stderr, problems)
		return &refusedError{problems, "nothing was written"}
	}
	if err != nil {
		return err
	}
	defer read.Close()
	if conv.From == "" {
		fmt.Fprintf(a.Stderr, "annotate: read as %s, under the protocol %s\n", read.From, read.Protocol.Name)
	}
	a.printNotes(read.Notes)
	switch {
	case conv.To == format.MTME && filepath.Ext(out) != ".zip" && out != "-":
		free := func(path string) error { return checkDirectory(path, read.LanguagePair()) }
		return a.writeFolder(out, free, func(tree *directory) ([]string, error) {
			systems, notes, err := read.WriteTree(tree, sel)
			return notes, errors.Join(err, tree.key(read.LanguagePair(), systems))
		})
	case out == "-":
		systems, notes, err := read.Write(a.Stdout, conv.To, sel)
		a.printNotes(notes)
		if err == nil && systems != nil {
			fmt.Fprintln(a.Stderr, "annotate: the names of the systems were not written; with OUT a file, OUT.systems.json has them")
		}
		return err
	}
	return a.writeFile(out, func(w io.Writer) ([]byte, error) {
		systems, notes, err := read.Write(w, conv.To, sel)
		a.printNotes(notes)
		return systems, err
	})
}
