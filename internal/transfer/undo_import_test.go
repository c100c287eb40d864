package transfer

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"annotate/internal/campaign"
	"annotate/internal/database"
	"annotate/internal/intake"
	"annotate/internal/protocol"
	"annotate/internal/readmodel"
	"annotate/internal/store/storetest"
	"annotate/internal/work"
)

// allExports returns all files of a campaign: the exports of all formats, the key of pseudonyms and, if
// asked for, the archive.
func allExports(t *testing.T, db *storetest.DB, s *storetest.Sample, archived bool) map[string]string {
	t.Helper()
	s.Reload(t)
	out := map[string]string{}
	for _, format := range Formats(s.Campaign) {
		var b bytes.Buffer
		systems, notes, err := ExportWithNotes(t.Context(), db.Store, s.Campaign, format, Selection{}, &b)
		if err != nil {
			out[format] = err.Error() // an export without content has the same error again
			continue
		}
		out[format] = b.String()
		out[format+" beside"] = fmt.Sprint(string(systems), notes)
	}
	var key bytes.Buffer
	storetest.Check(t, WritePseudonymKey(t.Context(), db.Store, s.Campaign, &key))
	out["key"] = key.String()
	if !archived {
		return out
	}
	// An archive has the version of the data, which rises with every change.
	state := storetest.Must(db.Desk.ReportState(t.Context(), s.Campaign.ID))(t)
	number := regexp.MustCompile(`\b` + regexp.QuoteMeta(state) + `\b`)
	for name, text := range unpack(t, archive(t, db.Store, s.Campaign, storetest.Start)) {
		out["archive/"+name] = number.ReplaceAllString(text, "(state)")
	}
	return out
}

// sameExports compares the files of a campaign at two times.
func sameExports(t *testing.T, when string, before, after map[string]string) {
	t.Helper()
	names := slices.Sorted(maps.Keys(before))
	if !slices.Equal(names, slices.Sorted(maps.Keys(after))) {
		t.Errorf("%s: the files are %v, want %v", when, slices.Sorted(maps.Keys(after)), names)
	}
	for _, name := range names {
		if before[name] != after[name] {
			t.Errorf("%s: %s has lines %q, want %q", when, name, lacking(after[name], before[name]), lacking(before[name], after[name]))
		}
	}
}

// lacking lists the lines of a text that another text lacks.
func lacking(text, other string) (out []string) {
	lines := strings.Split(other, "\n")
	for line := range strings.SplitSeq(text, "\n") {
		if !slices.Contains(lines, line) {
			out = append(out, line)
		}
	}
	return out
}

