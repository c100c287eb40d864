package ingest_test

import (
	"errors"
	"fmt"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/ingest"
	"annotate/internal/protocol"
)

func ExampleSegments() {
	file := `{"doc_id":"d1","segment_id":1,"source":"画蛇添足","reference":"gilding the lily","translations":{"Birch":"to overdo it","Aster":"drawing legs on a snake"}}
{"doc_id":"d1","segment_id":2,"source":"","translations":{"Aster":"","Birch":5}}
{"doc_id":"d1","segment_id":3,"source":"加油","translations":{"Aster":"add oil","Birch":""}}
`
	options := ingest.Options{File: "idioms.jsonl", SourceLang: "zh", TargetLang: "en"}
	for line, err := range ingest.Segments("jsonl", strings.NewReader(file), options) {
		if problem, ok := errors.AsType[*campaign.Problem](err); ok {
			fmt.Println(problem)
			continue
		}
		if err != nil {
			fmt.Println("cannot go on:", err)
			return
		}
		s := line.Segment
		fmt.Printf("%d: %s, %s>%s\n", line.Line, s.SegmentID, s.SourceLang, s.TargetLang)
		for _, t := range s.Translations {
			fmt.Printf("   %s %q\n", t.System, t.Text)
		}
	}
	// Output:
	// 1: 1, zh>en
	//    Aster "drawing legs on a snake"
	//    Birch "to overdo it"
	// idioms.jsonl:2:40: source: empty; give the source text
	// idioms.jsonl:2:78: translations.Birch: must be a text in double quotes, not a number; an empty translation is ""
	// 3: 3, zh>en
	//    Aster "add oil"
	//    Birch ""
}

// The values are those of Figures 11 and 13 of the MENT paper.
func ExampleSegments_ment() {
	file := `{"src":"老师群号在置顶评论","trans_0":"The teacher's group is over the comment box.","trans_0_annotators":["G","A","D"],"trans_0_scores":[0,1,0],"avg_trans_0_score":0.33}
{"src":"Lo! in the orient","trans_0":"东方的光","avg_trans_0_score":0.5}
`
	for line, err := range ingest.Segments("ment", strings.NewReader(file), ingest.Options{}) {
		if err != nil {
			fmt.Println(err)
			continue
		}
		t := line.Segment.Translations[0]
		fmt.Println(line.Segment.SegmentID, t.System, t.HumanScores)
		for _, r := range t.Ratings {
			fmt.Println("  ", r.Annotator, r.Scores)
		}
	}
	// Output:
	// 1 system_0 []
	//    A map[sqm:1]
	//    D map[sqm:0]
	//    G map[sqm:0]
	// 2 system_0 [{ment 0.5}]
}

func ExampleRatings() {
	file := `{"segment_id":1,"system":"Aster","annotator":"lin","scores":{"sqm":3},"seconds":12.5}
{"segment_id":1,"system":"Birch","annotator":"lin","scores":{"sqm":5}}
`
	sqm, _ := protocol.Lookup("sqm")
	for line, err := range ingest.Ratings(strings.NewReader(file), sqm, ingest.Options{File: "ratings.jsonl"}) {
		if err != nil {
			fmt.Println(err)
			continue
		}
		r := line
		fmt.Println(r.SegmentID, r.System, r.Annotator, r.Round, r.Scores, r.Seconds)
	}
	// Output:
	// 1 Aster lin 1 map[sqm:3] 12.5
	// ratings.jsonl:2:68: scores.sqm: Score must be a whole number from 0 to 4, not 5
}

func ExampleMQM() {
	table := "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n" +
		"Aster\ttalk\t1\t7\tlin\tDer Brotteig 🙂\tThe <v>bread</v> 🙂\tAccuracy/Mistranslation\tMajor\n" +
		"Aster\ttalk\t1\t7\tmei\tDer Brotteig 🙂\tThe bread 🙂\tNo-error\tNo-error\n" +
		"Aster\ttalk\t1\t7\tlin\tDer Brotteig 🙂\tThe bread <v>🙂</v>\tFluency/Punctuation\tminor\n"
	p, _ := protocol.Lookup("mqm")
	for line, err := range ingest.MQM(strings.NewReader(table), p, ingest.Options{}, nil) {
		if err != nil {
			fmt.Println(err)
			continue
		}
		for _, r := range line.Segment.Translations[0].Ratings {
			fmt.Println(line.Segment.SegmentID, r.Annotator, p.Values(r.Rating))
			for _, s := range r.Spans {
				fmt.Printf("  [%d, %d) %s: %s %s/%s\n", s.Start, s.End, s.Text, s.Severity, s.Category, s.Subcategory)
			}
		}
	}
	// Output:
	// 7 lin [{mqm MQM 5.1}]
	//   [4, 9) bread: major Accuracy/Mistranslation
	//   [10, 11) 🙂: minor Fluency/Punctuation
	// 7 mei [{mqm MQM 0}]
}

func ExampleParseLanguagePair() {
	source, target, err := ingest.ParseLanguagePair("pt-BR-en", "", "")
	fmt.Println(source, target, err)
	_, _, err = ingest.ParseLanguagePair("pt-br-de", "", "")
	fmt.Println(err)
	source, target, err = ingest.ParseLanguagePair("pt-br-de", "pt-BR", "de")
	fmt.Println(source, target, err)
	// Output:
	// pt-BR en <nil>
	// "pt-br-de" can be divided in more than one place; write regions in capitals, as in pt-BR-en, or set the languages of the campaign first
	// pt-br de <nil>
}
