package export

import (
	"fmt"
	"strings"

	"annotate/internal/campaign"
	"annotate/internal/wording"
)

// A loss is a kind of data that a file leaves out or changes.
type loss int

const (
	lossMarkedText loss = iota
	lossNoTranslation
	lossNoScore
	lossNoAverage
	lossSameID
	lossRounds
	lossIncomplete
	lossReplaced
	lossAdjudicated
	lossComments
	lossErrorComments
	lossScores
	lossIDs
	lossLinks
	lossTargets
	lossReferences
	lossContext
	lossDocuments
	lossSpaces
	lossBreaks
	lossNotGold
	lossJudged
	lossLineIDs
	lossDocumentNames
	lossDomains
	lossDataSources
	lossCount
)

// lossTexts describe losses, in the singular and in the plural.
var lossTexts = [lossCount]struct{ one, many string }{
	lossMarkedText: {
		"rating is left out, since its source or translation holds <v> or </v>, with which the table marks errors",
		"ratings are left out, since their sources or translations hold <v> or </v>, with which the table marks errors",
	},
	lossNoTranslation: {
		"segment in gold is left out, since a system has no translation of it and the file holds one by every system",
		"segments in gold are left out, since a system has no translation of them and the file holds one by every system",
	},
	lossNoScore: {
		"segment in gold is left out, since a translation of it has no score",
		"segments in gold are left out, since a translation of them has no score",
	},
	lossNoAverage: {
		"segment is left out, since a translation of it has no imported average",
		"segments are left out, since a translation of them has no imported average",
	},
	lossSameID: {
		"segment has the id of an earlier one of another document, and the file names segments by their ids alone",
		"segments have the id of an earlier one of another document, and the file names segments by their ids alone",
	},
	lossRounds: {
		"rating is left out, since the file holds one round of a segment, the last complete one",
		"ratings are left out, since the file holds one round of a segment, the last complete one",
	},
	lossIncomplete: {"rating is left out, since no round of its segment is complete",
		"ratings are left out, since no round of their segments is complete"},
	lossReplaced: {
		"rating is left out, since the file holds the adjudication of its translation instead",
		"ratings are left out, since the file holds the adjudications of their translations instead",
	},
	lossAdjudicated: {
		"adjudication stands in the table like a rating, since it has no column for the mark",
		"adjudications stand in the table like ratings, since it has no column for the mark",
	},
	lossComments: {"comment has no place in the file", "comments have no place in the file"},
	lossErrorComments: {"comment of a rating with errors has no place in the table",
		"comments of ratings with errors have no place in the table"},
	lossScores: {"rating has scores, which have no place in the table", "ratings have scores, which have no place in the table"},
	lossIDs:    {"id of an error has no place in the table", "ids of errors have no place in the table"},
	lossLinks:  {"link between errors has no place in the table", "links between errors have no place in the table"},
	lossTargets: {
		"link of an error is left out, since the error that it leads to is not in the file",
		"links of errors are left out, since the errors that they lead to are not in the file",
	},
	lossReferences: {
		"reference is left out, since the file holds one for each segment",
		"references are left out, since the file holds one for each segment",
	},
	lossContext: {"context or note has no place in the file", "contexts and notes have no place in the file"},
	lossDocuments: {"segment loses its document, which has no place in the file",
		"segments lose their documents, which have no place in the file"},
	lossSpaces: {
		"text or comment has tabs or line breaks, which are spaces in the table",
		"texts and comments have tabs or line breaks, which are spaces in the table",
	},
	lossBreaks:  {"text has line breaks, which are spaces in the files", "texts have line breaks, which are spaces in the files"},
	lossNotGold: {"rating is left out, since gold is not formed of it", "ratings are left out, since gold is not formed of them"},
	lossJudged: {
		"adjudication stands in the files like a rating, since they have no place for the mark",
		"adjudications stand in the files like ratings, since they have no place for the mark",
	},
	lossLineIDs: {"segment has the number of its line as its id in the files",
		"segments have the numbers of their lines as their ids in the files"},
	lossDocumentNames: {
		"segment has a document with another name in the files, which have no spaces in names, and documents of adjacent lines alone",
		"segments have documents with other names in the files, which have no spaces in names, and documents of adjacent lines alone",
	},
	lossDomains: {
		"segment has a domain with another name in the files, which have no spaces in names, and none for no domain",
		"segments have domains with other names in the files, which have no spaces in names, and none for no domain",
	},
	lossDataSources: {"data source has no place in the files", "data sources have no place in the files"},
}

// maxPlaces is how many places of each kind of loss are named.
const maxPlaces = 3

// losses counts the losses of a file and keeps the first places of each kind.
type losses [lossCount]struct {
	n      int
	places []string
	more   bool // there are more places than places lists
}

// add counts n losses in a segment. system names the translation, or is empty if the
// loss concerns the segment.
func (l *losses) add(kind loss, n int, s campaign.Segment, system string) {
	if n == 0 {
		return
	}
	x := &l[kind]
	x.n += n
	if x.more {
		return
	}
	where := fmt.Sprintf("segment %s of document %s", wording.Quote(s.SegmentID), wording.Quote(s.DocID))
	if system != "" {
		where += " by " + wording.Quote(system)
	}
	switch {
	case len(x.places) > 0 && x.places[len(x.places)-1] == where:
	case len(x.places) == maxPlaces:
		x.more = true
	default:
		x.places = append(x.places, where)
	}
}

// notes returns a line for each kind of loss, with its number and its first places.
func (l *losses) notes() (out []string) {
	for kind, x := range l {
		if x.n == 0 {
			continue
		}
		places := strings.Join(x.places, ", ")
		if x.more {
			places += ", and others"
		}
		out = append(out, fmt.Sprintf("%s: %s", wording.Counted(x.n, lossTexts[kind].one, lossTexts[kind].many), places))
	}
	return out
}

// unsettled counts the ratings of a translation that [settled] does not return.
func (l *losses) unsettled(s campaign.Segment, t campaign.Translation) {
	switch {
	case t.Adjudication != nil:
		l.add(lossReplaced, len(t.Ratings), s, t.System)
	case campaign.CompleteRound(s) == 0:
		l.add(lossIncomplete, len(t.Ratings), s, t.System)
	default:
		l.add(lossRounds, len(t.Ratings)-len(settled(s, t)), s, t.System)
	}
}

// withComment returns how many ratings have a comment.
func withComment(ratings []campaign.Rating) int {
	n := 0
	for _, r := range ratings {
		if r.Comment != "" {
			n++
		}
	}
	return n
}

// linked returns a rating without its links to errors that the file does not contain, and counts
// these. settled says that the file contains only the ratings of the last complete round of each
// segment, or its adjudication.
func (l *losses) linked(r campaign.Rating, settled bool, s campaign.Segment, system string) campaign.Rating {
	var n int
	in := make(map[string]bool, len(r.Partners))
	for id, partner := range r.Partners {
		in[id] = partner.Settled || !settled
	}
	r.Rating, n = r.Rating.KeepLinks(in)
	l.add(lossTargets, n, s, system)
	return r
}
