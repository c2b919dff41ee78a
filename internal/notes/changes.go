package notes

import (
	"cmp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/lists"
)

// groups are the groups of changes, in the order of the notes.
var groups = []string{"Features", "Fixes", "Changes", "Dependencies", "Documentation", "Maintenance"}

// changesOf lists what the commits brought: one entry for each commit on the
// main line (first parents of the newest, which is the first), which is a pull
// request where it was merged or squashed as one.
func changesOf(commits []git.Commit) []Change {
	byHash := lists.By(commits, func(c git.Commit) string { return c.Hash })
	var list []Change
	for i := 0; i < len(commits); {
		c := commits[i]
		if change := changeOf(c, byHash); change.Subject != "" {
			list = append(list, change)
		}
		if len(c.Parents) == 0 {
			break
		}
		i = slices.IndexFunc(commits, func(o git.Commit) bool { return o.Hash == c.Parents[0] })
		if i < 0 {
			break
		}
	}
	return list
}

var (
	mergedPull   = lazyregexp.New(`^Merge pull request #(\d+) from `)
	squashedPull = lazyregexp.New(`\s*\(#(\d+)\)$`)
	conventional = lazyregexp.New(`^([a-z]+)(?:\(([^)]*)\))?(!)?:\s*(.*)$`)
	breakingNote = lazyregexp.New(`(?m)^BREAKING[ -]CHANGE:`)
	// What begins with the words, has them in brackets or in capitals breaks; "fix breaking change" does not.
	breakingText = lazyregexp.New(`BREAKING[ -]CHANGE|(?i)(?:^|[^\w\s,;-])\s*breaking[ -]changes?\s*(?:[:!)\]]|- )`)
)

// changeOf makes an entry of a commit. A merge of a pull request has its title
// in the body, and its author on the branch that it merges; a merge of a
// branch says nothing.
func changeOf(c git.Commit, byHash map[string]git.Commit) Change {
	change := Change{Subject: c.Subject, Author: c.Author, Commit: c.Hash}
	if m := mergedPull.FindStringSubmatch(c.Subject); m != nil {
		change.Pull = m[1]
		change.Subject, _, _ = strings.Cut(c.Body, "\n")
		if len(c.Parents) > 1 {
			if branch, ok := byHash[c.Parents[1]]; ok {
				change.Author = branch.Author
				change.Subject = cmp.Or(change.Subject, branch.Subject)
			}
		}
	} else if len(c.Parents) > 1 && strings.HasPrefix(c.Subject, "Merge ") {
		return Change{}
	}
	if m := squashedPull.Get().FindStringSubmatchIndex(change.Subject); m != nil {
		change.Pull = change.Subject[m[2]:m[3]]
		change.Subject = change.Subject[:m[0]]
	}
	change.Breaking = breakingNote.MatchString(c.Body) || breakingText.MatchString(change.Subject)
	change.classify()
	if change.Group == "Changes" && strings.HasSuffix(change.Author, "[bot]") {
		change.Group = "Maintenance"
	}
	return change
}

// kindGroups are the types of Conventional Commits (https://www.conventionalcommits.org).
var kindGroups = map[string]string{
	"feat": "Features", "feature": "Features", "fix": "Fixes", "perf": "Changes", "refactor": "Changes", "revert": "Changes",
	"deps": "Dependencies", "docs": "Documentation", "doc": "Documentation",
	"build": "Maintenance", "chore": "Maintenance", "ci": "Maintenance", "test": "Maintenance", "tests": "Maintenance", "style": "Maintenance",
}

// verbGroups tell the group of a subject by how it begins, in lower case; the
// first match counts.
var verbGroups = []struct {
	pattern *lazyregexp.Regexp
	group   string
}{
	{lazyregexp.New(`^(bump|upgrade|update) .*(\bto\b|\bfrom\b|dependenc|version|module)|^build\(deps`), "Dependencies"},
	{lazyregexp.New(`\b(readme|docs?|documentation|changelog|release notes?|typos?|comments?)\b|\w\.md\b`), "Documentation"},
	{lazyregexp.New(`^((fix|correct|prevent|avoid|handle|hotfix)(e?[sd]|ing)?|resolves?d?|bug)\b`), "Fixes"},
	{lazyregexp.New(`\b(ci|e2e|tests?|workflows?|makefile|github actions?|lint|golangci|dockerfile|owners|approvers?|reviewers?|coverage|dependabot)\b`), "Maintenance"},
	{lazyregexp.New(`^((add|support|implement|allow)(s|ed|ing)?|(introduce|enable|provide|expose|create)[sd]?|new)\b`), "Features"},
}

// leading is what is before what was done: "[webhooks] ", "Automated cherry
// pick of #2574: ".
var leading = lazyregexp.New(`^(?:\[[^\]]*\]:?\s*|(?:automated )?cherry[- ]pick of #\d+:\s*)+`)

// classify finds the group, and takes a conventional type off the subject.
func (c *Change) classify() {
	if m := conventional.FindStringSubmatch(c.Subject); m != nil && kindGroups[m[1]] != "" {
		c.Group, c.Subject = kindGroups[m[1]], m[4]
		c.Breaking = c.Breaking || m[3] != ""
		if strings.HasPrefix(m[2], "deps") {
			c.Group = "Dependencies"
		}
		return
	}
	lower := leading.ReplaceAllString(strings.ToLower(c.Subject), "")
	c.Group = "Changes"
	for _, v := range verbGroups {
		if v.pattern.MatchString(lower) {
			c.Group = v.group
			break
		}
	}
}
