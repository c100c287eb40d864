package transfer

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"annotate/internal/campaign"
	"annotate/internal/store/storetest"
)

const twoSegments = `{"doc_id":"d","segment_id":"1","source":"甲","translations":{"A":"a 🙂","B":"b"}}
{"doc_id":"d","segment_id":"2","source":"乙\n","translations":{"A":"a2","B":""}}
`

func file(name, text string) File { return File{Name: name, Reader: strings.NewReader(text)} }

// What only the store can find in a table is told with the row it is in.
func TestProblemsOfATableNameTheirRow(t *testing.T) {
	const head = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Protocol("mqm"), storetest.Segments(0))
	imported := func(rows string) error {
		_, err := Import(t.Context(), db.Store, s.Campaign, Request{Format: "mqm-tsv", Files: []File{file("t.tsv", head+rows)}})
		return err
	}
	storetest.Check(t, imported("A\td\t1\t1\tx\teins\tone\tNo-error\tNo-error\nB\td\t1\t1\tx\teins\tuno\tNo-error\tNo-error\n"))
	for name, tt := range map[string]struct{ rows, want string }{
		"rated already": {"A\td\t1\t1\ty\teins\tone\tNo-error\tNo-error\n" + "B\td\t1\t1\ty\teins\tuno\tNo-error\tNo-error\n" +
			"B\td\t1\t1\tx\teins\t<v>uno</v>\tOther\tmajor\n" + "B\td\t1\t1\tx\teins\tu<v>no</v>\tOther\tmajor\n",
			"t.tsv:4: annotator: rating of B by x: x has rated"},
		"another text": {"A\td\t1\t1\ty\teins\tone\tNo-error\tNo-error\n" + "B\td\t1\t1\ty\teins\tdos\tNo-error\tNo-error\n",
			"t.tsv:3: translations.B: differs from the text"},
		"a new system": {"A\td\t1\t1\ty\teins\tone\tNo-error\tNo-error\n" + "b\td\t1\t1\ty\teins\tuno\tNo-error\tNo-error\n",
			`t.tsv:3: translations: the campaign has no system "b"; its systems are "A", "B"`},
	} {
		err := imported(tt.rows)
		if problems, ok := errors.AsType[*campaign.Problems](err); !ok || problems.Count() != 1 || !strings.HasPrefix(problems.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", name, err, tt.want)
		}
	}
}

func exported(t *testing.T, db *storetest.DB, c campaign.Campaign, format string) string {
	t.Helper()
	var b bytes.Buffer
	storetest.Must(Export(t.Context(), db.Store, c, format, &b))(t)
	return b.String()
}

// TestSeveralFilesAreOneImport: a problem in the second file keeps the first out,
// and is told with its name.
func TestSeveralFilesAreOneImport(t *testing.T) {
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Segments(0))
	_, err := Import(t.Context(), db.Store, s.Campaign, Request{Format: "jsonl", Files: []File{
		file("good.jsonl", twoSegments), file("bad.jsonl", strings.ReplaceAll(twoSegments, `"2"`, `"3"`)),
	}})
	problems, ok := errors.AsType[*campaign.Problems](err)
	if !ok || problems.Count() != 1 || problems.List[0].File != "bad.jsonl" || problems.List[0].Line != 1 || problems.List[0].Field != "segment_id" {
		t.Fatalf("got %v, want the duplicate in bad.jsonl:1", err)
	}
	if n := len(s.All(t)); n != 0 {
		t.Errorf("%d segments are stored", n)
	}
	_, err = Import(t.Context(), db.Store, s.Campaign, Request{Format: "jsonl", Files: []File{
		file("first.jsonl", twoSegments), file("other.jsonl", `{"segment_id":"9","source":"x","translations":{"A":"","C":""}}`),
	}})
	if problems, ok := errors.AsType[*campaign.Problems](err); !ok || problems.List[0].File != "other.jsonl" {
		t.Errorf("a file with other systems: %v", err)
	}
}

func TestCheckStoresNothing(t *testing.T) {
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Segments(0))
	report, err := Import(t.Context(), db.Store, s.Campaign, Request{Format: "jsonl", Files: []File{file("s.jsonl", twoSegments)}, Check: true})
	if err != nil || report.Segments != 2 || report.Translations != 4 {
		t.Errorf("the check reports %+v %v", report, err)
	}
	if n := len(s.All(t)); n != 0 {
		t.Errorf("%d segments are stored", n)
	}
}

func TestRequestsRefused(t *testing.T) {
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Segments(0))
	good := []File{file("s.jsonl", twoSegments)}
	for name, req := range map[string]Request{
		"format":        {Format: "xml", Files: good},
		"no file":       {Format: "jsonl"},
		"other pair":    {Format: "jsonl", Files: good, LanguagePair: "en-de"},
		"no pair":       {Format: "jsonl", Files: good, LanguagePair: "nonsense"},
		"ratings' pair": {Format: "ratings", Files: good, LanguagePair: "zh-en"},
		"no marks":      {Format: "suggestions", Files: good},
		"scores":        {Format: "mqm-tsv", Files: good},
	} {
		_, err := Import(t.Context(), db.Store, s.Campaign, req)
		if _, ok := errors.AsType[*campaign.InvalidError](err); !ok {
			t.Errorf("%s: got %v, want an InvalidError", name, err)
		}
	}
	for _, format := range []string{"xml", "suggestions"} {
		if _, err := Export(t.Context(), db.Store, s.Campaign, format, &bytes.Buffer{}); err == nil {
			t.Error("exported", format)
		}
	}
}

// TestMENTSystems: the mapping names the systems even where no segment is in gold.
func TestMENTSystems(t *testing.T) {
	db := storetest.Open(t)
	s := storetest.Campaign(t, db.Store, storetest.Systems(2))
	var b bytes.Buffer
	systems, err := Export(t.Context(), db.Store, s.Campaign, "ment", &b)
	if err != nil || b.Len() != 0 {
		t.Fatalf("exported %q %v", b.String(), err)
	}
	var got map[string]string
	if err := json.Unmarshal(systems, &got); err != nil || got["trans_0"] != s.Systems[0] || got["trans_1"] != s.Systems[1] {
		t.Errorf("the mapping is %s %v", systems, err)
	}
	if alone, err := MENTSystems(t.Context(), db.Store, s.Campaign); err != nil || !bytes.Equal(alone, systems) {
		t.Errorf("the mapping alone is %s %v, want %s", alone, err, systems)
	}
}
