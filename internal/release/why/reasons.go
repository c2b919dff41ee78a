// Package why has the reasons why a step of a release stops, and what a maintainer does
// about each.
package why

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/train"
)

// A Reason is why a step stopped. Its id is stable: the journal, `status -o json`
// and docs/findings.md have it. What Out says is enough for the release to go on.
type Reason struct {
	ID    string
	Means string // what is so
	Out   string // what a maintainer does; then `cfctl release run` goes on
}

// The ids of reasons, in the order of the documents.
var (
	TakenBack = because(train.TakenBack, "what this release had published was withdrawn or deleted",
		"put it there again; or `release approve VERSION STEP`, and it is made again")
	NoBranch     = because("branch-missing", "the branch that the step starts from is not there", "push the branch, or set the branch of the component in the recipe")
	TagUnmanaged = because("tag-unmanaged", "a tag of this name is on another commit than this release chose",
		"delete the tag if it is not in use yet; or accept it with `release approve VERSION STEP --done`; or take the next version")
	Versions = because("versions-changed", "a component was tagged in another version than the release is to have of it now",
		"make the version what it was again (matrix.releases, or --component); or abort, and run again")
	RunGone       = because("run-gone", "the run of the workflow that was dispatched was deleted", "dispatch the workflow by hand: its tag is what is waited for")
	Runs          = because("runs-ambiguous", "more than one run may be the one that was dispatched", "cancel, and delete, the runs that are not for this tag; or have one of them make the tag")
	Clock         = because("clock-behind", "the clock of this machine is behind the one of the journal", "set the clock")
	RunFailed     = because("run-failed", "the run of the workflow ended without success", "run it again on the forge")
	ImageRun      = because("image-run-failed", "the workflow that a tag starts to build the image ended without success", "run it again on the forge; or push the image")
	ImageAgain    = because("image-pushed-again", "an image that was seen has another digest now", "push the image of before again; or `release approve VERSION STEP --done`")
	ImageRevision = because("image-revision", "an image says that it was built from another commit than the tag", "build it from the tag; or `release approve VERSION STEP --done`")
	Place         = because("place-missing", "a declared place has no version in the branch that the release starts from",
		"push the line to that branch; or take the place out of stack.places")
	Row             = because("row-differs", "the branch has a row of this release that says other versions", "correct the row in .cfctl.yaml of the branch, or name those versions with --component")
	ForkAhead       = because("fork-ahead", "the branch of the fork has commits that are not upstream", "keep them on a branch of their own, and set the branch to where it is upstream")
	Bundle          = because("bundle-invalid", "the bundle cannot be made, or is not valid", "`release skip VERSION catalog --reason TEXT`, and fix it in the next version")
	BranchUnmanaged = because("branch-unmanaged", "a branch of the work branch's name is not of this release", "rename it, or delete it; or set release.prefix to another one")
	BranchChanged   = because("branch-changed", "people have changed the work branch so that it is not this release any more", "revert that; or `release approve VERSION STEP --done`")
	BranchOutdated  = because("branch-outdated", "what the work branch proposes was overtaken by its base", "abort, and run again")
	Module          = because("module-missing", "go mod tidy cannot have a module", "make the module available and run again; or tidy by hand, push, and `release approve VERSION STEP --done`")
	PRElsewhere     = because("pr-elsewhere", "the base of the PR was changed", "give it its base back; or close it, abort, and run again")
	PRClosed        = because("pr-closed", "the PR was closed without being merged", "reopen it; or abort, and run again")
	PRConflict      = because("pr-conflict", "the PR conflicts with its base", "merge the base into the work branch and push it; or abort, delete the branch where that leaves it, and run again")
	PRChanges       = because("changes-requested", "a reviewer asks for changes", "push commits to the work branch that leave the versions as they are, or answer; the reviewer approves or dismisses the review")
	CheckRed        = because("check-failed", "a check of the PR, or a declared test, ended without success", "run it again on the forge; or push a commit that fixes it to the work branch")
	CheckSilent     = because("check-silent", "a check that is required has not begun for an hour", "start it, or push an empty commit to the work branch; or correct the name that is required")
	CheckApp        = because("check-of-another-app", "a check that is required was reported by another app than the rule wants", "have the app of the rule report it, or correct the rule")
	Merged          = because("merged-otherwise", "what was merged does not hold what the release brings", "abort, and run again: a new PR adds what is missing; in a catalog or a document, fix it there; or `release approve VERSION STEP --done`")
	Reverted        = because("values-changed", "the branch does not have the values any more that the PR of this release has set",
		"set them again on the branch; or `release approve VERSION STEP`, and the merge commit is tagged all the same; or abort")
	PushRefused = because("push-refused", "a rule of the repository, or a hook there, refuses what is pushed",
		"change the rule, or let the account of the token bypass it; then run again")
	MergeLost       = because("merge-lost", "the branch does not have the merge commit any more", "bring the commit back; or abort, and run again")
	Draft           = because("draft-unmanaged", "a draft of the release exists that this release did not create", "delete the draft; or publish it, and `release approve VERSION STEP --done`")
	Release         = because("release-unmanaged", "a release of this tag was published, but not by this release", "delete the release if it is not in use yet; or `release approve VERSION STEP --done`")
	StableUnmanaged = because("stable-unmanaged", "the stable tag of an image is no release", "put it back; or `release images NAME --promote`")
	Unsure          = because("announcement-unsure", "it is not known whether the announcement was made", "check the channel, or the list: `release approve VERSION STEP` sends it, with --done it was sent")
)

// Reasons are all that because was told of.
var Reasons []Reason

// because registers a reason, and returns its id.
func because(id, means, out string) string {
	Reasons = append(Reasons, Reason{id, means, out})
	return id
}

// Of is the reason with an id; ok says whether there is one.
func Of(id string) (r Reason, ok bool) {
	i := slices.IndexFunc(Reasons, func(r Reason) bool { return r.ID == id })
	if i < 0 {
		return Reason{}, false
	}
	return Reasons[i], true
}

// Rules lists why a step of a release stops, with what to do about it.
func Rules() []report.Rule {
	return lists.Of(Reasons, func(r Reason) report.Rule {
		return report.Rule{ID: r.ID, Doc: r.Means + ". How to fix: " + r.Out, Severity: report.Error}
	})
}

// Way is what a maintainer does about a step of a version.
func (r Reason) Way(version, step string) string {
	return strings.NewReplacer("VERSION", version, "STEP", step, "`release ", "`cfctl release ").Replace(r.Out)
}
