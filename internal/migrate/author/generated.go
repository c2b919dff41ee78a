package author

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate"
)

// manifestsTarget and generateTarget are the rules of a Makefile that run controller-gen,
// for YAML as kubebuilder writes it, and for Go under any name.
var (
	includes        = lazyregexp.New(`(?m)^-?include +([\w./-]+)`)
	manifestsTarget = lazyregexp.New(`(?m)^manifests:[^\n]*\n(?:\t[^\n]*\n)*?\t[^\n]*(?i:controller[-_]gen)`)
	generateTarget  = lazyregexp.New(`(?m)^([A-Za-z][\w-]*):[^=\n]*\n(?:\t[^\n]*\n)*?\t[^\n]*(?i:controller[-_]gen)[^\n]* object\b`)
)

// mostIncludes is how many files that a Makefile includes are read.
const mostIncludes = 16

// Regenerate is the command that writes the generated files among the changes of a
// plan as their generator does, "" where there are none or the tree names no such
// command. controller-gen sorts the rules of a role by group, so that a rename can
// change their order, and the functions of types by name.
func Regenerate(plan *migrate.Plan, read func(name string) ([]byte, error)) string {
	makefile, err := read("Makefile")
	if err != nil {
		return ""
	}
	for _, m := range includes.FindAllSubmatch(makefile, mostIncludes) {
		if more, err := read(path.Clean(string(m[1]))); err == nil {
			makefile = slices.Concat(makefile, []byte("\n"), more)
		}
	}
	var targets []string
	if m := generateTarget.FindSubmatch(makefile); m != nil && slices.Contains(plan.Generators, "controller-gen") {
		targets = append(targets, string(m[1]))
	}
	if manifestsTarget.Match(makefile) && changesManifests(plan, read) {
		targets = append(targets, "manifests")
	}
	if targets == nil {
		return ""
	}
	return "make " + strings.Join(targets, " ")
}

// changesManifests says whether a plan changes YAML that controller-gen writes, or what
// it is written from.
func changesManifests(plan *migrate.Plan, read func(name string) ([]byte, error)) bool {
	for _, f := range plan.Files {
		for _, s := range f.Sites {
			if s.Action() == migrate.Change && (s.Role == roleMarker || s.Role == roleRBAC && path.Ext(f.Path) == ".go") {
				return true
			}
		}
		if !f.Changes() || path.Ext(f.Path) != ".yaml" {
			continue
		}
		data, err := read(f.Path)
		if err != nil { // the plan was written
			data, err = read(f.To)
		}
		if err == nil && bytes.Contains(data, []byte("controller-gen.kubebuilder.io/version")) {
			return true
		}
	}
	return false
}
