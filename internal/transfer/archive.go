package transfer

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/export"
	"annotate/internal/format"
	"annotate/internal/parallel"
	"annotate/internal/records"
	"annotate/internal/report"
	"annotate/internal/store"
	"annotate/internal/wording"
)

// An Archive is the publication of a campaign with a paper: its data, its report as a
// page, and each table and figure of the report.
type Archive struct {
	Campaign campaign.Campaign
	Report   report.Report
	// Page is the report as an HTML file.
	Page []byte
	// State returns the current state of the campaign's data, in the form of
	// [report.Stamp.State].
	State func(context.Context) (string, error)

	older  bool // Report is of an earlier state than the data files
	files  []archiveFile
	notes  []string
	lost   []fileNote
	judges []campaign.JudgeAbout
}

// An archiveFile is a file of an archive with a description of its contents.
type archiveFile struct{ path, holds string }

// A fileNote says what a file of an archive leaves out or changes.
type fileNote struct{ path, note string }

// Write writes the files of an archive. No file depends on the time, so the same report of the same data gives the
// same archive. Only the directory for mt-metrics-eval takes memory that grows with the campaign, see [export.MTME].
//
// The segments are read once, at one consistent state of the database, for all files that have any. The last file,
// README.md, says if the state changed meanwhile or since the report.
func (a *Archive) Write(ctx context.Context, st *store.Store, tree ArchiveTree) error {
	before, err := a.State(ctx)
	if err != nil {
		return err
	}
	a.files, a.notes, a.lost = nil, nil, nil
	if a.judges, err = st.Records.JudgesAbout(ctx, a.Campaign.ID); err != nil {
		return err
	}
	a.Campaign.Settings.Pseudonyms = a.Report.Stamp.Pseudonyms()
	if err := a.data(ctx, st, tree); err != nil {
		return err
	}
	if err := a.report(tree); err != nil {
		return err
	}
	after, err := a.State(ctx)
	if err != nil {
		return err
	}
	if before != after {
		a.notes = append(a.notes, "People worked while this archive was written. The files about segments hold one state of the data; those about judges and whole systems may hold a later one.")
	}
	if a.older = before != a.Report.Stamp.State; a.older {
		a.notes = append(
			a.notes,
			"The report and its tables were computed from an earlier state of the data ("+a.Report.Stamp.State+") than the data files hold ("+before+").",
		)
	}
	w, err := tree.Create("README.md")
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, a.readme())
	return err
}

// create begins a file and adds it to the list in README.md.
func (a *Archive) create(tree export.Tree, path, holds string) (io.Writer, error) {
	a.files = append(a.files, archiveFile{path, holds})
	return tree.Create(path)
}

// An archiveFormat is a format in an archive.
type archiveFormat struct{ format, path, holds string }

// archiveData are the formats in an archive that are made of segments.
var archiveData = []archiveFormat{
	{format.Gold, "data/gold.csv", "a row for each translation in gold with the gold of each human score, raw and as z-score; higher is better"},
	{format.JSONL, "data/segments.jsonl", "a JSON line for each segment: source, references, context, and the translation of each system"},
	{
		format.Ratings,
		"data/ratings.jsonl",
		"a JSON line for each submitted rating of any round: scores, error spans as [start, end) in Unicode code points of the text, comment, active seconds; acts of leads are not in it, so that, imported again, the round of another look is an ordinary round",
	},
	{format.CSV, "data/ratings.csv", "the same ratings as a table, with derived scores; errors count as the protocol has it, more is worse"},
	{format.Answers, "data/answers.csv", "a row for each answer to a question that is no number, and one for each gold answer"},
	{format.Scores, "data/metric-scores.jsonl", "a JSON line for each imported score of an automatic metric"},
	{format.MENT, "data/ment.jsonl", "segments in gold in the form of the MENT data"},
	{format.RATE, "data/rate.jsonl", "a JSON line for each rating in the form of the RATE data"},
	{format.MQM, "data/mqm.tsv", "a row for each marked error in the form of the WMT MQM tables"},
	{format.Suggestions, "data/suggestions.jsonl", "a JSON line for each translation whose errors were suggested to annotators"},
	{format.Terms, "data/terms.jsonl",
		"a JSON line for each term in a source or a reference: the given ones or, if annotators mark terms, the gold ones"},
}

// A dataFile is a file in data/ while it is written.
type dataFile struct {
	path, holds string
	file        TreeFile
	systems     []byte
	notes       []string
}

