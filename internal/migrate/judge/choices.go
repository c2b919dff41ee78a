package judge

import (
	"bytes"
	"regexp"
	"slices"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A chart that runs on old and new clusters chooses between versions of an
// API by what the cluster serves. Such a choice names the old version on
// purpose: nothing in it changes.

var (
	action      = regexp.MustCompile(`(?s)\{\{-?\s*(?:/\*.*?\*/|(if|with|range|define|block|else|end)\b.*?)?-?\}\}|\{\{.*?\}\}`)
	clusterAsks = regexp.MustCompile(`\.Capabilities\b|(?i:kube[a-z]*Version)|\bsemverCompare\b`)
)

// mayAsk is the quick half of clusterAsks, for large files.
func mayAsk(data []byte) bool {
	return bytes.Contains(data, []byte("{{")) && slices.ContainsFunc([]string{".Capabilities", "semverCompare", "ubeVersion", "ubeversion", "UBEVERSION"}, func(s string) bool {
		return bytes.Contains(data, []byte(s))
	})
}

// Choices are the choices of a template, as far as they are guessed: off are the
// ids of guesses that are not made.
func Choices(off map[string]bool, data []byte) []source.Span {
	if off["template-choice"] {
		return nil
	}
	return choices(data)
}

// choices are the if-else chains of a template that ask what the cluster
// serves, from the first action to the end.
func choices(data []byte) []source.Span {
	if !mayAsk(data) {
		return nil
	}
	type chain struct {
		start            int
		asks, hasAnother bool
	}
	var open []chain
	var found []source.Span
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
			if c := open[n-1]; c.asks && c.hasAnother {
				found = append(found, source.Span{Start: c.start, End: m[1]})
			}
			open = open[:n-1]
		default:
			isIf := string(data[m[2]:m[3]]) == "if"
			open = append(open, chain{start: m[0], asks: isIf && clusterAsks.Match(text)})
		}
	}
	return found
}
