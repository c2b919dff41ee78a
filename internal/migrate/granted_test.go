package migrate

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What a role grants after is the image of what it granted before, tuple by tuple, and in dual
// mode both: counted by hand, of every rule that has some of these groups and resources, alone and
// beside one that is there in the new group.
func TestGrantedTuples(t *testing.T) {
	sets := map[string]map[[2]string][2]string{
		"rules:\n- {id: w, from: {group: a.example.com, kind: Widget, plural: widgets}, to: {group: x.example.dev}}\n":                                                                                                   {{"a.example.com", "widgets"}: {"x.example.dev", "widgets"}},
		"rules:\n- {id: w, from: {group: a.example.com, kind: Widget, plural: widgets}, to: {group: x.example.dev, kind: Gizmo, plural: gizmos}}\n- {id: a, from: {group: a.example.com}, to: {group: x.example.dev}}\n": {{"a.example.com", "widgets"}: {"x.example.dev", "gizmos"}, {"a.example.com", "gadgets"}: {"x.example.dev", "gadgets"}, {"a.example.com", "pods"}: {"x.example.dev", "pods"}},
	}
	beside := "- {apiGroups: [x.example.dev], resources: [gizmos], verbs: [get]}\n"
	for text, image := range sets {
		for _, dual := range []bool{false, true} {
			m := parsedMigration(t, "name: x\n"+text, dual)
			for _, groups := range []string{"a.example.com", "x.example.dev, a.example.com"} {
				for _, names := range []string{"widgets", "gadgets", "widgets, gadgets", "pods, widgets/status", "gadgets, widgets, widgets/status"} {
					for _, more := range []string{"", beside} {
						in := fmt.Sprintf("kind: ClusterRole\nrules:\n- {apiGroups: [%s], resources: [%s], verbs: [get]}\n%s", groups, names, more)
						got := onceOf(t, m, "role.yaml", in)
						want := wanted(granted(in), image, dual)
						after := granted(got)
						if dual { // a rule has both groups for all of its resources
							maps.DeleteFunc(after, func(x grantedTuple, _ bool) bool { return x[0] == "x.example.dev" && !want[x] })
						}
						if !maps.Equal(after, want) && !(got == in && isTold(m, in)) {
							t.Errorf("dual %v: of\n%scomes\n%swhich grants %v, want %v", dual, in, got, sorted(after), sorted(want))
						}
					}
				}
			}
		}
	}
}

// A grantedTuple is a group, a resource and a verb.
type grantedTuple [3]string

var grantedRule = regexp.MustCompile(`apiGroups: \[(.*?)\], resources: \[(.*?)\], verbs: \[(.*?)\]`)

// granted is what the rules of a role grant that stand on a line each.
func granted(role string) map[grantedTuple]bool {
	set := map[grantedTuple]bool{}
	for _, rule := range grantedRule.FindAllStringSubmatch(role, -1) {
		for g := range strings.SplitSeq(rule[1], ", ") {
			for r := range strings.SplitSeq(rule[2], ", ") {
				for v := range strings.SplitSeq(rule[3], ", ") {
					set[grantedTuple{strings.Trim(g, `"`), r, v}] = true
				}
			}
		}
	}
	return set
}

// wanted are the tuples that some become.
func wanted(before map[grantedTuple]bool, image map[[2]string][2]string, dual bool) map[grantedTuple]bool {
	after := map[grantedTuple]bool{}
	for x := range before {
		plural, sub, more := strings.Cut(x[1], "/")
		to, moves := image[[2]string{x[0], plural}]
		if !moves || dual {
			after[x] = true
		}
		if more {
			to[1] += "/" + sub
		}
		if moves {
			after[grantedTuple{to[0], to[1], x[2]}] = true
		}
	}
	return after
}

func isTold(m *Migration, role string) bool {
	f := fileOf(m, "role.yaml", []byte(role))
	return f != nil && slices.ContainsFunc(f.Sites, func(s Site) bool { return s.Action() == NeedsReview })
}

func sorted(set map[grantedTuple]bool) []string {
	var list []string
	for x := range set {
		list = append(list, strings.Join(x[:], " "))
	}
	slices.Sort(list)
	return list
}
