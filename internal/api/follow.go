package api

import "annotate/internal/readmodel"

// A Following says which campaign a campaign follows, and how.
type Following struct {
	Campaign string   `json:"campaign" doc:"slug of the campaign that follows"`
	From     string   `json:"from,omitempty" doc:"slug of the campaign that it follows; missing if it follows none, or one that was deleted"`
	Title    string   `json:"title,omitempty" doc:"title of the campaign that it follows"`
	Deleted  bool     `json:"deleted" doc:"the campaign that it follows was deleted"`
	Archived bool     `json:"archived" doc:"the campaign that it follows is archived, and hands nothing on"`
	Where    []string `json:"where" doc:"conditions that a settled segment must meet, such as keep=yes"`
	Carry    []string `json:"carry" doc:"what the segments bring"`
	Ready    int      `json:"ready" doc:"segments that can be taken over"`
}

// FollowingOf says which campaign the one with a slug follows. f is nil if it follows none.
func FollowingOf(slug string, f *readmodel.Following) Following {
	out := Following{Campaign: slug, Where: []string{}, Carry: []string{}}
	if f == nil {
		return out
	}
	out.From, out.Title, out.Deleted, out.Archived, out.Ready = f.Slug, f.Title, f.Gone, f.Archived, f.Ready
	out.Where, out.Carry = append(out.Where, f.Where...), append(out.Carry, f.Carry...)
	return out
}

// NewTexts says how many segments have taken over a text that changed in the campaign that theirs follows.
type NewTexts struct {
	Segments int `json:"segments" doc:"segments with a new text"`
}