// undoneImports are files of all kinds of imports. Each file builds on the files before it, replaces a
// part of them, or does not depend on them.
var undoneImports = []struct{ name, format, text string }{
	{"segments", "jsonl", `{"doc_id":"d","segment_id":"1","source_lang":"zh","target_lang":"en","domain":"news","source":"甲乙丙","reference":"abc","translations":{"A":"one two","B":"two"}}
{"doc_id":"d","segment_id":"2","source_lang":"zh","target_lang":"en","source":"丁","translations":{"A":"three","B":""}}
{"doc_id":"e","segment_id":"3","source_lang":"zh","target_lang":"en","source":"戊","translations":{"A":"four","B":"five"}}
`},
	{"references", "references", `{"doc_id":"d","segment_id":"1","references":{"refB":"uno"}}
{"doc_id":"d","segment_id":"2","references":{"refB":"due"}}
`},
	{"references that repeat", "references", `{"doc_id":"d","segment_id":"1","references":{"refB":"uno","refC":"eins"}}
`},
	{"suggestions", "suggestions", `{"doc_id":"e","segment_id":"3","system":"A","spans":[{"id":"x","side":"target","start":0,"end":1,"text":"f","severity":"minor","category":"Style","subcategory":"Awkward"}],"origin":"tool"}
{"doc_id":"d","segment_id":"2","system":"A","spans":[]}
`},
	{"other suggestions", "suggestions", `{"doc_id":"e","segment_id":"3","system":"A","spans":[],"origin":"better"}
{"doc_id":"e","segment_id":"3","system":"B","spans":[{"id":"y","side":"target","start":0,"end":2,"text":"fi","severity":"major","category":"Other"}],"origin":"better"}
`},
	{"scores", "scores", `{"metric":"M","system":"A","doc_id":"d","segment_id":"1","score":0.25,"group":"neural"}
{"metric":"M","system":"B","doc_id":"d","segment_id":"1","score":0.5}
{"metric":"M","system":"A","score":3}
`},
	{"scores again", "scores", `{"metric":"M","system":"A","doc_id":"d","segment_id":"1","score":0.75,"lower_is_better":true}
{"metric":"M","system":"B","score":4}
{"metric":"N","system":"B","doc_id":"e","segment_id":"3","score":1}
`},
	{"judgements", "judgements", `{"judge":"j","doc_id":"d","segment_id":"1","system":"A","status":"ok","score":-6,"spans":[{"id":"1","side":"target","start":0,"end":3,"text":"one","severity":"odd"}],"trace":[{"step":"1","role":"judge","prompt":"p","reply":"r","input_tokens":3,"output_tokens":4,"seconds":0.5}]}
`},
	{"judgements again", "judgements", `{"judge":"j","method":"gemba-mqm","model":"m","doc_id":"d","segment_id":"1","system":"A","status":"ok","score":-1}
{"judge":"k","doc_id":"e","segment_id":"3","system":"B","status":"unparsable"}
`},
	{"table", "mqm-tsv", "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n" +
		"A\td\td\t2\tann2\t丁\t<v>thr</v>ee\tOwn one\tmajor\n" +
		"A\td\td\t2\tted\t丁\tthree\tNo-error\tNo-error\n" +
		"B\td\td\t9\tted\t己\t<v>six</v>\tOther\tminor\n"},
	{"ratings", "ratings", `{"doc_id":"e","segment_id":"3","system":"A","annotator":"una","spans":[{"start":0,"end":4,"severity":"grave","category":"Own two"}],"seconds":2,"submitted_at":"2026-11-19T10:00:00Z"}
{"doc_id":"e","segment_id":"3","system":"B","annotator":"una","spans":[]}
{"doc_id":"e","segment_id":"3","system":"A","annotator":"ann2","spans":[]}
{"doc_id":"e","segment_id":"3","system":"B","annotator":"ann2","spans":[{"start":0,"end":4,"severity":"major","category":"Other"},{"start":0,"end":4,"severity":"major","category":"Other"},{"start":0,"end":4,"severity":"major","category":"Other"}]}
{"doc_id":"d","segment_id":"2","system":"B","annotator":"ann2","spans":[]}
`},
	{"second looks", "ratings", `{"doc_id":"e","segment_id":"3","system":"A","annotator":"ann2","round":2,"spans":[]}
{"doc_id":"e","segment_id":"3","system":"B","annotator":"ann2","round":2,"spans":[]}
`},
	{"adjudications", "ratings", `{"doc_id":"e","segment_id":"3","system":"A","annotator":"jo","adjudicated":true,"spans":[]}
{"doc_id":"e","segment_id":"3","system":"B","annotator":"jo","adjudicated":true,"spans":[{"start":0,"end":4,"severity":"minor","category":"Other"}]}
`},
	{"more segments", "jsonl", `{"doc_id":"d","segment_id":"20","source_lang":"zh","target_lang":"en","source":"庚","translations":{"A":"seven","B":"eight"}}
`},
}

// kept are the tables in which an undo leaves rows: logs, the list of imports, which says what was
// undone, and sums, which may be 0.
var kept = []string{"audit_log", "site_log", "imports", "tallies"}

// nonzeroSums chooses the sums that are not 0.
const nonzeroSums = "tallies WHERE n <> 0 OR x <> 0 OR xx <> 0 OR y <> 0 OR yy <> 0 OR xy <> 0"

