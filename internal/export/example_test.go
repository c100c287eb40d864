package export_test

import (
	"fmt"
	"os"

	"annotate/internal/campaign"
	"annotate/internal/export"
	"annotate/internal/protocol"
)

// idiom is a segment that two annotators agree on.
func idiom() campaign.Segment {
	rating := func(login string, score float64) campaign.Rating {
		return campaign.Rating{Annotator: login, Round: 1, Rating: protocol.Rating{Scores: map[string]float64{"sqm": score}}, Seconds: 8.5}
	}
	return campaign.Segment{
		DocID: "d1", SegmentID: "1", Domain: "SNS", SourceLang: "zh", TargetLang: "en", Source: "画蛇添足",
		References: []campaign.Reference{{Name: "ref", Text: "gilding the lily"}},
		Translations: []campaign.Translation{
			{System: "Aster", Text: "drawing legs on a snake", Gold: &campaign.Gold{Score: 1.5}, Ratings: []campaign.Rating{rating("lin", 1), rating("mara", 2)}},
			{System: "Birch", Text: "to overdo it", Gold: &campaign.Gold{Score: 4}, Ratings: []campaign.Rating{rating("lin", 4), rating("mara", 4)}},
		},
		Status: campaign.Agreed, Round: 1,
	}
}

func ExampleJSONL() {
	if err := export.JSONL(os.Stdout, source(nil, idiom())); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"doc_id":"d1","segment_id":"1","domain":"SNS","source_lang":"zh","target_lang":"en","source":"画蛇添足","reference":"gilding the lily","translations":{"Aster":"drawing legs on a snake","Birch":"to overdo it"}}
}

func ExampleRatings() {
	p, _ := protocol.Lookup("sqm")
	if _, err := export.Ratings(os.Stdout, p, source(nil, idiom())); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"doc_id":"d1","segment_id":"1","system":"Aster","annotator":"lin","round":1,"scores":{"sqm":1},"spans":[],"comment":"","seconds":8.5}
	// {"doc_id":"d1","segment_id":"1","system":"Aster","annotator":"mara","round":1,"scores":{"sqm":2},"spans":[],"comment":"","seconds":8.5}
	// {"doc_id":"d1","segment_id":"1","system":"Birch","annotator":"lin","round":1,"scores":{"sqm":4},"spans":[],"comment":"","seconds":8.5}
	// {"doc_id":"d1","segment_id":"1","system":"Birch","annotator":"mara","round":1,"scores":{"sqm":4},"spans":[],"comment":"","seconds":8.5}
}

func ExampleMENT() {
	systems, _, err := export.MENT(os.Stdout, export.MENTOptions{Annotators: []string{"lin", "mara"}}, source(nil, idiom()))
	if err != nil {
		fmt.Println(err)
	}
	systems.WriteTo(os.Stdout)
	// Output:
	// {"qid":"1","category":"SNS","src_lang":"zh","trans_lang":"en","src":"画蛇添足","ref":"gilding the lily","trans_0":"drawing legs on a snake","avg_trans_0_score":1.5,"trans_0_annotators":["A","B"],"trans_0_scores":[1,2],"trans_1":"to overdo it","avg_trans_1_score":4.0,"trans_1_annotators":["A","B"],"trans_1_scores":[4,4]}
	// {"trans_0":"Aster","trans_1":"Birch"}
}

func ExampleCSV() {
	p, _ := protocol.Lookup("sqm")
	if _, err := export.CSV(os.Stdout, p, export.CSVOptions{}, source(nil, idiom())); err != nil {
		fmt.Println(err)
	}
	// Output:
	// doc_id,segment_id,domain,system,annotator,round,status,sqm,spans,comment,seconds,submitted_at,in_gold
	// d1,1,SNS,Aster,lin,1,agreed,1,[],,8.5,,yes
	// d1,1,SNS,Aster,mara,1,agreed,2,[],,8.5,,yes
	// d1,1,SNS,Birch,lin,1,agreed,4,[],,8.5,,yes
	// d1,1,SNS,Birch,mara,1,agreed,4,[],,8.5,,yes
}
