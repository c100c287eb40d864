package outbox

import (
	"strings"

	"annotate/internal/wording"
)

// SignInLink is the letter with a sign-in link for a person. lasts says in words how long the link
// works.
func (s *Store) SignInLink(path, lasts string) Letter {
	return Letter{
		About:   "sign-in link",
		Subject: "Your sign-in link",
		Text: "You can sign in with this link. It works once, within " + lasts + ":\n\n" + s.baseURL + path +
			"\n\nAnyone who has this link can sign in as you. Do not hand it on.",
	}
}

// Invitation is the letter with the first sign-in link of a person who was invited to a campaign.
func (s *Store) Invitation(by, title, role, path, lasts string) Letter {
	return invitation("invitation", by, title, role, "Sign in with this link. It works once, within "+lasts+":\n\n"+s.baseURL+path+
		"\n\nAnyone who has this link can sign in as you. Do not hand it on.")
}

// JoinLink is the letter to a person who has an account and must accept an invitation.
func (s *Store) JoinLink(by, title, role, path, lasts string) Letter {
	return invitation("join link", by, title, role, "Sign in as usual, and open this link within "+lasts+". Nothing changes until you accept:\n\n"+s.baseURL+path)
}

// invitation is a letter that invites a person to a campaign; how says how they join.
func invitation(about, by, title, role, how string) Letter {
	return Letter{About: about, Subject: "Invitation to " + title, Text: by + " invites you to the campaign “" + title + "” as " + role + ". " + how}
}

// Joined is the letter to a person who has become a member of a campaign.
func (s *Store) Joined(title, role string) Letter {
	return Letter{
		About:   "new campaign",
		Subject: "You take part in " + title,
		Text:    "You take part in the campaign “" + title + "” as " + role + " from now on. It is here:\n\n" + s.baseURL + "/work",
	}
}

// Forgotten is the letter to a person who has asked for a sign-in link on the sign-in page.
func (s *Store) Forgotten(login, path, lasts string) Letter {
	return Letter{
		About:   "forgotten password",
		Subject: "Your sign-in link",
		Text: "You, or another person, asked for a link to sign in as " + login + ". It works once, within " + lasts + ". Once you are signed in, you can set a new password on your account page:\n\n" + s.baseURL + path +
			"\n\nIf you did not ask for it, ignore this mail: nothing has changed.",
	}
}

// OtherAddress is the letter to the former address of an account.
func (s *Store) OtherAddress(login string) Letter {
	return Letter{
		About:   "other address",
		Subject: "Your e-mail address was changed",
		Text:    "Mails for the account " + login + " at " + s.baseURL + " no longer come here. If you did not change the address, sign in, sign out all other browsers on your account page, and tell the lead of your campaign.",
	}
}

// A DueDay is a day by which an annotator has documents to finish.
type DueDay struct {
	Day       string // such as 2026-11-20
	Documents int
}

// Due is the letter about documents of a campaign that are due soon or overdue for an annotator.
func (s *Store) Due(title string, overdue bool, days []DueDay) Letter {
	var lines []string
	for _, d := range days {
		lines = append(lines, d.Day+": "+wording.Counted(d.Documents, "document"))
	}
	l := Letter{About: "due date", Subject: "Due soon in " + title, Text: "These documents of the campaign “" + title + "” are due soon:"}
	if overdue {
		l = Letter{About: "overdue", Subject: "Overdue in " + title, Text: "These documents of the campaign “" + title + "” were due and are not finished:"}
	}
	l.Text += "\n\n" + strings.Join(lines, "\n") + "\n\nYour work is here: " + s.baseURL + "/work\n\nIf you can't finish them, tell the lead of the campaign, who can give them to another annotator."
	return l
}

// Answer is the letter with a lead's answer to messages or problems of an annotator, which are about a number of
// segments.
func (s *Store) Answer(title, text string, segments int) Letter {
	about, they := "a segment", "The segment"
	if segments > 1 {
		about, they = wording.Counted(segments, "segment"), "The segments"
	}
	return Letter{
		About:   "answer",
		Subject: "Answer in " + title,
		Text:    "A lead of the campaign “" + title + "” writes to you about " + about + ":\n\n" + text + "\n\n" + they + " and all messages are here: " + s.baseURL + "/work",
	}
}
