package setup

import (
	"strings"

	"annotate/internal/server/site"
)

// A sampleDocument is a short document in one language, to show how a protocol looks.
type sampleDocument struct {
	lang                   string // BCP 47
	before, segment, after string // a document of three segments
	clumsy, wrong          string // the segment as it should not be translated
}

// sampleDocuments are the same document in several languages.
var sampleDocuments = []sampleDocument{
	{
		"en", "The old ferry has crossed the river for sixty years.",
		"This spring a bridge will replace it, and its last captain is not happy about it.", "“A bridge has no stories,” she says.",
		"In spring it gets replaced with a bridge and his last captain rejoices not over it.", "This spring a bridge will replace it, and its last captain is looking forward to it.",
	},
	{
		"de", "Seit sechzig Jahren überquert die alte Fähre den Fluss.",
		"In diesem Frühjahr wird sie durch eine Brücke ersetzt, und ihre letzte Kapitänin ist nicht glücklich darüber.", "„Eine Brücke hat keine Geschichten“, sagt sie.",
		"In diesen Frühling, es wird von einer Brücke ersetzt und sein letzter Kapitän freut nicht darüber.", "In diesem Frühjahr wird sie durch eine Brücke ersetzt, und ihre letzte Kapitänin freut sich darauf.",
	},
	{
		"fr", "Le vieux bac traverse le fleuve depuis soixante ans.",
		"Ce printemps, un pont va le remplacer, et sa dernière capitaine n’en est pas heureuse.", "« Un pont n’a pas d’histoires », dit-elle.",
		"Dans ce printemps il devient remplacé avec un pont et son dernier capitaine pas se réjouit.", "Ce printemps, un pont va le remplacer, et sa dernière capitaine s’en réjouit.",
	},
	{
		"es", "El viejo transbordador cruza el río desde hace sesenta años.",
		"Esta primavera lo sustituirá un puente, y su última capitana no está contenta.", "«Un puente no tiene historias», dice.",
		"En este primavera es sustituido con un puente y el capitán último suyo no alegra sobre eso.", "Esta primavera lo sustituirá un puente, y su última capitana está encantada.",
	},
	{
		"zh", "这艘老渡轮在河上往返了六十年。",
		"今年春天，一座桥将取代它，最后一任船长对此并不高兴。", "她说：“桥是没有故事的。”",
		"这个春天它将被一个桥代替，和它的最后船长不快乐关于它。", "今年春天，一座桥将取代它，最后一任船长对此十分期待。",
	},
	{
		"ar", "تعبر العبّارة القديمة النهر منذ ستين عامًا.",
		"في هذا الربيع سيحلّ جسر محلّها، وقبطانتها الأخيرة ليست سعيدة بذلك.", "تقول: «ليس للجسر حكايات».",
		"في هذا الربيع سوف يتم استبدالها بواسطة جسر و قبطانها الأخير لا يفرح عنه.", "في هذا الربيع سيحلّ جسر محلّها، وقبطانتها الأخيرة تتطلّع إلى ذلك.",
	},
}

// samplePair returns the samples in two languages. English or German stand for a language that has no sample, so that the two
// are not the same.
func samplePair(sourceTag, targetTag string) (source, target sampleDocument) {
	other := "en"
	if sampleIn(targetTag, "de").lang == other {
		other = "de"
	}
	source, other = sampleIn(sourceTag, other), "de"
	if source.lang == other {
		other = "en"
	}
	return source, sampleIn(targetTag, other)
}

// sampleIn returns the sample in a language. If there is none, it is the Arabic one for a
// language that is written from right to left, and otherwise the one in the language other.
func sampleIn(tag, other string) sampleDocument {
	base, _, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(tag, "_", "-")), "-")
	if site.Lang(tag).Dir == "rtl" {
		other = "ar"
	}
	var found sampleDocument
	for _, t := range sampleDocuments {
		if t.lang == base {
			return t
		}
		if t.lang == other {
			found = t
		}
	}
	return found
}
