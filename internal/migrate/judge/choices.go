package judge

import (
	"bytes"
	"slices"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A chart that runs on old and new clusters chooses between versions of an
// API by what the cluster serves. Such a choice names the old version on
// purpose: nothing in it changes.

var (
	action      = lazyregexp.New(`(?s)\{\{-?\s*(?:/\*.*?\*/|(if|with|range|define|block|else|end)\b.*?)?-?\}\}|\{\{.*?\}\}`)
	clusterAsks = lazyregexp.New(`\.Capabilities\b|(?i:kube[a-z]*Version)|\bsemverCompare\b`)
)

// mayAsk is the quick half of clusterAsks, for large files.
func mayAsk(data []byte) bool {
	return bytes.Contains(data, []byte("{{")) && slices.ContainsFunc([]string{".Capabilities", "semverCompare", "ubeVersion", "ubeversion", "UBEVERSION"}, func(s string) bool {
		return bytes.Contains(data, []byte(s))
	})
}

// A Chart is what a template asks the cluster, as far as it is guessed.
type Chart struct {
	Choices []source.Span // if-else chains that name what stays beside what it becomes, from the first action to the end
	Same    []source.Span // those of which several branches would become the same
	Vague   []source.Span // those of old names alone that become one thing or another by the kind, which they do not tell
	Defines []string      // named templates that have one of these
	Guards  []Guarded
}

// Guarded is a part of a template without another branch, which is there only
// where the cluster serves what it asks for.
type Guarded struct {
	source.Span          // the action that asks
	Includes    []string // named templates that the part has
}

// ChartOf reads a template. Off are the ids of guesses that are not made. A
// choice among old names alone, of which no two become the same, is none: it
// moves as a whole.
func ChartOf(t *rules.Table, off map[string]bool, data []byte) Chart {
	var c Chart
	if off["template-choice"] || !bytes.Contains(data, []byte("{{")) {
		return c
	}
	for _, s := range choices(data) {
		old, same, vague := branches(t, s.Of(data), kindOf(s.Of(data)))
		if kind := kindBehind(data, s); vague && kind != "" {
			old, same, vague = branches(t, s.Of(data), kind)
		}
		switch {
		case same:
			c.Same = append(c.Same, s)
		case vague:
			c.Vague = append(c.Vague, s)
		case !old:
			c.Choices = append(c.Choices, s)
		}
	}
	c.Guards = guards(data)
	c.Defines = holders(data, slices.Concat(c.Choices, c.Same, c.Vague))
	return c
}

var (
	versioned = lazyregexp.New(`([a-z0-9][-a-z0-9.]*)/(v[1-9][0-9]*(?:(?:alpha|beta)[1-9][0-9]*)?)(?:/([A-Z][A-Za-z0-9]*))?\b`)
	kindNamed = lazyregexp.New(`(?m)^\s*kind:\s*["']?([A-Z][A-Za-z0-9]*)`)
	defines   = lazyregexp.New(`\{\{-?\s*define\s+["\x60]([^"\x60]+)["\x60]`)
	includes  = lazyregexp.New(`\b(?:include|template)\s+["\x60]([^"\x60]+)["\x60]`)
)

// kindOf is the first kind that a text tells, "" for none.
func kindOf(data []byte) string {
	if m := kindNamed.FindSubmatch(data); m != nil {
		return string(m[1])
	}
	return ""
}

// kindBehind is the kind of the document behind a choice of its apiVersion, "" for none.
func kindBehind(data []byte, choice source.Span) string {
	if !bytes.Contains(choice.Of(data), []byte("apiVersion:")) {
		return ""
	}
	behind, _, _ := bytes.Cut(data[choice.End:], []byte("\n---"))
	return kindOf(behind)
}

// branches says of the API versions that a choice about a kind names whether all of them
// are old, whether two would become the same, and whether that depends on a kind which it
// does not tell.
func branches(t *rules.Table, choice []byte, kind string) (old, same, vague bool) {
	to := map[string]string{} // what it becomes, to what it was
	old = true
	for _, m := range versioned.FindAllSubmatch(choice, -1) {
		at := rules.GVK{Group: string(m[1]), Version: string(m[2]), Kind: string(m[3])}
		if at.Kind == "" {
			at.Kind = kind
		}
		answer := t.Ask(at)
		switch answer.Outcome {
		case rules.Moves:
		case rules.Ambiguous:
			vague = true
			continue
		default:
			old = false
			continue
		}
		fresh, was := answer.To.Group+"/"+answer.To.Version, at.Group+"/"+at.Version
		same = same || to[fresh] != "" && to[fresh] != was
		to[fresh] = was
	}
	return old && len(to) > 0, old && same, old && vague
}

// holders are the named templates that have some places.
func holders(data []byte, places []source.Span) []string {
	var names []string
	all := defines.FindAllSubmatchIndex(data, -1)
	for _, s := range places {
		for i := len(all) - 1; i >= 0; i-- {
			if m := all[i]; m[0] < s.Start {
				names = append(names, string(data[m[2]:m[3]]))
				break
			}
		}
	}
	return names
}

// choices are the if-else chains of a template that ask what the cluster
// serves, from the first action to the end.
func choices(data []byte) []source.Span {
	if !mayAsk(data) {
		return nil
	}
	var found []source.Span
	for _, c := range chains(data) {
		if c.asks && c.hasAnother {
			found = append(found, c.Span)
		}
	}
	return found
}

// guards are the asking parts without another branch that include named templates.
func guards(data []byte) []Guarded {
	if !mayAsk(data) {
		return nil
	}
	var found []Guarded
	for _, c := range chains(data) {
		if !c.asks || c.hasAnother {
			continue
		}
		g := Guarded{Span: source.Span{Start: c.Start, End: c.first}}
		for _, m := range includes.FindAllSubmatch(c.Of(data), -1) {
			g.Includes = append(g.Includes, string(m[1]))
		}
		if len(g.Includes) > 0 {
			found = append(found, g)
		}
	}
	return found
}

// A chain is a part of a template from the action that begins it to its end.
type chain struct {
	source.Span
	first            int // end of the action that begins it
	asks, hasAnother bool
}

// chains are the parts of a template, in the order of their ends.
func chains(data []byte) []chain {
	var open, found []chain
	for _, m := range action.FindAllSubmatchIndex(data, -1) {
		if m[2] < 0 {
			continue
		}
		text := data[m[0]:m[1]]
		switch string(data[m[2]:m[3]]) {
		case "else":
			if n := len(open); n > 0 {
				open[n-1].hasAnother = true
				open[n-1].asks = open[n-1].asks || clusterAsks.Match(text)
			}
		case "end":
			n := len(open)
			if n == 0 {
				continue
			}
			c := open[n-1]
			c.End = m[1]
			found, open = append(found, c), open[:n-1]
		default:
			isIf := string(data[m[2]:m[3]]) == "if"
			open = append(open, chain{Span: source.Span{Start: m[0]}, first: m[1], asks: isIf && clusterAsks.Match(text)})
		}
	}
	return found
}
