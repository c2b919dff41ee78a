package author

import (
	"bytes"
	"path"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate"
)

// manifestsTarget is the rule of a Makefile that runs controller-gen, as kubebuilder
// writes it.
var manifestsTarget = lazyregexp.New(`(?m)^manifests:[^\n]*\n(?:\t[^\n]*\n)*?\t[^\n]*(?i:controller[-_]gen)`)

// Regenerate is the command that writes the generated files among the changes of a
// plan as their generator does, "" where there are none or the tree names no such
// command. controller-gen sorts the rules of a role by group, so that a rename can
// change their order.
func Regenerate(plan *migrate.Plan, read func(name string) ([]byte, error)) string {
	makefile, err := read("Makefile")
	if err != nil || !manifestsTarget.Match(makefile) {
		return ""
	}
	for _, f := range plan.Files {
		for _, s := range f.Sites {
			if s.Action() == migrate.Change && (s.Role == roleMarker || s.Role == roleRBAC && path.Ext(f.Path) == ".go") {
				return "make manifests"
			}
		}
		if !f.Changes() || path.Ext(f.Path) != ".yaml" {
			continue
		}
		if data, err := read(f.Path); err == nil && bytes.Contains(data, []byte("controller-gen.kubebuilder.io/version")) {
			return "make manifests"
		}
	}
	return ""
}