// TestUndoneImportsLeaveNothing undoes imports of all kinds, the latest first. After each undo, every byte
// of the exports must be as before the import. The program that undoes is killed on SQLite, and runs to the end on
// PostgreSQL.
func TestUndoneImportsLeaveNothing(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		s := storetest.Campaign(t, db.Store, storetest.Protocol("mqm"), storetest.Segments(0), storetest.Set("gate=on", "rounds=3", "redundancy=2", "threshold=0.9", "tolerance=0", "pseudonyms=yes"))
		storetest.Exec(t, db, "UPDATE campaigns SET source_lang = '', target_lang = ''")
		db.DB.DeadAfter = time.Millisecond // nobody else uses the database
		var before []map[string]string
		var rows []map[string]int
		var sums []int
		for _, f := range undoneImports {
			before, rows = append(before, allExports(t, db, s, true)), append(rows, storetest.RowCounts(t, db))
			sums = append(sums, storetest.Count(t, db, nonzeroSums))
			if _, err := Import(t.Context(), db.Store, s.Campaign, Request{Format: f.format, Files: []File{file(f.name, f.text)}, ByID: s.Lead.ID}); err != nil {
				t.Fatalf("%s: %v", f.name, err)
			}
			db.Clock.Advance(1)
		}
		for i, f := range slices.Backward(undoneImports) {
			id := storetest.Must(db.Intake.Imports(t.Context(), s.Campaign.ID))(t)[len(undoneImports)-1-i].ID
			if db.Driver() == database.SQLite {
				statement := "DELETE FROM documents"
				if f.format == "ratings" || f.format == "mqm-tsv" {
					statement = "DELETE FROM import_segments"
				}
				undoKilled(t, db, s, id, statement)
				storetest.Check(t, db.Intake.DropDead(t.Context()))
			} else {
				storetest.Check(t, db.Intake.UndoImport(t.Context(), s.Campaign.ID, id, intake.UndoOptions{ByID: s.Lead.ID}))
			}
			sameExports(t, "after undoing "+f.name, before[i], allExports(t, db, s, true))
			if n := storetest.Count(t, db, nonzeroSums); n != sums[i] {
				t.Errorf("after undoing %s: %d sums are not 0, want %d", f.name, n, sums[i])
			}
			after := storetest.RowCounts(t, db)
			for _, table := range slices.Sorted(maps.Keys(after)) {
				if !slices.Contains(kept, table) && after[table] != rows[i][table] {
					t.Errorf("after undoing %s: %s has %d rows, want %d", f.name, table, after[table], rows[i][table])
				}
			}
			if p := storetest.Must(storetest.FollowAll(t.Context(), db.Store, s.Campaign.ID))(t); p.Changed() != 0 {
				t.Errorf("after undoing %s: states do not follow: %s", f.name, p)
			}
			if t.Failed() {
				return
			}
		}
		list := storetest.Must(db.Intake.Imports(t.Context(), s.Campaign.ID))(t)
		if i := slices.IndexFunc(list, func(i readmodel.Import) bool { return i.Undone.IsZero() || i.UndoneBy != "lead" }); i >= 0 {
			t.Errorf("%+v is not undone by the lead", list[i])
		}
	})
}

// undoKilled undoes an import while statements fail. The first failing statement is in the transaction
// that marks the import as undone, which changes nothing. The second is in one of the later steps.
func undoKilled(t *testing.T, db *storetest.DB, s *storetest.Sample, id, statement string) {
	t.Helper()
	before := allExports(t, db, s, false)
	for _, statement := range []string{"UPDATE staged_imports SET id", "INSERT INTO audit_log"} {
		works := storetest.FailStatement(db.Store, statement, 1)
		if err := db.Intake.UndoImport(t.Context(), s.Campaign.ID, id, intake.UndoOptions{ByID: s.Lead.ID}); err == nil {
			t.Errorf("%s: undone although a statement failed", statement)
		}
		works()
		sameExports(t, "after an undo that failed", before, allExports(t, db, s, false))
	}
	// After its first commit the undo can't fail, because other programs complete it.
	works := storetest.FailStatement(db.Store, statement, 1)
	storetest.Check(t, db.Intake.UndoImport(t.Context(), s.Campaign.ID, id, intake.UndoOptions{ByID: s.Lead.ID}))
	works()
	storetest.WantCount(t, db, 1, "staged_imports")
}

