package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"annotate/internal/campaign"
)

// TestImportTable: a lead brings a spreadsheet with names of their own in the browser, says by
// keyboard what its columns hold, and imports it.
func TestImportTable(t *testing.T) {
	b := browser(t)
	w := newWorldOf(t, "esa", "de", "en")
	m := &marker{annotator: *newAnnotator(t, b, w, nil), login: "lead"}
	const text = "Unsere Texte für den Versuch;;;;\nNr;Deutsch;DeepL;Modell 2;Notiz\n1;\"Die Fähre; alt und müde,\nschläft im Hafen.\";The ferry sleeps.;An old ferry;kurz\n2;Ufer;Shore;;\n"
	run(t, m.ctx, "sign in", Look(1440, 900, false), SignIn(w.invite("lead", campaign.Lead)), chromedp.Navigate(w.url+"/campaigns/"+w.slug+"/import"), Visible("#file"))
	run(t, m.ctx, "upload", choose("#file", "texte.csv", text), do(`document.querySelector('input[name=format][value=table]').checked = true`), opens(".btn-main"), Visible("#table-title"))
	accessible(t, m.ctx, pagesJudge(t), "the columns of a table")
	if said := ask[string](t, m.ctx, `document.querySelector('.notice-info').innerText`); !strings.Contains(said, "No column is the source") {
		t.Errorf("it says %q", said)
	}
	for column, role := range map[string]string{"0": "the id", "1": "the source text", "2": "translations by DeepL", "3": "translations by Modell", "4": "a note"} {
		run(t, m.ctx, "the role of column "+column, chromedp.Focus(`select[name="role.`+column+`"]`))
		m.typeText(role)
	}
	run(t, m.ctx, "import", chromedp.Focus(".table-columns .btn-main"), leaves(Key("Enter")), Visible("#report-title"))
	got := w.exported("jsonl")
	for _, want := range []string{`"segment_id":"1"`, `"source":"Die Fähre; alt und müde,\nschläft im Hafen."`, `"note":"kurz"`, `"DeepL":"Shore"`, `"Modell 2":null`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}