// data writes the data files and the directory for mt-metrics-eval.
func (a *Archive) data(ctx context.Context, st *store.Store, tree ArchiveTree) error {
	formats, err := a.formats(ctx, st)
	if err != nil {
		return err
	}
	from, err := stored(ctx, st, a.Campaign)
	if err != nil {
		return err
	}
	var files []*dataFile
	var uses []func(export.Source) error
	for _, d := range formats {
		file, err := tree.Apart(d.path)
		if err != nil {
			return err
		}
		defer file.Discard()
		f := &dataFile{path: d.path, holds: d.holds, file: file}
		files = append(files, f)
		uses = append(uses, func(segments export.Source) (err error) {
			f.systems, f.notes, err = write(ctx, st, from.reading(segments), d.format, file)
			return err
		})
	}
	var notes []string
	directory := a.Campaign.LanguagePair() != "" && !a.Campaign.Rules.OfSegments() && a.Report.Stamp.Campaign.Counts.Segments > 0
	if directory {
		uses = append(uses, func(segments export.Source) (err error) {
			notes, err = writeTree(&subtree{tree: tree, dir: "mtme/"}, from.reading(segments))
			return err
		})
	} else {
		notes = []string{noDirectory(a.Campaign)}
	}
	if err := parallel.Share(ctx, from.segments(records.Everything), uses); err != nil {
		return err
	}
	for _, f := range files {
		if err := a.keep(tree, f); err != nil {
			return err
		}
	}
	if err := a.judgements(ctx, st, tree); err != nil {
		return err
	}
	if directory {
		a.files = append(a.files, archiveFile{"mtme/", "the campaign as a test set of mt-metrics-eval: sources, references, documents, system outputs, human scores by segment and system, ratings, metric scores"})
	}
	a.say("mtme/", notes)
	return nil
}

// formats returns the data files that are made of the segments of the campaign.
func (a *Archive) formats(ctx context.Context, st *store.Store) (list []archiveFormat, err error) {
	suggested, err := st.Records.HasSuggestions(ctx, a.Campaign)
	fitting := Formats(a.Campaign)
	for _, d := range archiveData {
		if slices.Contains(fitting, d.format) && (d.format != format.Suggestions || suggested) {
			list = append(list, d)
		}
	}
	return list, err
}

// keep adds a complete data file to the tree, and the file that says which system each trans_i of it is.
func (a *Archive) keep(tree ArchiveTree, f *dataFile) error {
	a.files = append(a.files, archiveFile{f.path, f.holds})
	a.say(f.path, f.notes)
	if err := f.file.Keep(); err != nil || f.systems == nil {
		return err
	}
	w, err := a.create(tree, f.path+".systems.json", "which system each trans_i of that file is")
	if err != nil {
		return err
	}
	_, err = w.Write(f.systems)
	return err
}

// judgements writes the judgements of the campaign, if it has judges.
func (a *Archive) judgements(ctx context.Context, st *store.Store, tree ArchiveTree) error {
	if len(a.judges) == 0 {
		return nil
	}
	w, err := a.create(
		tree, "data/judgements.jsonl",
		"a JSON line for each judgement of a judge, such as a language model, with the trace of its calls; no judgement counts as a rating of a person",
	)
	if err != nil {
		return err
	}
	_, err = Export(ctx, st, a.Campaign, format.Judgements, w)
	return err
}

// say stores notes about a file or a folder.
func (a *Archive) say(path string, notes []string) {
	for _, n := range notes {
		a.lost = append(a.lost, fileNote{path, n})
	}
}

// noDirectory says why a campaign has no mt-metrics-eval directory.
func noDirectory(c campaign.Campaign) string {
	if c.Rules.OfSegments() {
		return "there is no such folder, since it has the translations of systems, and segments are rated here"
	}
	if c.LanguagePair() == "" {
		return "there is no such folder, since its files are named after the language pair, which the campaign does not know; name its languages in its settings"
	}
	return "there is no such folder, since the campaign has no segments"
}

// A subtree is a folder of a tree.
type subtree struct {
	tree export.Tree
	dir  string
}

func (s *subtree) Create(path string) (io.Writer, error) { return s.tree.Create(s.dir + path) }

// report writes the page of the report, its tables and its figures.
func (a *Archive) report(tree export.Tree) error {
	w, err := a.create(tree, "report.html", "the report as a page that needs no other file")
	if err != nil {
		return err
	}
	if _, err := w.Write(a.Page); err != nil {
		return err
	}
	if tables := a.Report.Tables(); len(tables) > 0 {
		a.files = append(
			a.files,
			archiveFile{
				"tables/",
				fmt.Sprintf(
					"%d tables of the report, each as LaTeX (.tex, needs array, booktabs and longtable), Markdown (.md) and CSV at full precision (.csv)",
					len(tables),
				),
			},
		)
		for _, t := range tables {
			if err := writeTables(tree, "tables/"+t.ID, t); err != nil {
				return err
			}
		}
	}
	figures := a.Report.Figures()
	if len(figures) > 0 {
		a.files = append(
			a.files, archiveFile{"figures/", fmt.Sprintf("%d figures of the report as SVG, PDF and PNG, each with its numbers as CSV", len(figures))},
		)
	}
	for _, f := range figures {
		for _, ext := range report.FigureTypes {
			w, err := tree.Create("figures/" + f.ID + "." + ext)
			if err != nil {
				return err
			}
			write, _ := report.FigureWriter(ext)
			if err := write(w, f); err != nil {
				return err
			}
		}
		w, err := tree.Create("figures/" + f.ID + ".csv")
		if err != nil {
			return err
		}
		if err := report.CSV(w, f.Table); err != nil {
			return err
		}
	}
	return nil
}