// TestUndoRefused checks that the store refuses to undo an import on which somebody has worked, or on which
// a later import builds, and that the error names an example.
func TestUndoRefused(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		bring := func(s *storetest.Sample, format, text string) string {
			t.Helper()
			storetest.Must(Import(t.Context(), db.Store, s.Campaign, Request{Format: format, Files: []File{file(format+".x", text)}, ByID: s.Lead.ID}))(t)
			s.Reload(t)
			return storetest.Must(db.Intake.Imports(t.Context(), s.Campaign.ID))(t)[0].ID
		}
		refused := func(s *storetest.Sample, id string, words ...string) {
			t.Helper()
			before := allExports(t, db, s, false)
			err := db.Intake.UndoImport(t.Context(), s.Campaign.ID, id, intake.UndoOptions{})
			storetest.WantErr(t, err, campaign.ErrConflict)
			for _, w := range words {
				if err != nil && !strings.Contains(err.Error(), w) {
					t.Errorf("%q does not say %q", err, w)
				}
			}
			sameExports(t, "after a refused undo", before, allExports(t, db, s, false))
		}
		fresh := func(slug string, settings ...string) (*storetest.Sample, string) {
			s := storetest.Campaign(t, db.Store, storetest.Slug(slug), storetest.Segments(0), storetest.Protocol("esa"), storetest.Set(append(settings, "redundancy=2")...))
			return s, bring(s, "jsonl", twoSegments)
		}
		s, id := fresh("handed-out")
		open := s.Next(t, 0)
		storetest.Must(db.Intake.CheckUndo(t.Context(), s.Campaign, id))(t)
		save(t, s, open)
		refused(s, id, "jsonl.x", "1 segment", "ann1")
		storetest.Exec(t, db, "DELETE FROM drafts")
		storetest.Check(t, db.Intake.UndoImport(t.Context(), s.Campaign.ID, id, intake.UndoOptions{}))
		storetest.WantCount(t, db, 0, "assignments WHERE campaign_id = ?", s.Campaign.ID)
		refused(s, id, "undone already")
		storetest.WantErr(t, db.Intake.UndoImport(t.Context(), s.Campaign.ID, "none", intake.UndoOptions{}), campaign.ErrNotFound)

		s, id = fresh("decided")
		storetest.Check(t, db.Rounds.Discard(t.Context(), s.Campaign.ID, []string{s.RowID(t, "d", "1")}, "no", s.Lead.ID))
		refused(s, id, "a lead has acted since on 1 segment", `"1"`)

		s, id = fresh("built-on")
		later := bring(s, "scores", `{"metric":"M","system":"A","score":1}`+"\n")
		latest := bring(s, "references", `{"doc_id":"d","segment_id":"1","references":{"r":"x"}}`+"\n")
		refused(s, id, "references.x", "undo that one first")
		refused(s, later, "references.x", "undo that one first")
		for _, id := range []string{latest, later, id} {
			storetest.Check(t, db.Intake.UndoImport(t.Context(), s.Campaign.ID, id, intake.UndoOptions{}))
		}

		for kind, text := range map[string]string{
			"references":  `{"doc_id":"d","segment_id":"1","references":{"r":"x"}}`,
			"suggestions": `{"doc_id":"d","segment_id":"1","system":"A","spans":[]}`,
			"ratings":     `{"doc_id":"d","segment_id":"1","system":"A","annotator":"ann2","scores":{"score":1}}`,
		} {
			s, _ = fresh("worked-on-"+kind, "show_reference=yes")
			open := ""
			if kind == "ratings" { // the segment is complete with them, and suggestions come first
				open = s.Next(t, 0)
			}
			id := bring(s, kind, text+"\n")
			if open == "" {
				open = s.Next(t, 0)
			}
			submit(t, s, open)
			refused(s, id, "worked on", "ann1")
			s.SetState(t, campaign.Closed)
			refused(s, id, "is closed")
		}
	})
}

