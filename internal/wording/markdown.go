package wording

import "strings"

// escapes are those of [Markdown]. HTML is written with entities, since not all programs know \<.
var escapes = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "|", `\|`, "<", "&lt;", ">", "&gt;", "&", "&amp;",
	"[", `\[`, "]", `\]`, "#", `\#`, "~", `\~`, "\r\n", " ", "\n", " ", "\r", " ")

// Markdown writes a text so that Markdown shows it unchanged, in one line: no part of it is a
// heading, a link or HTML.
func Markdown(text string) string { return escapes.Replace(text) }

// MarkdownCode writes a name as code in Markdown. A name that code can't hold, since it has a
// backtick or a line break, is written as text.
func MarkdownCode(name string) string {
	if strings.ContainsAny(name, "`\r\n") {
		return Markdown(name)
	}
	return "`" + name + "`"
}
