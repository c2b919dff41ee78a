package prove

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// marker is a permission that controller-gen reads in a comment.
// Source: https://book.kubebuilder.io/reference/markers/rbac
var marker = lazyregexp.New(`\+kubebuilder:rbac:(\S+)`)

// markers compares the permissions that the markers of a text give.
func (c *check) markers(a, b string) error {
	if !strings.Contains(a, "+kubebuilder:rbac:") {
		return nil
	}
	before, after := marked(a), marked(b)
	var err error
	if before, after, err = c.urls(before, after); err != nil {
		return err
	}
	all := markerTuples(after)
	if c.file.Dual { // a marker that stays has a copy, perhaps
		return c.permit(markerTuples(before), all, all)
	}
	for _, m := range slices.Clone(before) { // one that stays permits what it did, whatever becomes of the others
		if i := slices.Index(after, m); i >= 0 {
			at := slices.Index(before, m)
			before, after = slices.Delete(before, at, at+1), slices.Delete(after, i, i+1)
		}
	}
	return c.permit(markerTuples(before), markerTuples(after), all)
}

// webhookMark begins a marker that controller-gen makes the configuration of a webhook of.
// Source: sigs.k8s.io/controller-tools, pkg/webhook.
const webhookMark = "+kubebuilder:webhook:"

// webhooks compares the markers of webhooks in their order: each is called for what it was
// called for, or for what that becomes, and says nothing else.
func (c *check) webhooks(a, b string) error {
	before, after := strings.Split(a, webhookMark)[1:], strings.Split(b, webhookMark)[1:]
	if len(before) != len(after) {
		return differ("%d markers of webhooks would become %d", len(before), len(after))
	}
	for i := range before {
		old, _, _ := strings.Cut(before[i], "\n")
		fresh, _, _ := strings.Cut(after[i], "\n")
		if old == fresh {
			continue
		}
		calls, rest := calledFor(old)
		all, others := calledFor(fresh)
		if !c.explains(rest, others) {
			return differ("%.80q would become %.80q, which no rule says", rest, others)
		}
		if err := c.permit(calls, all, all); err != nil {
			return err
		}
	}
	return nil
}

// calledFor is what the marker of a webhook is called for, and what else it says.
func calledFor(marker string) (set map[tuple]bool, rest string) {
	args, rest := markerArguments(marker)
	set = map[tuple]bool{}
	var t tuple
	for _, t.group = range orEmpty(args["groups"]) {
		for _, t.version = range orEmpty(args["versions"]) {
			for _, t.resource = range orEmpty(args["resources"]) {
				for _, t.verb = range orEmpty(args["verbs"]) {
					set[unquoted(t)] = true
				}
			}
		}
	}
	return set, rest
}

// urls compares the markers that name URLs in their order, and leaves them out.
func (c *check) urls(before, after []string) (a, b []string, err error) {
	named := func(m string) bool { return strings.HasPrefix(m, "urls=") || strings.Contains(m, ",urls=") }
	var old, fresh []string
	for _, m := range before {
		if named(m) {
			old = append(old, m)
		} else {
			a = append(a, m)
		}
	}
	for _, m := range after {
		if named(m) {
			fresh = append(fresh, m)
		} else {
			b = append(b, m)
		}
	}
	if len(old) != len(fresh) {
		return nil, nil, differ("%d markers of URLs would become %d", len(old), len(fresh))
	}
	for i := range old {
		if !c.explains(old[i], fresh[i]) {
			return nil, nil, differ("%.80q would become %.80q, which no rule says", old[i], fresh[i])
		}
	}
	return a, b, nil
}

// withoutMarkers is a text without the lines that are nothing but markers, and without the
// objects that other markers name: the permissions that they give say all of them.
func withoutMarkers(text string) string {
	if !strings.Contains(text, "+kubebuilder:rbac:") {
		return text
	}
	return markerNames.ReplaceAllString(markerLine.ReplaceAllString(text, ""), "$1")
}

// markerLine is a line of a comment that is a marker. In the comments of a program, the
// slashes are no part of it.
var markerLine = lazyregexp.New(`(?m)^[ \t]*(?://|#)?[ \t]*\+kubebuilder:rbac:\S+[ \t\r]*\n`)

// markerNames is a marker up to the list of the objects that it names, and that.
var markerNames = lazyregexp.New("(\\+kubebuilder:rbac:(?:\\S*,)?resourceNames=)(?:\\{[^}\\s]*\\}|\"[^\"\\s]*\"|[^,\\s]*)")

// marked are the arguments of the markers of a text.
func marked(text string) []string {
	var list []string
	for _, m := range marker.FindAllStringSubmatch(text, -1) {
		list = append(list, m[1])
	}
	return list
}

// markerArgument is an argument of a marker with its value: a word, words joined
// by semicolons, or a list in braces.
// Source: sigs.k8s.io/controller-tools, pkg/markers.
var markerArgument = lazyregexp.New("([A-Za-z]+)=(\\{[^}]*\\}|(?:\"[^\"]*\"|`[^`]*`|[^,\"`])*)")

func markerTuples(markers []string) map[tuple]bool {
	set := map[tuple]bool{}
	for _, m := range markers {
		args, rest := markerArguments(m)
		t := tuple{rest: rest}
		for _, t.group = range orEmpty(args["groups"]) {
			for _, t.resource = range orEmpty(args["resources"]) {
				for _, t.verb = range orEmpty(args["verbs"]) {
					for _, t.name = range orEmpty(args["resourceNames"]) {
						set[unquoted(t)] = true
					}
				}
			}
		}
	}
	return set
}

// markerArguments are the arguments of a marker, each with its words, and those
// that say anything else as one text.
func markerArguments(marker string) (args map[string][]string, rest string) {
	args = map[string][]string{}
	for _, found := range markerArgument.FindAllStringSubmatch(marker, -1) {
		arg, key, value := found[0], found[1], strings.Trim(found[2], "\"`")
		if in, braces := strings.CutPrefix(value, "{"); braces {
			value = strings.ReplaceAll(strings.TrimSuffix(in, "}"), ",", ";")
		}
		args[key] = strings.Split(value, ";")
		if !slices.Contains([]string{"groups", "versions", "resources", "verbs", "resourceNames"}, key) {
			rest += arg + ","
		}
	}
	return args, rest
}

// unquoted is a tuple whose words stood in quotes, perhaps, or at the end of what a
// sentence quotes of a marker.
func unquoted(t tuple) tuple {
	for _, word := range []*string{&t.group, &t.version, &t.resource, &t.verb, &t.name} {
		*word, _, _ = strings.Cut(strings.Trim(*word, "\"` .…)"), " ")
	}
	return t
}
