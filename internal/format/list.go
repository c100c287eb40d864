package format

import "annotate/internal/protocol"

const (
	csvType   = "text/csv; charset=utf-8"
	jsonlType = "application/jsonl; charset=utf-8"
)

// all lists the formats in the order in which they are offered.
var all = []Format{
	{JSONL, &Input{
		Name: "jsonl", About: "Segments: one JSON object a line, with the source and every system's translation. Where the segment is rated itself, translations are its candidates and may be left out.",
		Help:     "segments with their translations",
		Example:  segmentsExample,
		Segments: true,
	}, &Output{
		Name: "Segments, jsonl", About: "Sources, references and translations, one segment a line, as they were imported. No ratings.",
		Help: "segments with their translations", Content: ContentSegments, None: "segments", Type: jsonlType, Ending: ".jsonl",
	}},
	{Table, &Input{
		Name: "table", About: "Segments in a spreadsheet, as XLSX, CSV or TSV: one row a segment, a column with the source, and one with the translations of each system. You say which column is what before anything is stored.",
		Help:     "segments in a spreadsheet (XLSX, CSV, TSV): a row for each segment, with the columns source, doc_id, segment_id, domain, reference, context and note, of which only source is needed, and a column for each system. --sheet, --header-row and --column say what the table does not",
		Example:  always("doc_id;segment_id;source;system A;system B\nnews-17;1;…;…;…\nnews-17;2;…;…;…"),
		Segments: true,
	}, nil},
	{Text, &Input{
		Name: "Text files", About: "Segments in files with one text a line: sources.txt, a file with the name of each system, and references.txt and documents.txt if there are any. Import them together.",
		Help: "segments in several files with one text a line: sources.txt, a file NAME.txt for each system, and references.txt and documents.txt if there are any",
		Example: always(
			"sources.txt        one source a line\nsystem A.txt       the translations of system A\nsystem B.txt       the translations of system B\nreferences.txt     the references; several are refA.txt, refB.txt\ndocuments.txt      for each line a domain, a tab, and the name of the document",
		),
		Segments: true, Fit: Fit{translations, segmentsRated},
	}, nil},
	{MENT, &Input{
		Name: "MENT", About: "Segments with numbered translations and, where they have been rated, scores by annotator.",
		Help: "segments, translations and scores as in the MENT data",
		Example: always(`{"qid": "1", "src_lang": "zh", "trans_lang": "en", "src": "…", "ref": "…", "trans_0": "…", "trans_1": "…"}
{"qid": "2", "src_lang": "zh", "trans_lang": "en", "src": "…", "trans_0": "…", "trans_0_annotators": ["A", "B"], "trans_0_scores": [3, 4]}`),
		Segments: true, Ratings: true, Fit: Fit{translations, segmentsRated},
	}, &Output{
		Name: "Gold, MENT", About: "Segments in gold with average scores and each annotator's, in the format of the MENT data. Systems are numbered; a second file says which is which.",
		Help:    "SQM: segments in gold with their scores, as in the MENT data; with --out FILE, FILE.systems.json names the system of each trans_i",
		Content: ContentGold, None: "segments in gold", Lossy: true, Systems: true, Type: jsonlType, Ending: ".ment.jsonl",
		Fit: Fit{is("sqm"), "ment lists scores from 0 to 4 by SQM; export ratings, csv or mtme"},
	}},
	{Ratings, &Input{
		Name: "ratings", About: "Finished ratings of segments that are in the campaign, with their scores and marked errors. Unknown annotators get accounts that can't sign in.",
		Help:    "finished ratings, with error spans, of segments that are in the campaign",
		Example: ratingsExample, Ratings: true,
	}, &Output{
		Name: "Ratings, jsonl", About: "Every submitted rating with annotator, round, scores, marked errors, comment and active time, one a line. With the segments a new campaign can be made of it, in which what was still in work counts as complete.",
		Help:    "all submitted ratings with their errors. The exports jsonl, suggestions, ratings and scores, imported in this order, restore the campaign without the acts of leads and without work that is set aside",
		Content: ContentRatings, None: "submitted ratings", Links: true, Type: jsonlType, Ending: ".ratings.jsonl",
	}},
	{RATE, &Input{
		Name: "RATE", About: "Segments and finished ratings in the format of the RATE data, one rating a line with both texts, accuracy, fluency and marked errors. Derived scores are computed anew.",
		Help: "segments and ratings as in the RATE data. A segment that is in the campaign already gets the ratings",
		Example: always(
			`{"annotator": "mara", "doc_id": "news-17", "doc_num": 1, "line_id": 1, "domain": "news", "system": "system A", "source": "…", "translation": "…", "score_accuracy": 90, "score_fluency": 85, "spans": [{"start": 0, "end": 1, "severity": 2, "category": "Style"}]}
{"annotator": "mara", "doc_id": "news-17", "doc_num": 1, "line_id": 1, "domain": "news", "system": "system B", "source": "…", "translation": "…", "score_accuracy": 100, "score_fluency": 100, "spans": []}`,
		),
		Segments: true, Ratings: true,
		Fit: Fit{is("rate"), "rate holds the scores and errors of RATE, and the protocol of the campaign is %s; import it into a campaign with %s"},
	}, &Output{
		Name: "Ratings, RATE", About: "One line a rating in the format of the RATE data: both texts, accuracy, fluency, marked errors, and the three scores that derive from them.",
		Help:    "RATE: a line for each rating with its errors and all scores",
		Content: ContentRatings, None: "complete round with ratings", Lossy: true, Type: jsonlType, Ending: ".rate.jsonl",
		Fit: Fit{is("rate"), "rate holds the scores and errors of RATE; export ratings or csv"},
	}},
	{ESA, &Input{
		Name: "ESA tables", About: "Tables of finished ratings, items.NAME.tsv, as those of the ESA campaigns of WMT, together with the file of the batches (JSON) that has their texts. Scores, times and annotators come in; the tables do not say where errors are.",
		Help: "tables of ratings as those of the ESA campaigns of WMT, together with the file of the batches, which has their texts",
		Example: always(
			"item\tis_bad\tlogin\tannotator\tscore\tend_time\tduration_seconds\n1#news-17#system A\tTGT\tengdeu6901\tA01\t80\t1711197671.449\t60.4",
		),
		Segments: true, Ratings: true,
		Fit: Fit{is("esa"), "the tables hold scores of ESA, and the protocol of the campaign is %s; import them into a campaign with %s"},
	}, nil},
	{MQM, &Input{
		Name: "mqm-tsv", About: "The WMT MQM table, of either generation: one row a marked error, with the error between <v> and </v>. It brings segments and finished ratings at once.",
		Help: "the WMT MQM table: segments, translations and marked errors. A segment that is in the campaign already gets the ratings",
		Example: always(
			"system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\nsystem A\tnews-17\t1\t1\trater1\t…\t… <v>wrong</v> …\tAccuracy/Mistranslation\tMajor\nsystem B\tnews-17\t1\t1\trater1\t…\t…\tNo-error\tNo-error",
		),
		Segments: true, Ratings: true,
		Fit: Fit{
			isTable,
			"mqm-tsv holds marked errors and no scores, and the protocol of the campaign is %s; import it into a campaign with %s, or with a protocol of your own that asks for marks alone and has the severities minor and major",
		},
	}, &Output{
		Name: "Marked errors, WMT table", About: "The table of the WMT MQM data, which its tools read: one row a marked error, which stands between <v> and </v>, and one a rating without errors. Entered scores have no place in it. Texts are kept byte for byte, so open the csv in a spreadsheet, not this.",
		Help:    "protocols with error spans: the WMT table, a row for each error, with spaces for tabs and line breaks; not for spreadsheets",
		Content: ContentRatings, Lossy: true, Type: "text/tab-separated-values; charset=utf-8", Ending: ".mqm.tsv",
		Fit: Fit{marks, "mqm-tsv has a row for each marked error, and none are marked here; export ratings or csv"},
	}},
	{Pearmut, &Input{
		Name: "Pearmut", About: "A campaign of Pearmut, its log of annotations, or both: segments with translations, suggested errors and finished ratings. Tutorials, forms and checks of attention are left out, and so are submissions that a reset or a later one replaces.",
		Help: "campaigns (CAMPAIGN.json) and logs of annotations (CAMPAIGN.jsonl, or a download) of Pearmut, together or alone: segments, translations, suggested errors and ratings. Users become annotators",
		Example: always(
			`{"annotation": [{"system A": {"score": 70, "error_spans": [{"start_i": 4, "end_i": 8, "severity": "minor", "category": null}]}}], "actions": […], "item": [{"item_id": "news-17_#_1", "src": "…", "tgt": {"system A": "…"}}], "user_id": "…", "item_i": 0}`,
		),
		Segments: true, Ratings: true, Fit: Fit{errorsOrScores, "pearmut has scores and errors of translations, and under %s, the protocol of the campaign, segments or terms are rated; import it into a campaign with %s"},
	}, &Output{
		Name: "Pearmut", About: "A zip archive with a campaign that Pearmut loads, and the ratings as its log of annotations. Marks count UTF-16 units there, without line breaks and a few HTML tags, and marks without words are [missing].",
		Help:    "a zip archive with a campaign for Pearmut, and the ratings as its log of annotations",
		Content: ContentSegments, None: "segments", Lossy: true, Type: "application/zip", Ending: ".pearmut.zip",
		Fit: Fit{errorsOrScores, "pearmut has scores and errors of translations, and segments or terms are rated here; export ratings or csv"},
	}},
	{Appraise, &Input{
		Name: "Appraise", About: "Batches of Appraise and its score file, together, or its scores with texts (JSON lines), as Appraise exports them and WMT publishes them: segments with translations, given errors, and finished ratings by ESA, MQM or direct assessment. Tutorials, items that check annotators and the repeated texts of whole documents are left out, and of several rows of a login for an item the last counts.",
		Help: "batches (JSON) and scores (CSV) of Appraise together, or its scores with texts (JSON lines), also as WMT publishes them: segments, translations, given errors and ratings by ESA, MQM or direct assessment",
		Example: always(
			`[{"items": [{"mqm": [], "documentID": "news-17#system A", "sourceID": "set", "targetID": "set.system A", "itemType": "TGT", "sourceText": "…", "targetText": "…", "itemID": 1, "_item": "system A | 0 | news-17", "isCompleteDocument": false}], "task": {"batchNo": 1, "sourceLanguage": "eng", "targetLanguage": "deu"}}]

login,set.system A,1,TGT,eng,deu,87,news-17#system A,False,"[{""start_i"":4,""end_i"":8,""severity"":""minor"",""error_type"":null}]",1711317347.693,1711317351.02`,
		),
		Segments: true, Ratings: true,
		Fit: Fit{
			hundred,
			"appraise holds one score from 0 to 100, or marked errors alone, and the protocol of the campaign is %s; import it into a campaign with %s, or with a protocol of your own that asks for that",
		},
	}, &Output{
		Name: "Appraise", About: "A zip archive with batches of 100 items, the manifest of a campaign, and the ratings as Appraise exports them. Comments, links and rounds have no place in it.",
		Help:    "ESA, MQM: a zip archive with batches of 100 items for Appraise, a manifest, and the ratings as its score file",
		Content: ContentSegments, None: "segments", Lossy: true, Type: "application/zip", Ending: ".appraise.zip",
		Fit: Fit{hundred, "appraise has one score from 0 to 100, or marks alone; export ratings, csv or pearmut"},
	}},
	{CSV, nil, &Output{
		Name: "Ratings, csv", About: "One row a rating with the segment's domain and status, and every score, entered or derived, for spreadsheets and statistics. Texts that a spreadsheet would run as a formula, since they begin with =, +, - or @, have an apostrophe before them; the exact file does not.",
		Help:    "a row for each rating with its derived scores, for spreadsheets. A text that begins with =, +, -, @, a tab or a line break gets an apostrophe before it, so that no spreadsheet runs it as a formula",
		Content: ContentRatings, Exact: ExactCSV, Links: true, Type: csvType, Ending: ".csv",
	}},
	{ExactCSV, nil, &Output{
		Name: ExactCSV, Help: "csv with unchanged texts; not for spreadsheets",
		Content: ContentRatings, Type: csvType, Ending: ".exact.csv",
	}},
	{Answers, nil, &Output{
		Name: "Answers, csv", About: "One row an answer to a question of the protocol, with segment, annotator and round, and one row for each gold answer, whose round is gold.",
		Help:    "protocols with questions: a row for each answer to a question that is no number, and one for each gold answer",
		Content: ContentRatings, None: "submitted ratings", Type: csvType, Ending: ".answers.csv",
		Fit: Fit{asks, "answers has the answers to questions, and the protocol asks none; export ratings or csv"},
	}},
	{Gold, nil, &Output{
		Name: "Gold, csv", About: "One row a translation in gold: every human score as a mean and as a z-score, the number of annotators, the segment's status, and whether an adjudicator or a lead decided it, with the errors that an adjudicator marked. If there are questions, each gold answer and whether it comes from one annotator, all, a majority or an adjudicator.",
		Help:    "a row for each translation in gold: every human score, raw and as a z-score, the number of annotators, the errors of an adjudication, and gold answers with from whom they come",
		Content: ContentGold, Links: true, Type: csvType, Ending: ".gold.csv",
	}},
	{GoldJSON, nil, &Output{
		Name: "Gold, jsonl", About: "The same as the table of gold, one JSON object a line.",
		Help: "gold as JSON lines", Content: ContentGold, Links: true, Type: jsonlType, Ending: ".gold.jsonl",
	}},
	{MTME, &Input{
		Name: "mt-metrics-eval", About: "The folder of a test set of mt-metrics-eval, as a zip or tgz archive: sources, references, documents, the outputs of systems, scores of people and metrics, and the errors that each rater marked.",
		Help: "a folder of mt-metrics-eval, or a zip or tgz archive of it: segments with references, domains and systems, human scores, metric scores, and ratings. Of a folder with several language pairs, --language-pair names one",
		Example: always(`sources/en-de.txt
documents/en-de.docs
references/en-de.refA.txt
system-outputs/en-de/system A.txt
human-scores/en-de.mqm.seg.score
human-scores/en-de.mqm.rater1.seg.rating
metric-scores/en-de/BLEU-refA.seg.score`),
		Segments: true, Ratings: true, Fit: Fit{translations, segmentsRated},
	}, &Output{
		Name: "mt-metrics-eval directory", About: "A zip archive of the files that mt-metrics-eval reads: sources, references, documents, system outputs, the protocol's scores as human scores, also z-normalised, None where nobody rated, the ratings of each annotator, and metric scores.",
		Help:    "gold scores, ratings, metric scores and texts as a directory for mt-metrics-eval, given with --out DIR. Files are added to an existing directory, and no file is overwritten",
		Content: ContentSegments, Lossy: true, Type: "application/zip", Ending: ".mtme.zip",
		Fit: Fit{translations, "a test set has the translations of systems, and segments are rated here; export ratings, csv or answers"},
	}},
	{Scores, &Input{
		Name: "scores", About: "What automatic metrics say: a file BLEU-refA.seg.score, whose name is the metric's, has for each system one line a segment, in the order of the segments; one BLEU-refA.sys.score has one line a system. Or one JSON object a line. Scores that the metric has already are replaced.",
		Help:    "scores of automatic metrics: METRIC.seg.score and METRIC.sys.score of mt-metrics-eval, or JSON lines. An existing score is replaced. --lower-is-better, or the key lower_is_better of a JSON line, declares that a lower score is better. The metric is then negated wherever metrics are judged",
		Example: scoresExample,
	}, &Output{
		Name: "Metric scores", About: "What automatic metrics said, as it was imported, one JSON object a line.",
		Help: "imported scores of automatic metrics", Content: ContentMetrics, None: "metric scores", Type: jsonlType, Ending: ".scores.jsonl",
	}},
	{References, &Input{
		Name: "references", About: "Human translations of segments that are in the campaign: a file NAME.txt with one a line, in the order of the segments, or lines like those of jsonl.",
		Help:    "references of segments that are in the campaign: NAME.txt with a line for each segment in the order of the campaign, or JSON lines",
		Example: always(`{"doc_id": "news-17", "segment_id": "1", "references": {"refA": "…", "refB": "…"}}`),
	}, nil},
	{Suggestions, &Input{
		Name: "suggestions", About: "Error spans that annotators accept, change or reject on each translation; what became of them is exported with the ratings. They come before anybody begins the segment, and replace earlier ones of the translation. The origin is never shown to annotators.",
		Help: "error spans that annotators accept, change or reject, with one translation a line. Import them before the ratings of a segment and before anybody begins it",
		Example: always(
			`{"doc_id": "news-17", "segment_id": "1", "system": "system A", "origin": "…", "spans": [{"start": 4, "end": 9, "text": "…", "severity": "…"}]}`,
		),
		Fit: Fit{
			marks,
			"suggestions are marks of errors to decide on, and under %s, the protocol of the campaign, none are marked; import them into a campaign with %s, or with a protocol of your own that asks for marks",
		},
	}, &Output{
		Name: "Suggestions, jsonl", About: "The error spans that were suggested to annotators, one translation a line; what became of each stands in the ratings. Into a new campaign they go before these.",
		Help:    "error spans that were suggested to annotators. The ratings say whether annotators accepted, changed or rejected them",
		Content: ContentSuggestions, None: "suggestions", Type: jsonlType, Ending: ".suggestions.jsonl",
		Fit: Fit{marks, "suggestions are marks of errors to decide on, and none are marked here; export ratings or csv"},
	}},
	{Terms, &Input{
		Name: "terms", About: "The terms of each segment, such as those that are bound to a culture, one a line: where it stands in the source or in the reference, what it means, and which term of the other text it goes with. They come before anybody begins the segment, and replace earlier ones of the segment.",
		Help: "terms that annotators judge in each translation, one a line. The lines of a segment stand together. Import them before anybody begins the segment",
		Example: always(
			`{"doc_id": "news-17", "segment_id": "1", "id": "t1", "side": "source", "start": 4, "end": 9, "text": "…", "category": "Material", "explication": "…", "equivalent": "…", "link": "t2"}
{"doc_id": "news-17", "segment_id": "1", "id": "t2", "side": "reference", "start": 0, "end": 7, "text": "…", "category": "Material"}`,
		),
		Fit: Fit{
			func(p *protocol.Protocol) bool { return p.Given != "" },
			"terms are given to be judged in translations, and under %s, the protocol of the campaign, none are given; import them into a campaign with %s, or with a protocol of your own that has given",
		},
	}, &Output{
		Name: "Terms, jsonl", About: "The terms of each segment, one a line: those that were given or, if annotators mark terms, the gold ones.",
		Help:    "protocols with terms: a line for each term that is given, or that is gold",
		Content: ContentTerms, None: "terms", Type: jsonlType, Ending: ".terms.jsonl",
		Fit: Fit{terms, "no terms are marked or given here; export ratings or csv"},
	}},
	{Judgements, &Input{
		Name: "judgements", About: "What judges say: models or other tools that score translations or mark errors in them. One judge and one translation a line, or one source if the campaign rates sources. Annotators never see them. Judgements that a judge has already are replaced.",
		Help: "scores and error spans by judges, such as language models, with a line for each judge and translation. An existing judgement is replaced. They count nowhere as ratings of people, and may be imported at any time",
		Example: always(
			`{"judge": "…", "method": "…", "model": "…", "doc_id": "news-17", "segment_id": "1", "system": "system A", "score": -6, "spans": [{"start": 4, "end": 9, "text": "…", "severity": "major"}]}`,
		),
	}, &Output{
		Name: "Judgements, jsonl", About: "What judges said, one judge and translation a line: score, marked errors, and the trace of every call to a model with prompt, reply, tokens and time.",
		Help:    "scores and error spans by judges, with the traces of their calls",
		Content: ContentJudgements, None: "judgements", Type: jsonlType, Ending: ".judgements.jsonl",
	}},
	{Checks, nil, &Output{
		Name: "Checks, jsonl", About: "The checks that were mixed into the work of annotators, one a line: the original and the text that was shown, the score, what it is compared with, and whether the check is passed. They are in no other file.",
		Help:    "the checks of annotators with what was shown, the scores, and whether they are passed; they are in no other format",
		Content: ContentChecks, None: "checks", Type: jsonlType, Ending: ".checks.jsonl",
	}},
}

