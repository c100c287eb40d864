// Package annotating has the pages of people who rate: My work, the annotate page, which adjudicators use too, their own
// segments and numbers, guide, instructions and announcements.
package annotating
