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
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"annotate/internal/command"
	"annotate/internal/format"
	"annotate/internal/transfer"
	"annotate/internal/wording"
)

func (a *app) exportCommand() *cobra.Command {
	var chosen, out, pseudonyms string
	var selected selectionFlags
	known := append(format.IDs(format.Outputs(nil)), transfer.PseudonymKey)
	cmd := &cobra.Command{
		Use:   "export CAMPAIGN --format FORMAT",
		Short: "Write a campaign to a file or standard output",
		Long: `Write a campaign to standard output or to a file. A file appears only when it is
complete. The export is one state of the database, even while people work.

` + formatHelp(format.Outputs(nil), func(f format.Format) string { return f.Output.Help }) + `
  pseudonym-key
              CSV with the person behind each pseudonym. Only for leads; do not publish it

rate and mqm-tsv have no rounds. They contain the last complete round of each segment.`,
		Example: `  annotate export gold-zh-en --format ment --out gold.jsonl
  annotate export ted --format mtme --out wmt/ted
  annotate export gold-zh-en --format csv | head`,
		Args: command.Takes("CAMPAIGN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := command.CheckFormat(chosen, known); err != nil {
				return err
			}
			if chosen == format.MTME && (out == "" || out == "-") {
				return command.Usage("%s is written as a directory of files; name it with --out DIR", chosen)
			}
			if err := checkPseudonyms(pseudonyms); err != nil {
				return err
			}
			return a.InCampaign(func(r command.Run) error {
				if pseudonyms != "" {
					r.Campaign.Settings.Pseudonyms = pseudonyms == "yes"
				}
				sel, err := selected.read()
				if err != nil {
					return err
				}
				if chosen == format.MTME {
					return a.exportDirectory(r, sel, out)
				}
				if out != "" {
					return a.writeFile(out, func(w io.Writer) ([]byte, error) { return a.export(r, chosen, sel, w) })
				}
				systems, err := a.export(r, chosen, sel, a.Stdout)
				if err == nil && systems != nil {
					fmt.Fprintln(a.Stderr, "annotate: the names of the systems were not written; --out FILE writes them to FILE.systems.json")
				}
				return err
			})(cmd, args)
		},
	}
	cmd.Flags().StringVar(&chosen, "format", "", "`FORMAT`: "+strings.Join(known, ", "))
	cmd.Flags().StringVar(&pseudonyms, "pseudonyms", "", "name people by pseudonyms: `yes` or no (default the campaign's setting)")
	selected.add(cmd)
	cmd.Flags().StringVar(&out, "out", "", "`FILE` to write instead of standard output, or the directory of "+format.MTME)
	return cmd
}

// selectionFlags are the options that select the data to write.
type selectionFlags [3]string

// add adds the options to a command.
func (s *selectionFlags) add(cmd *cobra.Command) {
	for i, about := range []string{"the `RATINGS` to write", "write segments that are discarded or withdrawn: `yes`", "how systems are named: `NAMES`"} {
		c := transfer.Choices[i]
		cmd.Flags().StringVar(&s[i], c.Name, c.Values[0], about+"; "+strings.Join(c.Values, ", "))
	}
}

func (s *selectionFlags) read() (transfer.Selection, error) {
	return transfer.ReadSelection(func(name string) string {
		return s[slices.IndexFunc(transfer.Choices, func(c transfer.Choice) bool { return c.Name == name })]
	})
}

func checkPseudonyms(value string) error {
	if value != "" && value != "yes" && value != "no" {
		return command.Usage("--pseudonyms: %q is neither yes nor no; use one of them", value)
	}
	return nil
}

// export writes a campaign. It prints a notice if there was nothing to write.
func (a *app) export(r command.Run, id string, sel transfer.Selection, w io.Writer) (systems []byte, err error) {
	if id == transfer.PseudonymKey {
		return nil, transfer.WritePseudonymKey(r.Ctx, r.Store, r.Campaign, w)
	}
	count := &counter{w: w}
	facts, err := r.Records.ExportFacts(r.Ctx, r.Campaign.ID)
	if err != nil {
		return nil, err
	}
	systems, notes, err := transfer.ExportWithNotes(r.Ctx, r.Store, r.Campaign, id, sel, count)
	a.printNotes(notes)
	if err == nil && count.n == 0 {
		fmt.Fprintf(a.Stderr, "annotate: nothing to write: campaign %s has no %s\n", r.Campaign.Slug, format.Lookup(id).Output.None)
	} else if err == nil && id == format.MENT && facts.Ratings == 0 {
		fmt.Fprintf(a.Stderr, "annotate: campaign %s has no ratings; the imported averages were written\n", r.Campaign.Slug)
	}
	return systems, err
}

