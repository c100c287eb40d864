package judge

// mmadExamples are the worked examples of stage 1: three for each dimension and one of a
// non-translation, which all dimensions have.
func mmadExamples() []example {
	var list []example
	add := func(dimension, source, translation string, errors ...annotation) {
		for i := range errors {
			errors[i].IsSourceError = "no"
		}
		list = append(list, example{
			For: dimension, SourceLang: "English", TargetLang: "German", Source: source, Translation: translation,
			Answer: annotations(errors).String(),
		})
	}
	add("accuracy", "The ferry leaves at seven unless the wind turns.", "Die Fähre legt um sieben an, falls der Wind nicht dreht.",
		annotation{ErrorSpan: "legt um sieben an", Category: "accuracy/mistranslation", Severity: "major"})
	add("accuracy", "Store the seeds in a dry place.", "Bewahren Sie die Samen an einem trockenen und dunklen Ort auf.",
		annotation{ErrorSpan: "und dunklen", Category: "accuracy/addition", Severity: "minor"})
	add("accuracy", "My aunt runs a small bakery.", "Meine Tante betreibt eine kleine Bäckerei.")

	add("fluency", "He has been waiting for the bus since noon.", "Er wartet seit mittag auf den Buss.",
		annotation{ErrorSpan: "mittag", Category: "fluency/spelling", Severity: "minor"},
		annotation{ErrorSpan: "Buss", Category: "fluency/spelling", Severity: "minor"})
	add("fluency", "The nurses who cared for him were proud.", "Die Pflegerinnen, die ihn gepflegt hat war stolz.",
		annotation{ErrorSpan: "hat war", Category: "fluency/grammar", Severity: "major"})
	add("fluency", "We painted the fence in spring.", "Im Frühling haben wir den Zaun gestrichen.")

	add("terminology", "Tighten the bolt with a torque wrench.", "Ziehen Sie den Bolzen mit einem Drehschlüssel fest.",
		annotation{ErrorSpan: "Drehschlüssel", Category: "terminology/inappropriate for context", Severity: "major"})
	add("terminology", "Open the app. The app shows your trips.", "Öffnen Sie die App. Die Anwendung zeigt Ihre Fahrten.",
		annotation{ErrorSpan: "Anwendung", Category: "terminology/inconsistent use", Severity: "minor"})
	add("terminology", "The patient was given a mild sedative.", "Dem Patienten wurde ein leichtes Beruhigungsmittel gegeben.")

	add("style", "It rained, so we stayed at home.", "Es regnete, was dazu führte, dass ein Zuhausebleiben unsererseits stattfand.",
		annotation{ErrorSpan: "ein Zuhausebleiben unsererseits stattfand", Category: "style/awkward", Severity: "minor"})
	add("style", "Please let us know what you think.", "Bitte lassen Sie uns wissen das, was Sie am Denken sind.",
		annotation{ErrorSpan: "das, was Sie am Denken sind", Category: "style/awkward", Severity: "major"})
	add("style", "The market opens early on Saturdays.", "Samstags öffnet der Markt früh.")

	add("", "The bridge will be closed for repairs until May.", "Blau dreizehn hier Brücke der Lampe schnell von Apfel.",
		annotation{ErrorSpan: "all", Category: "non-translation", Severity: "major"})
	return list
}
