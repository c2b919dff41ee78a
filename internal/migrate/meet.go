package migrate

import (
	"slices"

	"github.com/project-codeflare/cfctl/internal/source"
)

// overridden are reasons of the core to keep a name that do not hold where its
// package moves or is renamed.
var overridden = []string{"no-rule", "folder", "version-folder", "import", "file-name", "loose-name", "client-name", "built-version"}

// ends finds the sites near a span: they are in the order of their file, and last is the last end of
// those up to each.
type ends struct {
	sites []Site
	last  []int
}

func inOrder(sites []Site) ends {
	x := ends{sites, make([]int, len(sites))}
	for i, s := range sites {
		if x.last[i] = s.End; i > 0 {
			x.last[i] = max(s.End, x.last[i-1])
		}
	}
	return x
}

// of are the sites among which all are that overlap with a span.
func (x ends) of(at source.Span) (from, to int) {
	from, _ = slices.BinarySearch(x.last, at.Start)
	to, _ = slices.BinarySearchFunc(x.sites, at.End+1, func(s Site, end int) int { return s.Start - end })
	return min(from, to), to
}

// meet compares an edit with the sites of the core near it. Those that it answers are left out. It
// is added unless they have it or keep what it changes, and it clashes with edits that make something
// else of the same text.
func meet(sites []Site, e source.Edit) (answered []int, add, clash bool) {
	var own []source.Edit
	add = true
	named := false // by a CRD, whose plural may be spelled like its kind
	for i, s := range sites {
		switch {
		case !overlap(s.Span, e.Span):
		case s.Action() == Change && (s.Role() == roleGroup || s.Role() == rolePlural) && s.Span == e.Span: // a label of a group, and a resource, may be spelled like a kind
			add = false
		case s.Action() == Change:
			named = named || s.Role() == roleCRDName
			for _, x := range s.Edits {
				if overlap(x.Span, e.Span) {
					own = append(own, x)
				}
			}
		case slices.Contains(overridden, s.ID()):
			answered = append(answered, i)
		default:
			add = false
		}
	}
	if len(own) == 0 {
		return answered, add, false
	}
	if len(own) == 1 && within(e.Span, own[0].Span) { // a word in a name that the core reads as a whole
		return answered, false, e.Span == own[0].Span && e.New != own[0].New && !named
	}
	return answered, false, true
}

func overlap(a, b source.Span) bool { return a.Start < b.End && b.Start < a.End || a == b }

func within(a, b source.Span) bool { return b.Start <= a.Start && a.End <= b.End }
