package templates

// An ExportView offers the data of a campaign as files. Downloads are at
// …/export/{format} and …/export/ment.systems.json.
type ExportView struct {
	Page
	Segments    int
	InGold      int // of Segments
	Systems     int
	Ratings     int // submitted
	HumanScores int // segments with imported averages "ment"; 0: none
	Licence     string
	Formats     []string // that the campaign offers; nil: all
}

// An exportCard is one kind of file with what it holds now.
type exportCard struct {
	ID, Name, About string
	Holds           string // in numbers
	Empty           string // why there is nothing to download yet; empty: there is
	Systems         bool   // a file beside it says which system is which
}

func (v ExportView) cards() []exportCard {
	segments := counted(v.Segments, "segment") + ", " + counted(v.Systems, "system")
	noSegments, noRatings, noGold := "", "", ""
	if v.Segments == 0 {
		noSegments = "Nothing is imported yet."
	}
	if v.Ratings == 0 {
		noRatings = "No rating is submitted yet."
	}
	gold := count(v.InGold) + " of " + counted(v.Segments, "segment") + " in gold"
	switch {
	case v.InGold > 0:
	case v.Ratings == 0 && v.HumanScores > 0:
		gold = counted(v.HumanScores, "segment") + " with imported averages"
	default:
		noGold = "No segment is in gold yet."
	}
	all := []exportCard{
		{ID: "jsonl", Name: "Segments, jsonl", About: "Sources, references and translations, one segment a line, as they were imported. No ratings.", Holds: segments, Empty: noSegments},
		{ID: "ratings", Name: "Ratings, jsonl", About: "Every submitted rating with annotator, round, scores, comment and active time, one a line. With the segments a new campaign can be made of it, in which what was still in work counts as complete.", Holds: counted(v.Ratings, "rating"), Empty: noRatings},
		{ID: "ment", Name: "Gold, MENT", About: "Segments in gold with average scores and each annotator's, in the format of the MENT data. Systems are numbered; a second file says which is which.", Holds: gold, Empty: noGold, Systems: true},
		{ID: "csv", Name: "Ratings, csv", About: "One row a rating with the segment's domain and status, for spreadsheets and statistics.", Holds: counted(v.Ratings, "rating"), Empty: noRatings},
	}
	if v.Formats == nil {
		return all
	}
	var out []exportCard
	for _, id := range v.Formats {
		for _, c := range all {
			if c.ID == id {
				out = append(out, c)
			}
		}
	}
	return out
}

func (v ExportView) lead() string {
	if v.Segments == 0 {
		return "There is nothing to export yet."
	}
	return count(v.InGold) + " of " + counted(v.Segments, "segment") + " (" + percent(v.InGold, v.Segments) + ") are in gold, with " + counted(v.Ratings, "rating") + " in all rounds."
}