// latestImport is the id of the latest import.
func latestImport(t *testing.T, db *storetest.DB, s *storetest.Sample) string {
	t.Helper()
	return storetest.Must(db.Intake.Imports(t.Context(), s.Campaign.ID))(t)[0].ID
}

// secondLook makes a campaign whose last import rates a segment, in the name of ann2, so that both
// annotators look at it again. turn is the second look of ann1.
func secondLook(t *testing.T, db *storetest.DB, slug string) (s *storetest.Sample, turn string) {
	t.Helper()
	s = storetest.Campaign(t, db.Store, storetest.Slug(slug), storetest.Segments(1), storetest.Set("gate=on", "rounds=2", "redundancy=2", "threshold=0.9", "tolerance=0"))
	s.RateNext(t, 0, 0, 2, 4)
	db.Clock.Advance(1)
	storetest.ImportRatings(t, s, storetest.TurnLines(s, "s1", "ann2", 1, 4, 2, 0)...)
	return s, storetest.Query[string](t, db, "SELECT id FROM assignments WHERE campaign_id = ? AND user_id = ? AND round = 2", s.Campaign.ID, s.Annotators[0].ID)[0]
}

// answerProblem answers the problem that was reported last.
func answerProblem(t *testing.T, s *storetest.Sample) {
	t.Helper()
	storetest.Check(t, s.Store.Work.ResolveProblem(t.Context(), s.Campaign.ID, storetest.AllProblems(t, s)[0].ID, "it is right", false, s.Lead.ID))
}

// TestUndoRefusedForWords: an import stays if people have written about what it brought: reported
// a problem, be it answered or not, or asked the leads something.
func TestUndoRefusedForWords(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *storetest.DB) {
		refused := func(s *storetest.Sample, words string) {
			t.Helper()
			err := db.Intake.UndoImport(t.Context(), s.Campaign.ID, latestImport(t, db, s), intake.UndoOptions{})
			storetest.WantErr(t, err, campaign.ErrConflict)
			if err != nil && !strings.Contains(err.Error(), words) {
				t.Errorf("%q does not say %q", err, words)
			}
		}
		s := storetest.Campaign(t, db.Store, storetest.Slug("segments"))
		storetest.ReportProblem(t, s, 0, s.Next(t, 0), "cut off")
		refused(s, `"s1" by ann1`)
		answerProblem(t, s)
		refused(s, `"s1" by ann1`)

		s, turn := secondLook(t, db, "second-look")
		storetest.ReportProblem(t, s, 0, turn, "cut off")
		refused(s, `"s1" by ann1`)
		answerProblem(t, s)
		refused(s, `"s1" by ann1`)

		s, _ = secondLook(t, db, "messages")
		for i, a := range s.Annotators {
			turn := storetest.Query[string](t, db, "SELECT id FROM assignments WHERE campaign_id = ? AND user_id = ? AND round = 1", s.Campaign.ID, a.ID)[0]
			_, before := db.Intake.CheckUndo(t.Context(), s.Campaign, latestImport(t, db, s))
			if before != nil {
				t.Errorf("after a question about an assignment that stays: %v", before)
			}
			storetest.Check(t, db.Work.Ask(t.Context(), s.Campaign, s.Annotators[i].ID, turn, "1", "why again?"))
		}
		refused(s, `"s1" by ann2`)
	})
}