func writeTables(tree export.Tree, path string, t report.Table) error {
	for _, ext := range []string{"tex", "md", "csv"} {
		w, err := tree.Create(path + "." + ext)
		if err != nil {
			return err
		}
		write, _ := report.Writer(ext)
		if err := write(w, t); err != nil {
			return err
		}
	}
	return nil
}

// readme returns README.md, which describes the archive and its origin.
func (a *Archive) readme() string {
	var b bytes.Buffer
	s := a.Report.Stamp
	c, n := s.Campaign, s.Campaign.Counts
	computed := s.ComputedAt.UTC().Format("2006-01-02 15:04:05 UTC")
	fmt.Fprintf(&b, "# %s\n\nHuman judgements of machine translation, collected with annotate in the campaign `%s`.\n", wording.Markdown(c.Title), c.Slug)
	fmt.Fprintf(
		&b,
		"\n## Where it comes from\n\n- Program: %s\n- Report computed: %s\n- State of the data: %s\n- Random numbers: seed %d, %d permutations, %d resamples\n",
		s.Program, computed, s.State, s.Seed, s.Permutations, s.Resamples,
	)
	for _, note := range a.notes {
		fmt.Fprintf(&b, "- Note: %s\n", wording.Markdown(note))
	}
	b.WriteString("\n## What was annotated\n\n")
	if a.older {
		fmt.Fprintf(
			&b,
			"The counts and settings below, and what leads did, are those of the report, computed at %s. The data files hold a later state, so their counts may differ.\n\n",
			computed,
		)
	}
	fmt.Fprintf(
		&b, "- Language pair: %s\n- Protocol: %s (%s)\n", wording.Markdown(orUnknown(c.LanguagePair)), wording.Markdown(a.Campaign.Rules.Name),
		c.Protocol,
	)
	for _, count := range []struct {
		what string
		n    int
	}{{"documents", n.Documents}, {"segments", n.Segments}, {"systems", n.Systems}, {"translations", n.Translations}, {"domains", n.Domains}, {"annotators", n.Annotators},
		{"ratings submitted, of all rounds", n.Ratings}, {"segments in gold", n.GoldSegments}, {"ratings that gold is formed from", n.GoldRatings}, {"error spans in those and in adjudications that are gold", n.Spans}} {
		fmt.Fprintf(&b, "- %s: %d\n", count.what, count.n)
	}
	b.WriteString("\nSettings:\n\n")
	for _, x := range c.Settings {
		if x.Value != "" {
			fmt.Fprintf(&b, "- `%s` %s\n", x.Key, wording.Markdown(x.Value))
		}
	}
	a.writeInterventions(&b)
	b.WriteString("\n## How scores were formed\n\n")
	var inGold []string
	for _, status := range campaign.Statuses {
		if status.InGold() {
			inGold = append(inGold, "`"+string(status)+"`")
		}
	}
	fmt.Fprintf(
		&b,
		"Gold of a translation is the mean over the annotators of the round that settles its segment, from exact sums divided once. Gold holds the segments of the statuses %s, and each row of the gold file names its status. Values that a lead or an adjudicator decided are marked.\n\n",
		strings.Join(inGold, ", "),
	)
	var names []string
	for _, h := range a.Campaign.Rules.HumanScores() {
		names = append(names, fmt.Sprintf("`%s` is the protocol's `%s`", h.Name, h.Score))
	}
	if len(names) > 0 {
		b.WriteString("Human scores leave the protocol with higher meaning better, so that those that count errors are negative: " + strings.Join(names, ", ") + ".\n")
	}
	if len(a.judges) > 0 {
		b.WriteString(
			"\n## Judges\n\nA method follows the published one that is named after it. Unless they came from a file, its prompts are the program's own wordings.\n\n",
		)
		for _, j := range a.judges {
			fmt.Fprintf(&b, "- %s: %s\n", wording.Markdown(j.Judge), wording.Markdown(j.About))
		}
	}
	b.WriteString("\n## Files\n\nText files are UTF-8. Segments are in the order of import.\n\n")
	for _, f := range a.files {
		fmt.Fprintf(&b, "- %s: %s\n", wording.MarkdownCode(f.path), f.holds)
	}
	b.WriteString("- `README.md`: this file\n")
	b.WriteString(
		"\nIn the CSV files a text that a spreadsheet would run as a formula, since it begins with `=`, `+`, `-`, `@`, a tab or a line break, has an apostrophe before it. So has a text that begins with apostrophes followed by one of these. Remove one apostrophe from such texts to get the texts of the JSON lines.\n",
	)
	if slices.ContainsFunc(a.files, func(f archiveFile) bool { return f.path == "data/mqm.tsv" }) {
		b.WriteString("`data/mqm.tsv` has unchanged texts, so that it can be read again. Do not open it in a spreadsheet; open `data/ratings.csv` instead.\n")
	}
	if len(a.lost) > 0 {
		b.WriteString("\nSome formats cannot contain the whole campaign. They leave out or change:\n\n")
		for _, n := range a.lost {
			fmt.Fprintf(&b, "- %s: %s\n", wording.MarkdownCode(n.path), wording.Markdown(n.note))
		}
	}
	b.WriteString("\n## People\n\n")
	if a.Campaign.Settings.Pseudonyms {
		b.WriteString(
			"People are named by pseudonyms: annotators by A01, A02 and so on in the order in which they joined, adjudicators by J01, leads by L01. Logins and names in comments and reasons are replaced as well. Source texts, translations and notes of the import are unchanged. The leads have the key.\n",
		)
	} else {
		b.WriteString("The files of ratings and some tables name people by login. Set `pseudonyms` to yes before publishing if people did not agree to be named.\n")
	}
	b.WriteString("\n## Licence\n\n")
	if c.Licence != "" {
		b.WriteString(wording.Markdown(c.Licence) + "\n")
	} else {
		b.WriteString("No licence is named. Without a licence, others may not reuse the data. Name one in the campaign's settings before publishing.\n")
	}
	fmt.Fprintf(
		&b,
		"\n## How to cite\n\nTo be filled in by the authors: AUTHORS, TITLE, VENUE, YEAR, ADDRESS OF THIS ARCHIVE. Also name the paper of the protocol, and the version of the program (%s).\n",
		s.Program,
	)
	return b.String()
}

