// Package segments has the pages of segments for leads and researchers: the list, the queue, one segment with its
// history and the acts of a lead, messages about segments, and judgements.
package segments
