package forge

import (
	"regexp"
	"slices"
	"strings"
)

// A CheckState is how far a check is.
type CheckState string

// The states of a check.
const (
	CheckQueued  CheckState = "queued"  // it has been made, and does nothing yet
	CheckRunning CheckState = "running" // it has begun
	CheckPassed  CheckState = "passed"
	CheckSkipped CheckState = "skipped" // it ended without a judgement: skipped, neutral
	CheckFailed  CheckState = "failed"  // it ended in any other way
)

// A Check is the newest answer of one check to one commit: a check run, or a
// commit status.
type Check struct {
	Name    string
	App     string // slug of the app that reports it; empty = a commit status, or not said
	AppID   int64  // 0 = the same
	State   CheckState
	Outcome string // the forge's own word, when it ended: "timed_out"
	Text    string // what it says of itself in a line; may be empty
	URL     string
}

// A RequiredCheck is a check that a branch wants to have passed.
type RequiredCheck struct {
	Name string
	App  int64 // that has to report it; 0 = any
	Glob bool  // Name is a pattern, whose star takes any text
}

// Names says whether a check of a name is one that is wanted.
func (c RequiredCheck) Names(check string) bool {
	if !c.Glob {
		return c.Name == check
	}
	pattern, err := regexp.Compile("(?s)^" + strings.ReplaceAll(regexp.QuoteMeta(c.Name), `\*`, ".*") + "$")
	return err == nil && pattern.MatchString(check)
}

// A Review is the last word of a reviewer.
type Review struct {
	By       string // login
	Approves bool   // else it asks for changes
	URL      string
}

// A Merge is what a forge says of the way of a pull request into its base.
type Merge struct {
	Draft     bool
	Known     bool     // the forge has worked out whether it can be merged
	Conflicts bool     // it cannot: both have changed the same lines
	Unclear   bool     // it cannot, and the forge does not tell a conflict from a look that has not ended
	Behind    bool     // its base has commits that it has not; not every forge says so
	State     string   // the forge's own word: clean, blocked, behind, unstable, ...
	Asked     []string // whose review is asked for: logins, and teams as ORG/TEAM
	Reviews   []Review // of those who may approve, in the order of their logins
}

// Want adds a required check, once.
func (p *Protection) Want(c RequiredCheck) {
	if !slices.Contains(p.Required, c) {
		p.Required = append(p.Required, c)
	}
	if !slices.Contains(p.Checks, c.Name) {
		p.Checks = append(p.Checks, c.Name)
	}
}
