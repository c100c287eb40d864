// Package lookup finds the segments and translations that lines of files name. A line names a segment
// by its ids in the files, with or without the document, and a translation by its system as well. If
// there is no such segment or translation, lookup returns a [campaign.Problem] that says what to do.
package lookup
