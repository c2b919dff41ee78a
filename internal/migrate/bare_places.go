package migrate

import (
	"slices"

	"github.com/project-codeflare/cfctl/internal/source"
)

// An indexedSite is a place of which a site says something.
type indexedSite struct {
	source.Span
	site  *Site
	reach int // how far this place and those before it go
}

// A siteIndex has those of a file, by where they begin.
type siteIndex []indexedSite

// indexSites has those of sites, and of what they write.
func indexSites(sites []Site) siteIndex {
	var list siteIndex
	for i := range sites {
		s := &sites[i]
		list = append(list, indexedSite{Span: s.Span, site: s})
		if s.Action() == Change {
			for _, e := range s.Edits() {
				list = append(list, indexedSite{Span: e.Span, site: s})
			}
		}
	}
	slices.SortStableFunc(list, func(x, y indexedSite) int { return x.Start - y.Start })
	reach := 0
	for i := range list {
		reach = max(reach, list[i].End)
		list[i].reach = reach
	}
	return list
}

// at is a site that says something of a place or of a part of it, nil for none.
func (p siteIndex) at(s source.Span) *Site {
	i, _ := slices.BinarySearchFunc(p, s.End, func(x indexedSite, end int) int { return x.Start - end })
	for i--; i >= 0 && p[i].reach > s.Start; i-- {
		if p[i].End > s.Start {
			return p[i].site
		}
	}
	return nil
}
