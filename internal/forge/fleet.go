package forge

import "strings"

// A Standing is how a pull request stands.
type Standing struct {
	Pull
	Checks    CheckState // of all its checks: queued, passed or failed; empty = there are none
	Conflicts bool       // it cannot be merged: both have changed the same lines
	Review    string     // approved, changes_requested, review_required; empty = none is asked for
}

// A NewCommit is a commit that a forge makes of whole files, none of them a program.
type NewCommit struct {
	Branch, Base, Message string
	Add                   []File // with their new content
	Delete                []string
}

// A File is a file of a commit.
type File struct {
	Path string
	Data []byte
}

// ValidRepository says whether a name can be that of a repository: OWNER/NAME.
func ValidRepository(name string) bool {
	owner, repo, ok := strings.Cut(name, "/")
	return ok && ValidName(owner) && ValidName(repo)
}

// ValidName says whether a name can be that of a user, an organisation or a
// repository in one: it leads nowhere else in an address or a path.
func ValidName(s string) bool {
	return s != "" && s != "." && s != ".." && s[0] != '-' && strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz0123456789._-") == ""
}
