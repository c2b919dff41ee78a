package olm

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/lists"
)

// A graph is what a channel of a catalog becomes of its bundles, as opm reads
// it: an edge leads to a bundle from each that replaces or skips it; a skipRange
// makes none. Source: operator-registry, alpha/model (Channel.Head and
// Channel.validateReplacesChain).
type graph struct {
	heads    []string // bundles that no other replaces or skips, sorted; opm wants exactly one
	circle   []string // the names of a circle of replaces, from where it is entered; empty = there is none
	stranded []string // bundles that are neither skipped nor reached from the head by replaces, sorted
}

// graphOf draws the graph of the bundles of one channel.
func graphOf(bundles []Published) graph {
	byName, incoming, skipped := map[string]Published{}, map[string]bool{}, map[string]bool{}
	for _, b := range bundles {
		byName[b.Name] = b
		incoming[b.replaces] = true
		for _, s := range b.skips {
			incoming[s], skipped[s] = true, true
		}
	}
	var g graph
	for name := range byName {
		if !incoming[name] {
			g.heads = append(g.heads, name)
		}
	}
	slices.Sort(g.heads)
	var from string
	switch {
	case len(g.heads) == 1:
		from = g.heads[0]
	case len(g.heads) == 0 && len(bundles) > 0:
		from = bundles[0].Name
	default:
		return g
	}
	var chain []string
	for at, ok := byName[from]; ok; at, ok = byName[at.replaces] {
		if i := slices.Index(chain, at.Name); i >= 0 {
			g.circle = slices.Concat(chain[i:], []string{at.Name})
			return g
		}
		chain = append(chain, at.Name)
		if skipped[at.replaces] {
			break
		}
	}
	for name := range byName {
		if !skipped[name] && !slices.Contains(chain, name) {
			g.stranded = append(g.stranded, name)
		}
	}
	slices.Sort(g.stranded)
	return g
}

// checkGraph draws each channel of the bundle without it and with it: what opm
// refuses then, and did not before, is the bundle's.
func checkGraph(p *pass) {
	own := p.asPublished()
	for _, channel := range own.channels {
		others := lists.Where(p.others(), func(b Published) bool { return shareChannel(b.channels, []string{channel}) })
		without, with := graphOf(others), graphOf(append(others, own))
		switch {
		case len(with.heads) > max(1, len(without.heads)):
			p.sayHeads(channel, own, with)
		case len(with.circle) > 0 && len(without.circle) == 0:
			p.sayCSV([]string{"spec", "replaces"}, "channel %s: what is replaced goes in a circle: %s", channel, strings.Join(with.circle, " -> "))
		case len(with.heads) == 1 && len(without.heads) < 2:
			left := slices.DeleteFunc(with.stranded, func(name string) bool { return slices.Contains(without.stranded, name) })
			if len(left) > 0 {
				f := p.sayCSV([]string{"spec"}, "channel %s: no chain of replaces leads from the head %s to %s, and nothing skips them: OLM refuses the channel", channel, with.heads[0], strings.Join(left, ", "))
				f.Expected, f.Hint = p.head(), "replaces: "+p.head()
			}
		}
	}
}

// sayHeads reports a channel that the bundle gives a second head.
func (p *pass) sayHeads(channel string, own Published, with graph) {
	rest := slices.DeleteFunc(slices.Clone(with.heads), func(name string) bool { return name == own.Name })
	place := []string{"spec", "replaces"}
	if own.replaces == "" {
		place = []string{"spec"}
	}
	f := p.sayCSV(place, "channel %s would have more than one head, and OLM refuses it: %s", channel, strings.Join(with.heads, ", "))
	f.Actual, f.Expected = own.Name, strings.Join(rest, ", ")
	v := versionOfName(own.Name)
	higher := func(name string) bool {
		other := versionOfName(name)
		return v != "" && other != "" && semver.Compare("v"+other, "v"+v) > 0
	}
	if i := slices.IndexFunc(rest, higher); i >= 0 {
		f.Hint = fmt.Sprintf("a lower version needs a separate channel (CHANNELS in the Makefile of its branch; release bundle --channels), or %s skips it: spec.skips: [%s]", rest[i], own.Name)
		return
	}
	f.Hint = "replaces: " + p.head()
}

// asPublished is the bundle as the catalog would have it.
func (p *pass) asPublished() Published {
	own := Published{Name: p.csv.name(), replaces: text(p.csv.object, "spec", "replaces"), channels: p.channels()}
	own.skips = lists.Of(list(p.csv.object, "spec", "skips"), func(s any) string { return fmt.Sprint(s) })
	if len(own.channels) == 0 {
		own.channels = []string{""} // annotations says so; all bundles are its neighbours
	}
	return own
}