// writeInterventions writes the number of segments with each status and the acts of leads,
// from the tables of the report.
func (a *Archive) writeInterventions(b *bytes.Buffer) {
	tables := map[string]report.Table{}
	for _, t := range a.Report.Tables() {
		tables[t.ID] = t
	}
	cell := func(r report.Row, i int) string { return wording.Markdown(r.Cells[i].Text) }
	whole := func(r report.Row, i int) int { return int(r.Cells[i].Value) }
	b.WriteString("\nSegments by status:\n\n")
	for _, r := range tables["statuses"].Rows {
		gold := "not in gold"
		if cell(r, 1) == "yes" {
			gold = "in gold"
		}
		fmt.Fprintf(b, "- %s (%s): %d\n", wording.MarkdownCode(r.Cells[0].Text), gold, whole(r, 2))
	}
	zone := a.Campaign.Settings.Timezone
	b.WriteString("\n## What leads did\n\nTimes are in " + zone + ".\n\n")
	if len(tables["set-aside"].Rows) == 0 {
		b.WriteString("- No annotator's work was set aside.\n")
	}
	for _, r := range tables["set-aside"].Rows {
		fmt.Fprintf(
			b, "- The work of %s was set aside on %s by %s: %d ratings. Reason: %s. Restored: %s.\n", cell(r, 0),
			cell(r, 2), cell(r, 3), whole(r, 1),
			strings.TrimSuffix(cell(r, 4), "."), cell(r, 5),
		)
	}
	if len(tables["settings-changes"].Rows) == 0 {
		b.WriteString("- No setting was changed after the campaign was created.\n")
	}
	for _, r := range tables["settings-changes"].Rows {
		fmt.Fprintf(
			b, "- The setting %s was changed on %s by %s from \"%s\" to \"%s\".\n", wording.MarkdownCode(r.Cells[0].Text), cell(r, 3), cell(r, 4),
			cell(r, 1), cell(r, 2),
		)
	}
	counts := a.Report.Stamp.Campaign.Counts
	fmt.Fprintf(b, "- Gold values that a lead entered: %d.\n", counts.Entered)
	fmt.Fprintf(b, "- Gold values that adjudicators gave: %d.\n", counts.Adjudicated)
	fmt.Fprintf(b, "- Segments whose mean a lead accepted: %d.\n", counts.MeansAccepted)
}

func orUnknown(s string) string { return cmp.Or(s, "not known") }
