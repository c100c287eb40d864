package judge

import "encoding/json"

// himateExamples are the worked examples of subtype evaluation: one for each subtype, and one without an
// error for all.
func himateExamples() []example {
	list := []example{{
		SourceLang: "English", TargetLang: "German", Source: "The shop opens at nine.", Translation: "Der Laden öffnet um neun.",
		Answer: `{"error": false}`,
	}}
	add := func(subtype, source, translation, severity, span, explanation string) {
		answer := struct {
			Error       bool   `json:"error"`
			Severity    string `json:"severity"`
			Span        string `json:"span"`
			Explanation string `json:"explanation"`
		}{true, severity, span, explanation}
		b, err := json.Marshal(answer)
		if err != nil {
			panic("judge: " + err.Error())
		}
		list = append(list, example{
			For: subtype, SourceLang: "English", TargetLang: "German", Source: source, Translation: translation, Answer: string(b),
		})
	}
	add("Addition", "Our boat has two sails.", "Unser Boot hat zwei Segel und ein Ruder.", "Major", "und ein Ruder", "The source does not mention it.")
	add("Omission", "She sold the old red bicycle.", "Sie verkaufte das rote Fahrrad.", "Minor", "old", "The translation does not say that the bicycle is old.")
	add(
		"Mistranslation", "He left the note on the desk.", "Er ließ die Note auf dem Schreibtisch.", "Major", "die Note",
		"A note is a written message here, not a mark at school.",
	)
	add(
		"Untranslated text", "The harvest was poor this year.", "Die harvest war dieses Jahr schlecht.", "Major", "harvest",
		"The English word was left in the text.",
	)
	add(
		"Inappropriate for context", "Save the file before you close it.", "Sparen Sie die Datei, bevor Sie sie schließen.", "Major", "Sparen",
		"In software a file is stored, and German has another verb for that.",
	)
	add(
		"Inconsistent use", "Open the app. The app shows your trips.", "Öffnen Sie die App. Die Anwendung zeigt Ihre Fahrten.", "Minor", "Anwendung",
		"The same thing has two names.",
	)
	add("Punctuation", "If it rains, we stay.", "Wenn es regnet bleiben wir.", "Minor", "regnet bleiben", "The comma between the clauses is missing.")
	add("Spelling", "The rhythm was slow.", "Der Rytmus war langsam.", "Minor", "Rytmus", "A letter is missing.")
	add("Grammar", "The dogs were asleep.", "Die Hunde war am Schlafen.", "Major", "war", "The verb does not agree with its plural subject.")
	add(
		"Register", "Dear Sir, please take a seat.", "Sehr geehrter Herr, setz dich bitte.", "Minor", "setz dich",
		"The pronoun is too familiar for a stranger.",
	)
	add(
		"Inconsistency", "Anna came in. Anna sat down.", "Anna kam herein. Anne setzte sich.", "Minor", "Anne",
		"The name of the same person is written in two ways.",
	)
	add("Character encoding", "The cafe is closed.", "Das CafÃ© ist geschlossen.", "Minor", "CafÃ©", "The accented letter is garbled.")
	add(
		"Awkward", "It rained, so we stayed at home.", "Es regnete, was dazu führte, dass ein Zuhausebleiben stattfand.", "Minor",
		"ein Zuhausebleiben stattfand", "No German speaker would put it this way.",
	)
	add(
		"Address format", "Send it to 12 Mill Lane.", "Senden Sie es an 12 Mühlgasse.", "Minor", "12 Mühlgasse",
		"In German the number follows the name of the street.",
	)
	add(
		"Currency format", "It costs $1,250.50.", "Es kostet $1,250.50.", "Minor", "$1,250.50",
		"German writes a decimal comma and puts the sign after the number.",
	)
	add("Date format", "We met on 3/14/2021.", "Wir trafen uns am 3/14/2021.", "Major", "3/14/2021", "German puts the day first and uses full stops.")
	add("Name format", "Signed: Brown, Peter", "Unterzeichnet: Brown Peter", "Minor", "Brown Peter", "Without a comma the first name stands first in German.")
	add(
		"Telephone format", "Call 020 555 0199 from within the city.", "Rufen Sie innerhalb der Stadt 0205550199 an.", "Minor", "0205550199",
		"German parts the area code from the number.",
	)
	add("Time format", "The train leaves at 6:40 p.m.", "Der Zug fährt um 6:40 p.m.", "Minor", "6:40 p.m.", "German uses 24 hours for timetables.")
	return list
}
