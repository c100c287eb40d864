package site

import "annotate/internal/campaign"

// TrainPath is the address of the page on which an annotator sees their training.
func TrainPath(m Membership) string { return "/campaigns/" + m.Campaign.Slug + "/train" }

// TrainingPath is the address of a page on which leads prepare and follow the training.
func TrainingPath(m Membership, sub string) string {
	return "/campaigns/" + m.Campaign.Slug + "/training" + sub
}

// ResultPath is the address of a result, for an annotator or for a lead.
func ResultPath(m Membership, id string) string {
	if m.Role == campaign.Annotator {
		return TrainPath(m) + "/results/" + id
	}
	return TrainingPath(m, "/results/"+id)
}

// AssignmentPath is the address of an assignment's page.
func AssignmentPath(m Membership, id string) string {
	return "/campaigns/" + m.Campaign.Slug + "/assignments/" + id
}