// TestUndoInStepsKeepsProblems: a problem that was reported since the ratings of an import began to
// be taken back stays, and does not hold up the steps.
func TestUndoInStepsKeepsProblems(t *testing.T) {
	db := storetest.Open(t)
	db.DB.DeadAfter = time.Millisecond // nobody else uses the database
	s, turn := secondLook(t, db, "sample")
	works := storetest.FailStatement(db.Store, "DELETE FROM import_segments", 1)
	storetest.Check(t, db.Intake.UndoImport(t.Context(), s.Campaign.ID, latestImport(t, db, s), intake.UndoOptions{}))
	works()
	storetest.ReportProblem(t, s, 0, turn, "cut off")
	storetest.Exec(t, db, "UPDATE problems SET answer = 'it is right', resolved_at = reported_at + 1")
	storetest.Exec(t, db, "UPDATE assignments SET state = 'open' WHERE id = ?", turn)
	storetest.Exec(t, db, "UPDATE all_segments SET held = FALSE")
	storetest.Check(t, db.Intake.DropDead(t.Context()))
	storetest.Check(t, db.Intake.Completing(t.Context(), s.Campaign.ID))
	if n := len(storetest.AllProblems(t, s)); n != 1 {
		t.Errorf("%d problems are left, want 1", n)
	}
	if p := storetest.Must(storetest.FollowAll(t.Context(), db.Store, s.Campaign.ID))(t); p.Changed() != 0 {
		t.Errorf("states do not follow: %s", p)
	}
}

// adjudicationLines adjudicate a segment of document d1 in the name of somebody.
func adjudicationLines(s *storetest.Sample, segment, login string) []campaign.RatingLine {
	lines := storetest.TurnLines(s, segment, login, 0, 1, 2, 3)
	for i := range lines {
		lines[i].Adjudicated = true
	}
	return lines
}

// TestUndoOfMembers: undoing an import leaves people what leads have made of them since, and takes
// away an account only with the first of the imports that named it.
func TestUndoOfMembers(t *testing.T) {
	db, s := storetest.New(t, storetest.PerDocument(4))
	undo := func(back int) {
		t.Helper()
		id := storetest.Must(db.Intake.Imports(t.Context(), s.Campaign.ID))(t)[back].ID
		storetest.Check(t, db.Intake.UndoImport(t.Context(), s.Campaign.ID, id, intake.UndoOptions{}))
	}
	for _, role := range []campaign.Role{campaign.Lead, campaign.Researcher} {
		u := storetest.AddUser(t, db, "later-"+string(role))
		storetest.ImportRatings(t, s, adjudicationLines(s, "s1", u.Login)...)
		storetest.Check(t, db.Accounts.AddMember(t.Context(), s.Campaign.ID, u.Login, role, s.Lead.ID))
		undo(0)
		if is := storetest.RoleIn(t, db, s.Campaign.Slug, u.ID); is != role {
			t.Errorf("%s has the role %q", u.Login, is)
		}
	}

	s.RateNext(t, 0, 1, 2, 3)
	s.Remove(t, s.Annotators[0].Login)
	storetest.ImportRatings(t, s, adjudicationLines(s, "s2", s.Annotators[0].Login)...)
	if m := storetest.MembershipOf(t, s, s.Annotators[0].Login); !m.Removed || m.Adjudicates {
		t.Errorf("an import made a member of somebody who was removed: %+v", m)
	}
	undo(0)

	users, members := storetest.Count(t, db, "users"), storetest.Count(t, db, "memberships")
	storetest.ImportRatings(t, s, storetest.TurnLines(s, "s1", "una", 1, 1, 2, 3)...)
	storetest.ImportRatings(t, s, append(storetest.TurnLines(s, "s2", "una", 1, 1, 2, 3), storetest.TurnLines(s, "s3", "due", 1, 1, 2, 3)...)...)
	for undone, left := range []int{1, 0} {
		undo(undone)
		if u, m := storetest.Count(t, db, "users"), storetest.Count(t, db, "memberships"); u != users+left || m != members+left {
			t.Errorf("%d accounts and %d members are left, want %d and %d", u, m, users+left, members+left)
		}
	}
}

