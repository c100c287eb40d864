package ingest

import (
	"strings"
	"testing"
)

// TestFits: the formats that a file can have are found by its name and its first bytes.
func TestFits(t *testing.T) {
	all := []string{"jsonl", "table", "ment", "ratings", "mqm-tsv", "scores", "references", "suggestions", "judgements"}
	for _, tt := range []struct{ name, file, text, want string }{
		{"a workbook", "a.xlsx", "PK\x03\x04\x14\x00", "table"},
		{"a workbook by its content", "a", "PK\x03\x04\x14\x00 xl/workbook.xml", "table"},
		{"a Word document", "a.docx", "PK\x03\x04\x14\x00", ""},
		{"commas", "a.txt", "source,A\nx,y\n", "table references"},
		{"semicolons", "a.csv", "source;A\nx;y\n", "table"},
		{"tabs", "a.tsv", "source\tA\nx\ty\n", "table"},
		{"one column", "a.csv", "source\nx\n", "table"},
		{"UTF-16", "a.txt", "\xff\xfes\x00", "table"},
		{"old Macs", "a.csv", "source,A\rx,y\r", "table"},
		{"marked errors", "a.tsv", "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\nA\td\t1\t1\tr\ts\tt\tNo-error\tNo-error\n", "mqm-tsv"},
		{"marked errors of today", "a.tsv", "doc\tdocSegId\tglobalSegId\tsystem\trater\tsource\ttarget\tcategory\tseverity\nd\t1\t1\tA\tr\ts\tt\tNo-error\tNo-error\n", "mqm-tsv"},
		{"scores", "BLEU.seg.score", "A\t1\nA\t2\n", "scores"},
		{"references", "refA.txt", "One.\nTwo.\n", "references"},
		{"segments", "a.csv", `{"segment_id":"1","source":"s","translations":{}}` + "\n", "jsonl"},
		{"ratings", "a.jsonl", `{"segment_id":"1","system":"A","annotator":"x","scores":{}}` + "\n", "ratings"},
		{"averages", "a.avg_seg_scores.tsv", "system mqm_avg_score seg_id\nA\t-1.000000 1\nA\tNone 2\n", ""},
		{"a web page", "a.csv", "<!doctype html>\n", ""},
	} {
		if got := strings.Join(Fits([]byte(tt.text), tt.file, all), " "); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
