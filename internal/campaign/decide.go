package campaign

import (
	"slices"

	"github.com/project-codeflare/cfctl/internal/forge"
)

// A Stage is how far a repository's pull request is.
type Stage string

// The stages. A maintainer's word is final: what is declined, edited or merged is
// not touched again, but for a repository that is named with --reopen.
const (
	Opening  Stage = "opening"  // it was about to be opened: the next run looks what became of it
	Opened   Stage = "open"     // it waits for a maintainer
	Merged   Stage = "merged"   // a maintainer merged it
	Declined Stage = "declined" // it existed, and a maintainer closed it or removed its branch
	Edited   Stage = "edited"   // a maintainer took the branch over
	Blocked  Stage = "blocked"  // the forge refuses it: each run tries again
	Stale    Stage = "stale"    // another default branch, or its history was rewritten: work again
	Away     Stage = "away"     // the repository is archived, disabled or gone

	Withdrawing Stage = "withdrawing" // the campaign is about to close it
	Withdrawn   Stage = "withdrawn"   // the campaign closed it; it is opened again when the campaign goes on
)

// A Record is what the opener knows of a repository.
type Record struct {
	Key    string   `json:"key"`
	Name   string   `json:"name"` // the last one that was seen
	Stage  Stage    `json:"stage"`
	Digest string   `json:"digest,omitempty"` // of the plan that was pushed
	Pushed []string `json:"pushed,omitempty"` // every commit that was pushed, or was about to be: a push can have been refused
	Number int      `json:"number,omitempty"`
	Node   string   `json:"node,omitempty"`
	URL    string   `json:"url,omitempty"`
	Text   string   `json:"text,omitempty"` // why it is blocked, stale or away
	At     string   `json:"at,omitempty"`
}

// A view is what was seen of a repository before anything is done.
type view struct {
	result    *Result
	record    *Record      // nil = the opener has not been there
	pulls     []forge.Pull // of the campaign's branch, newest first
	head      string       // of the branch; "" = it is not there
	conflicts bool         // the open one cannot be merged
	reopen    bool         // a maintainer asked for it
}

// An act is what is done next.
type act struct {
	stage  Stage      // what is known now; Opening = there is something to do
	push   bool       // move the branch from its head to the result's commit
	create bool       // open a pull request
	pull   forge.Pull // that the stage is about
}

// ours says whether a commit is one that the campaign made.
func (v view) ours(commit string) bool {
	return commit == v.result.Commit || v.record != nil && slices.Contains(v.record.Pushed, commit)
}

// decide says what is to be done, from what was seen alone. It never touches a
// branch with a commit that the campaign did not make, and never opens a second
// pull request.
func decide(v view) act {
	for _, p := range v.pulls {
		if p.Open {
			return v.standing(p)
		}
	}
	var newest forge.Pull
	if len(v.pulls) > 0 {
		newest = v.pulls[0]
	}
	switch {
	case newest.Merged && !v.reopen:
		return act{stage: Merged, pull: newest}
	case newest.Number != 0 && !v.reopen && !v.withdrew(newest):
		return act{stage: Declined, pull: newest}
	case v.head != "" && !v.ours(v.head):
		return act{stage: Edited, pull: newest}
	case newest.Number == 0 && v.record != nil && v.record.Number != 0 && !v.reopen && !v.withdrew(forge.Pull{Number: v.record.Number}):
		return act{stage: Declined} // the forge no longer has the pull request
	}
	return act{stage: Opening, push: v.head != v.result.Commit, create: true}
}

// withdrew says whether the campaign itself closed a pull request.
func (v view) withdrew(p forge.Pull) bool {
	return v.record != nil && v.record.Number == p.Number && (v.record.Stage == Withdrawing || v.record.Stage == Withdrawn)
}

// standing is what is done about a pull request that is open.
func (v view) standing(p forge.Pull) act {
	switch {
	case !v.ours(p.Head) || v.head != "" && !v.ours(v.head):
		return act{stage: Edited, pull: p}
	case v.head == v.result.Commit || v.head == "":
		return act{stage: Opened, pull: p}
	case v.conflicts || v.record != nil && v.record.Digest != v.result.Digest:
		return act{stage: Opening, push: true, pull: p}
	}
	return act{stage: Opened, pull: p}
}