// printNotes prints what an export leaves out or changes.
func (a *app) printNotes(notes []string) {
	for _, note := range notes {
		fmt.Fprintln(a.Stderr, "annotate:", note)
	}
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

// writeFile writes a temporary file and renames it at the end. Where write returns the systems of a ment file, a second
// file names them.
func (a *app) writeFile(path string, write func(io.Writer) (systems []byte, err error)) error {
	main, err := command.CreateFile(path)
	if err != nil {
		return err
	}
	defer main.Discard()
	systems, err := write(main)
	if err != nil {
		return err
	}
	written := path
	if systems != nil {
		beside, err := command.CreateFile(path + ".systems.json")
		if err != nil {
			return err
		}
		defer beside.Discard()
		if _, err := io.Copy(beside, bytes.NewReader(systems)); err != nil {
			return err
		}
		if err := beside.Commit(); err != nil {
			return err
		}
		written += " and " + path + ".systems.json"
	}
	if err := main.Commit(); err != nil {
		return err
	}
	fmt.Fprintln(a.Stderr, "wrote", written)
	return nil
}

// exportDirectory writes files for mt-metrics-eval, into a folder that may have those of other language pairs.
func (a *app) exportDirectory(r command.Run, sel transfer.Selection, path string) error {
	free := func(path string) error { return checkDirectory(path, r.Campaign.LanguagePair()) }
	return a.writeFolder(path, free, func(tree *directory) ([]string, error) {
		systems, notes, err := transfer.ExportTree(r.Ctx, r.Store, r.Campaign, sel, tree)
		return notes, errors.Join(err, tree.key(r.Campaign.LanguagePair(), systems))
	})
}

// writeFolder writes files to a temporary folder and moves them at the end. free returns an error if the
// files can't be moved to path. writeFolder prints the notes that write returns.
func (a *app) writeFolder(path string, free func(path string) error, write func(tree *directory) (notes []string, err error)) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	there := err == nil
	switch {
	case there && !info.IsDir():
		return command.Usage("%s is a file; name a directory", path)
	case !there && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := free(path); err != nil {
		return err
	}
	// The temporary directory must be on the same disk, so it is made inside an existing
	// directory.
	tmp := filepath.Join(path, fmt.Sprintf(".annotate.%08x.tmp", rand.Uint32()))
	if !there {
		tmp = filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%08x.tmp", filepath.Base(path), rand.Uint32()))
	}
	if err := os.Mkdir(tmp, 0o777); errors.Is(err, fs.ErrNotExist) {
		return command.Usage("the folder of %s does not exist; make it first, or name another file", path)
	} else if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	tree := &directory{root: tmp}
	defer tree.close()
	notes, err := write(tree)
	if err == nil {
		err = tree.close()
	}
	switch {
	case err != nil:
	case !there:
		err = os.Rename(tmp, path)
	default:
		if err = free(path); err == nil {
			err = tree.moveTo(path)
		}
	}
	if err != nil {
		return err
	}
	a.printNotes(notes)
	fmt.Fprintf(a.Stderr, "wrote %s, %s\n", path, wording.Counted(len(tree.files), "file"))
	return nil
}

// checkDirectory returns an error if the directory has files of the language pair. Files
// of other pairs may exist.
func checkDirectory(path, pair string) error {
	for _, pattern := range []string{"sources/%s.*", "documents/%s.*", "references/%s.*", "human-scores/%s.*", "system-outputs/%s/*"} {
		found, err := filepath.Glob(filepath.Join(escapeGlob(path), filepath.FromSlash(fmt.Sprintf(pattern, escapeGlob(pair)))))
		if err != nil {
			return err
		}
		if len(found) > 0 {
			return command.Usage("%s exists already; name another directory, or remove the files of %s", found[0], pair)
		}
	}
	return nil
}

// escapeGlob escapes the characters of a path that have a meaning in patterns. Windows
// has no escape character, but names there contain neither * nor ?.
func escapeGlob(path string) string {
	if filepath.Separator == '\\' {
		return path
	}
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// A directory is a tree of new files, written one after the other.
type directory struct {
	root  string
	open  *os.File
	files []string // paths below root
}

func (d *directory) Create(path string) (io.Writer, error) {
	if err := d.close(); err != nil {
		return nil, err
	}
	f, err := d.begin(path)
	d.open = f
	return f, err
}

// Apart implements [transfer.ArchiveTree].
func (d *directory) Apart(path string) (transfer.TreeFile, error) {
	f, err := d.begin(path)
	return directoryFile{f}, err
}

// begin makes an empty file and the folders above it.
func (d *directory) begin(path string) (*os.File, error) {
	path = filepath.FromSlash(path)
	full := filepath.Join(d.root, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(full, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err == nil {
		d.files = append(d.files, path)
	}
	return f, err
}

// close flushes the current file to the disk and closes it.
func (d *directory) close() error {
	f := d.open
	if f == nil {
		return nil
	}
	d.open = nil
	return directoryFile{f}.Keep()
}

// A directoryFile is a file of a directory.
type directoryFile struct{ *os.File }

// Keep flushes the file to the disk and closes it.
func (f directoryFile) Keep() error {
	if err := f.Sync(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// Discard closes the file. Whoever made the directory removes it.
func (f directoryFile) Discard() { _ = f.Close() }

// key writes which letter stands for which system, if systems has letters.
func (d *directory) key(pair string, systems []byte) error {
	if systems == nil {
		return nil
	}
	w, err := d.Create(pair + ".systems.json")
	if err != nil {
		return err
	}
	_, err = w.Write(systems)
	return err
}

// moveTo moves the files into a directory that has none of them. On an error it removes
// the files that it has moved.
func (d *directory) moveTo(path string) error {
	for i, file := range d.files {
		to := filepath.Join(path, file)
		err := os.MkdirAll(filepath.Dir(to), 0o777)
		if err == nil {
			err = os.Rename(filepath.Join(d.root, file), to)
		}
		if err != nil {
			for _, done := range d.files[:i] {
				os.Remove(filepath.Join(path, done))
			}
			return err
		}
	}
	return nil
}
