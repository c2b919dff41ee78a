package migrate

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/project-codeflare/cfctl/internal/migrate/core"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source/find"
)

// A CRD or a manifest that has moved tells of the resource that it was as well: what
// names that elsewhere may be migrated later, folder by folder.

// oldOf are what became a resource by a rule, by group and plural.
func (x *reading) oldOf(is rules.GVK) map[[2]string]bool {
	was := map[[2]string]bool{}
	for _, group := range x.concord.pairs[is.Group] {
		list := x.rules.RulesOf(group)
		own := func(r rules.Rule) bool { return r.From.Plural != "" && r.To.Kind == is.Kind }
		if i := slices.IndexFunc(list, own); i >= 0 {
			list = list[i : i+1] // it knows the name of the resource
		}
		for _, r := range list {
			old := rules.GVK{Group: group, Plural: is.Plural}
			if r.From.Plural != "" && (r.To.Plural == is.Plural || own(r)) {
				old.Plural = r.From.Plural
			}
			if to := x.rules.Ask(old); to.Outcome == rules.Moves && to.To.Group == is.Group && (to.To.Plural == "" || to.To.Plural == is.Plural) {
				was[[2]string{group, old.Plural}] = true
			}
		}
	}
	return was
}

// arrived tells of the resources that the CRDs and manifests of a tree were before they
// got the new names: what names them may be migrated later, folder by folder.
func (x *reading) arrived() *core.File {
	told := core.NewFile("")
	told.Outside = true
	x.gone.tell(told)
	told.TellSeen(x.seen)
	for _, f := range x.files {
		if f.facts == nil {
			continue
		}
		list := slices.Clone(f.facts.kinds)
		for _, c := range f.facts.crds {
			list = append(list, &rules.GVK{Group: c.group, Kind: c.kind, Plural: strings.TrimSuffix(c.name, "."+c.group)})
		}
		for _, k := range list {
			is := *k
			if is.Plural == "" {
				is.Plural = rules.Plurals(is.Kind)[0]
			}
			for was := range x.oldOf(is) {
				told.Tell(was[0], was[1], cmp.Or(x.rules.RulesOf(was[0]).KindNamed(was[1]), is.Kind), is.Version)
			}
		}
	}
	return told
}

// arrivals are the kinds with rules of their own that the tree names in their new groups,
// while several workers look for them. Each was in its old group before: what was unclear
// beside the other kinds of that one is as unclear now.
type arrivals struct {
	rules   []rules.Rule
	found   []atomic.Bool
	stepped []atomic.Bool    // found in a file that has the new apiVersion
	alone   []atomic.Bool    // the new group is a value of a file that names no kind of it
	groups  *find.Finder     // of their new groups
	in      map[string][]int // the rules whose new group has a needle in it
}

func (m *Migration) newArrivals() *arrivals {
	x := &arrivals{in: map[string][]int{}}
	var groups []string
	for _, group := range m.rules.Groups() {
		for _, r := range m.rules.RulesOf(group) {
			if r.To.Group == "" {
				r.To.Group = group
			}
			switch {
			case r.From.Kind != "":
				r.From.Plural = cmp.Or(r.From.Plural, rules.Plurals(r.From.Kind)[0])
				r.To.Plural = cmp.Or(r.To.Plural, rules.Plurals(cmp.Or(r.To.Kind, r.From.Kind))[0])
			case r.From.Version == "" || r.To.Version == "" || r.To.Group == group:
				continue
			}
			if strings.Contains(r.To.Group, ".") && (r.To.Group != group || r.To.Kind != "" && r.To.Kind != r.From.Kind) {
				x.rules, groups = append(x.rules, r), append(groups, r.To.Group)
			}
		}
	}
	x.groups = find.New(groups)
	for i, group := range groups {
		for _, needle := range x.groups.In(group) {
			x.in[needle] = append(x.in[needle], i)
		}
	}
	x.found, x.stepped, x.alone = make([]atomic.Bool, len(x.rules)), make([]atomic.Bool, len(x.rules)), make([]atomic.Bool, len(x.rules))
	return x
}

// note looks for a new group with the name of its kind or resource in a file.
func (x *arrivals) note(file string, data []byte) {
	seen := map[string]bool{}
	x.groups.Each(data, func(needle string) {
		if seen[needle] {
			return
		}
		seen[needle] = true
		for _, i := range x.in[needle] {
			switch r := x.rules[i]; {
			case x.stepped[i].Load():
			case isIn(data, r):
				x.found[i].Store(true)
				if r.From.Kind == "" || bytes.Contains(data, []byte(r.To.Group+"/"+r.To.Version)) {
					x.stepped[i].Store(true)
				}
			case x.found[i].Load():
			case isValue(file, data, r.To.Group+"/"+r.To.Version), r.To.Group != r.From.Group && isValue(file, data, r.To.Group):
				x.alone[i].Store(true)
			}
		}
	})
}

// isValue says whether a line of YAML, JSON or a template ends with a name, and is no comment:
// text for people, which names a group as well, tells of no object.
func isValue(file string, data []byte, name string) bool {
	if !slices.Contains([]string{"yaml", "json", "helm"}, syntax.FormatOf(file, nil)) {
		return false
	}
	for line := range bytes.Lines(data) {
		before, after, ok := bytes.Cut(line, []byte(name))
		if ok && !bytes.ContainsAny(before, "#*") && len(bytes.Trim(after, " \t\r\n\"',}-")) == 0 {
			return true
		}
	}
	return false
}

// isIn says whether a file names the new group of a rule and its kind or resource.
func isIn(data []byte, r rules.Rule) bool {
	names := []string{r.To.Kind, r.To.Plural, r.From.Kind, r.From.Plural}
	if r.To.Group == r.From.Group {
		names = names[:2]
	}
	if r.From.Kind == "" { // of any kind
		names = []string{r.To.Version}
	}
	return slices.ContainsFunc(names, func(name string) bool { return name != "" && bytes.Contains(data, []byte(name)) }) &&
		bytes.Contains(data, []byte(r.To.Group))
}

// tell tells of what was found.
func (x *arrivals) tell(told *core.File) {
	for i, r := range x.rules {
		if x.found[i].Load() {
			version := ""
			if x.stepped[i].Load() {
				version = r.To.Version
			}
			told.Tell(r.From.Group, r.From.Plural, r.From.Kind, version)
		} else if x.alone[i].Load() {
			told.TellAlone(r.From.Group)
		}
	}
}