// TestUndoKeepsNamedAccounts: an account that an import made stays if something refers to it: a member
// whom a lead has set aside, or a row that the undo does not know. Later imports are taken as before.
func TestUndoKeepsNamedAccounts(t *testing.T) {
	db := storetest.Open(t)
	db.DB.DeadAfter = time.Millisecond // nobody else uses the database
	s := storetest.Campaign(t, db.Store, storetest.PerDocument(4))
	storetest.ImportRatings(t, s, append(storetest.TurnLines(s, "s1", "una", 1, 1, 2, 3), storetest.TurnLines(s, "s2", "due", 1, 1, 2, 3)...)...)
	storetest.Check(t, db.Desk.SetAside(t.Context(), s.Campaign.ID, "una", "misread", s.Lead.ID))
	storetest.Check(t, db.Desk.RestoreAnnotator(t.Context(), s.Campaign.ID, "una", "read again", s.Lead.ID))
	storetest.Exec(t, db, "INSERT INTO acceptances (campaign_id, user_id, version, at) SELECT ?, id, 1, 1 FROM users WHERE login = 'due'", s.Campaign.ID)
	storetest.Check(t, db.Intake.UndoImport(t.Context(), s.Campaign.ID, latestImport(t, db, s), intake.UndoOptions{}))
	storetest.WantCount(t, db, 0, "staged_imports")
	if got := storetest.Query[string](t, db, "SELECT login FROM users WHERE imported ORDER BY login"); !slices.Equal(got, []string{"due", "una"}) {
		t.Errorf("the accounts %v are left", got)
	}
	if storetest.MembershipOf(t, s, "una").Removed {
		t.Error("una is removed")
	}
	storetest.ImportRatings(t, s, storetest.TurnLines(s, "s1", "tre", 1, 1, 2, 3)...)
	storetest.Check(t, db.DeleteCampaign(t.Context(), s.Campaign.ID))
	storetest.Check(t, db.CompleteDeletions(t.Context()))
	storetest.WantCount(t, db, 0, "users WHERE imported")
}

// TestUndoKeepsTermsInUse: the severities and categories that an import brought stay if people have
// worked in the campaign since, as the page offered them.
func TestUndoKeepsTermsInUse(t *testing.T) {
	db := storetest.Open(t)
	for _, worked := range []bool{false, true} {
		s := storetest.Campaign(t, db.Store, storetest.Slug(fmt.Sprint("worked-", worked)), storetest.Protocol("mqm"))
		storetest.ImportRatings(t, s, storetest.MarkedRating("s1", s.Systems[0], storetest.Span(0, 1, "", "grave", "Own")))
		db.Clock.Advance(time.Second)
		if worked {
			card := s.Work(t, 0, s.Next(t, 0)).Cards[0]
			storetest.Must(db.Work.SaveCard(t.Context(), s.Campaign, s.Annotators[0].ID, work.CardSave{AssignmentID: s.Next(t, 0), CardID: card.ID, Rating: protocol.Rating{NoErrors: true}}))(t)
		}
		storetest.Check(t, db.Intake.UndoImport(t.Context(), s.Campaign.ID, latestImport(t, db, s), intake.UndoOptions{}))
		s.Reload(t)
		if kept := slices.Contains(s.Campaign.Own.Severities, "grave"); kept != worked {
			t.Errorf("worked since: %t; the campaign's own severities are %v", worked, s.Campaign.Own.Severities)
		}
	}
}

// save has the first annotator score all cards of an assignment.
func save(t *testing.T, s *storetest.Sample, assignment string) (revisions map[string]int) {
	t.Helper()
	revisions = map[string]int{}
	for _, card := range s.Work(t, 0, assignment).Cards {
		r := protocol.Rating{Scores: map[string]float64{"score": 50}, NoErrors: true}
		saved := storetest.Must(s.Store.Work.SaveCard(t.Context(), s.Campaign, s.Annotators[0].ID, work.CardSave{AssignmentID: assignment, CardID: card.ID, Revision: card.Revision, Rating: r}))(t)
		revisions[card.ID] = saved.Revision
	}
	return revisions
}

// submit has the first annotator rate an assignment.
func submit(t *testing.T, s *storetest.Sample, assignment string) {
	t.Helper()
	storetest.Check(t, s.Store.Work.Submit(t.Context(), s.Campaign, s.Annotators[0].ID, assignment, save(t, s, assignment)))
}
