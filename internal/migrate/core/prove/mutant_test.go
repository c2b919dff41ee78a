package prove

import (
	"strings"
	"testing"
)

// damages are made to right results, at each occurrence of their text.
var damages = []struct{ name, from, to string }{
	{"half object: kind", "Gadget", "Widget"},
	{"half object: version", "/v1", "/v1beta1"},
	{"half object: group", "new.example.dev", "old.example.com"},
	{"wrong group", "all.example.dev", "old.example.dev"},
	{"wrong group", "new.example.dev", "all.example.dev"},
	{"wrong version", "v1", "v1alpha1"},
	{"wrong kind", "Gadget", "Gizmo"},
	{"half name: resource", "gadgets.", "widgets."},
	{"resource in the singular", "gadgets.", "gadget."},
	{"key in another place", "kind:", "type:"},
	{"widened rule: group", "apps", "apps, batch"},
	{"widened rule: every group", "apps", "'*'"},
	{"widened rule: resource", "widgets/status", "widgets/status, secrets"},
	{"widened rule: verb", "[get]", "[get, list]"},
	{"widened marker", "verbs=get", "verbs=get;delete"},
	{"lost line", "\n", ""},
	{"space", ": ", ":"},
	{"another name", "name: a", "name: b"},
	{"another value of a list", "pods", "nodes"},
}

// TestDamagedResultsAreRefused damages right results at one place each.
func TestDamagedResultsAreRefused(t *testing.T) {
	p := prover(t, widgets, Options{})
	for _, x := range append(pairs, permissionPairs...) {
		if x.line > 0 {
			continue
		}
		for _, d := range damages {
			for at := 0; ; at++ {
				i := strings.Index(x.after[at:], d.from)
				if i < 0 {
					break
				}
				at += i
				refuse(t, p, x, d.name, x.after[:at]+d.to+x.after[at+len(d.from):])
			}
		}
		for i := range len(x.after) {
			refuse(t, p, x, "lost byte", x.after[:i]+x.after[i+1:])
		}
	}
}

// refuse checks that a damaged result is refused. The layout of Go code and of
// decoded text to which something is added does not matter.
func refuse(t *testing.T, p *Prover, x pair, damage, after string) {
	t.Helper()
	if err := p.File(x.path, x.path, []byte(x.before), []byte(after)); err != nil || after == x.before || after == x.after {
		return
	}
	if (strings.HasSuffix(x.path, ".go") || strings.Contains(x.after, "resources:") || len(x.before) != len(x.after)) && !strings.Contains(x.after, "{{") && strings.Join(strings.Fields(after), "") == strings.Join(strings.Fields(x.after), "") {
		return
	}
	t.Errorf("%s: not refused after %s:\n%s", x.name, damage, after)
}

// TestLinesMayNotBeSwapped swaps two lines of right results.
func TestLinesMayNotBeSwapped(t *testing.T) {
	p := prover(t, widgets, Options{})
	for _, x := range pairs {
		lines := strings.SplitAfter(x.after, "\n")
		for i := 1; x.line == 0 && i < len(lines); i++ {
			if strings.Contains(lines[i-1], "- ") && strings.Contains(lines[i], "- ") {
				continue // the order of a list of groups does not matter
			}
			lines[i-1], lines[i] = lines[i], lines[i-1]
			refuse(t, p, x, "swapped lines", strings.Join(lines, ""))
			lines[i-1], lines[i] = lines[i], lines[i-1]
		}
	}
}