func is(id string) func(*protocol.Protocol) bool {
	return func(p *protocol.Protocol) bool { return p.ID == id }
}

// hundred reports whether p asks for one score from 0 to 100, or for marks of errors alone.
func hundred(p *protocol.Protocol) bool {
	if len(p.Scores) == 0 {
		return marks(p)
	}
	return len(p.Scores) == 1 && p.Scores[0].Min == 0 && p.Scores[0].Max == 100
}

// translations reports whether translations are rated under p, and not segments.
func translations(p *protocol.Protocol) bool { return !p.OfSegments() }

// errorsOrScores reports whether translations get scores or errors under p, and not answers about terms.
func errorsOrScores(p *protocol.Protocol) bool { return translations(p) && p.Given == "" }

// segmentsRated says why a format that begins a campaign does not fit a protocol whose unit is the segment.
const segmentsRated = "files of this format hold translations to rate, and under %s, the protocol of the campaign, segments are rated; import jsonl or table, or into a campaign with %s"

// asks reports whether p asks questions that are not numbers, of a card or of a term.
func asks(p *protocol.Protocol) bool {
	return len(p.Asks()) > 0 || p.Spans != nil && len(p.Spans.Questions) > 0
}

// terms reports whether terms are marked in segments under p, or given.
func terms(p *protocol.Protocol) bool { return p.MarksReference() || p.Given != "" }

// marks reports whether errors are marked under p.
func marks(p *protocol.Protocol) bool { return p.MarksErrors() }

// isTable reports whether a table of marked errors has all that p asks for: minor and
// major errors, and no scores.
func isTable(p *protocol.Protocol) bool {
	if p.Spans == nil || len(p.Scores) > 0 {
		return false
	}
	for _, id := range []string{"minor", "major"} {
		if _, ok := p.Spans.Severity(id); !ok {
			return false
		}
	}
	return true
}
