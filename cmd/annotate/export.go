package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"annotate/internal/campaign"
	"annotate/internal/config"
	"annotate/internal/store"
	"annotate/internal/transfer"
)

func (a *app) exportCommand() *cobra.Command {
	var format, out string
	cmd := &cobra.Command{
		Use:   "export CAMPAIGN --format FORMAT",
		Short: "Write a campaign to a file or standard output",
		Long: `Write a campaign to standard output, or to a file that appears only when it is
complete. It is one state of the database, also while people work.

  jsonl    segments with their translations
  ment     segments in gold with their scores, as in the MENT data; with --out
           FILE, FILE.systems.json says which system each trans_i is
  ratings  all submitted ratings; jsonl and ratings together are the campaign
  csv      a row for each rating, for spreadsheets`,
		Example: `  annotate export gold-zh-en --format ment --out gold.jsonl
  annotate export gold-zh-en --format csv | head`,
		Args: takes("CAMPAIGN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFormat(format, transfer.ExportFormats()); err != nil {
				return err
			}
			return a.withCampaign(cmd.Context(), args[0], func(_ config.Config, st *store.Store, camp campaign.Campaign) error {
				if out != "" {
					return a.exportFile(cmd, st, camp, format, out)
				}
				systems, err := a.export(cmd, st, camp, format, a.stdout)
				if err == nil && systems != nil {
					fmt.Fprintln(a.stderr, "annotate: which system each trans_i is was not written; --out FILE writes it to FILE.systems.json")
				}
				return err
			})
		},
	}
	cmd.Flags().StringVar(&format, "format", "", "`FORMAT`: "+strings.Join(transfer.ExportFormats(), ", "))
	cmd.Flags().StringVar(&out, "out", "", "`FILE` to write instead of standard output")
	return cmd
}

// export writes a campaign, and says so where nothing of it was to be written.
func (a *app) export(cmd *cobra.Command, st *store.Store, camp campaign.Campaign, format string, w io.Writer) (systems []byte, err error) {
	count := &counter{w: w}
	facts, err := st.ExportFacts(cmd.Context(), camp.ID)
	if err != nil {
		return nil, err
	}
	systems, err = transfer.Export(cmd.Context(), st, camp, format, count)
	if err == nil && count.n == 0 {
		fmt.Fprintf(a.stderr, "annotate: nothing to write: campaign %s has no %s\n", camp.Slug,
			map[string]string{"jsonl": "segments", "ment": "segments in gold", "ratings": "submitted ratings"}[format])
	} else if err == nil && format == "ment" && facts.Ratings == 0 {
		fmt.Fprintf(a.stderr, "annotate: campaign %s has no ratings; the imported averages were written\n", camp.Slug)
	}
	return systems, err
}

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// exportFile writes the export beside its place and moves it there at the end,
// with the systems of a ment file.
func (a *app) exportFile(cmd *cobra.Command, st *store.Store, camp campaign.Campaign, format, path string) (err error) {
	main, err := createFile(path)
	if err != nil {
		return err
	}
	defer main.discard()
	systems, err := a.export(cmd, st, camp, format, main)
	if err != nil {
		return err
	}
	written := path
	if systems != nil {
		beside, err := createFile(path + ".systems.json")
		if err != nil {
			return err
		}
		defer beside.discard()
		if _, err := io.Copy(beside, bytes.NewReader(systems)); err != nil {
			return err
		}
		if err := beside.commit(); err != nil {
			return err
		}
		written += " and " + path + ".systems.json"
	}
	if err := main.commit(); err != nil {
		return err
	}
	fmt.Fprintln(a.stderr, "wrote", written)
	return nil
}

// A newFile is a file that takes its place when it is complete.
type newFile struct {
	*os.File
	path string // where it belongs; empty: it is written in place
	done bool
}

// createFile begins a file at path. What is not a regular file, such as
// /dev/null or a pipe, is written directly.
func createFile(path string) (*newFile, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return nil, usage("%s is a folder; name a file in it", path)
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		return &newFile{File: f}, err
	}
	// Made as any other file, so that the umask says who may read it.
	tmp := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%08x.tmp", filepath.Base(path), rand.Uint32()))
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usage("the folder of %s does not exist", path)
	}
	return &newFile{File: f, path: path}, err
}

// commit puts the file in its place, safely on disk.
func (f *newFile) commit() error {
	if f.path == "" {
		f.done = true
		return f.Close()
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), f.path); err != nil {
		return err
	}
	f.done = true
	return nil
}

// discard removes what was not committed.
func (f *newFile) discard() {
	if f.done {
		return
	}
	f.Close()
	if f.path != "" {
		os.Remove(f.Name())
	}
}
