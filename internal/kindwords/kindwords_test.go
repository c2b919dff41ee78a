package kindwords

import (
	"slices"
	"strings"
	"testing"
)

func widgetSet() *Kind {
	return &Kind{Old: "WidgetSet", New: "GadgetGroup", Unique: true, Longer: []string{"WidgetSetRole"}}
}

func TestFindPreservesCaseAndSeparator(t *testing.T) {
	for _, x := range []struct {
		name string
		kind *Kind
		in   Context
		text string
		want string
	}{
		{"camel case", widgetSet(), Prose, "A WidgetSet, two WidgetSets, WidgetSetSpec.", "A GadgetGroup, two GadgetGroups, GadgetGroupSpec."},
		{"lower camel case", widgetSet(), Ident, "widgetSetLister", "gadgetGroupLister"},
		{"after a lower-case letter a small letter begins no word", widgetSet(), Ident, "mywidgetSet", "mywidgetSet"},
		{"joined", widgetSet(), Prose, "kubectl get widgetsets vwidgetset.kb.io", "kubectl get gadgetgroups vgadgetgroup.kb.io"},
		{"with other capitals", widgetSet(), Prose, "WidgetsetSpec WidGetSet widGetSet TestWidGetSets xwidGetSet WidGetsetRole", "GadgetgroupSpec GadgetGroup gadgetGroup TestGadgetGroups xwidGetSet WidGetsetRole"},
		{"another form of the word, and the host of a Service", widgetSet(), Prose, "the widgetsetr of my-widgetset-a.ns.svc.cluster.local and widgetsetname", "the widgetsetr of my-gadgetgroup-a.ns.svc.cluster.local and gadgetgroupname"},
		{"joined with a capital", widgetSet(), Prose, "TestWidgetset", "TestGadgetgroup"},
		{"upper case", widgetSet(), Prose, "WIDGETSET WIDGETSETS XWIDGETSET", "GADGETGROUP GADGETGROUPS XWIDGETSET"},
		{"kebab case", widgetSet(), Prose, "widget-set-controller widget-sets widget-setup", "gadget-group-controller gadget-groups widget-setup"},
		{"snake case", widgetSet(), Path, "docs/widget_set.md", "docs/gadget_group.md"},
		{"screaming snake case", widgetSet(), Literal, `"MAX_WIDGET_SETS" "WIDGET_SET_NAME" "MAXWIDGET_SET"`, `"MAX_GADGET_GROUPS" "GADGET_GROUP_NAME" "MAXWIDGET_SET"`},
		{"the spaced form is not a name", widgetSet(), Prose, "Widget Set, widget sets", "Widget Set, widget sets"},
		{"a longer kind is another kind", widgetSet(), Prose, "WidgetSetRole widgetsetroles widget-set-role WidgetSetRoleList", "WidgetSetRole widgetsetroles widget-set-role WidgetSetRoleList"},
		{"a small letter after the word is another word", widgetSet(), Prose, "WidgetSettings", "WidgetSettings"},
		{"the plural does not take a letter of the next segment", &Kind{Old: "WidgetConfig", New: "GadgetConfig", Unique: true}, Ident, "WidgetConfigSpec", "GadgetConfigSpec"},
		{"irregular plural", &Kind{Old: "TrafficPolicy", New: "TrafficGrant", Unique: true}, Prose, "TrafficPolicies trafficpolicies traffic-policies TrafficPolicyList", "TrafficGrants trafficgrants traffic-grants TrafficGrantList"},
		{"to an irregular plural", &Kind{Old: "TrafficGrant", New: "TrafficPolicy", Unique: true}, Prose, "TrafficGrants trafficgrants TrafficGrant #trafficgrantspec", "TrafficPolicies trafficpolicies TrafficPolicy #trafficpolicyspec"},
		// tektoncd/operator: TektonChains are of Tekton Chains.
		{"the old name is the plural of the new", &Kind{Old: "WidgetChains", New: "WidgetChain", OldPlural: "widgetchainses", Unique: true}, Prose, "WidgetChains widgetchainses widget-chains WIDGET_CHAINS_VERSION", "WidgetChain widgetchains widget-chains WIDGET_CHAINS_VERSION"},
		{"the resource of a kind of one word", &Kind{Old: "Placement", New: "BindingPolicy", Unique: true}, Program, `Resource("placement"), placement "Placement"`, `Resource("bindingpolicy"), bindingPolicy "BindingPolicy"`},
		{"given plurals", &Kind{Old: "WidgetFish", New: "GadgetFish", OldPlural: "widgetfish", NewPlural: "gadgetfish", Unique: true}, Prose, "widgetfish WidgetFish", "gadgetfish GadgetFish"},
		{"the new name contains the old", &Kind{Old: "WidgetSet", New: "ClusterWidgetSet", Unique: true}, Prose, "WidgetSet ClusterWidgetSet clusterwidgetsets widgetsets", "ClusterWidgetSet ClusterWidgetSet clusterwidgetsets clusterwidgetsets"},
		{"the old name contains the new", &Kind{Old: "QueuedWorkload", New: "Workload", Unique: true}, Prose, "QueuedWorkload Workload queuedworkloads workloads", "Workload Workload workloads workloads"},
		{"initialism", &Kind{Old: "HTTPRoute", New: "GRPCPath", Unique: true}, Ident, "newHTTPRouteLister", "newGRPCPathLister"},
		{"initialism before another one", &Kind{Old: "DocumentDB", New: "DataStore", Unique: true}, Ident, "newDocumentDBURI", "newDataStoreURI"},
		{"initialism that is the kind", &Kind{Old: "VNI", New: "Network"}, Ident, "VNIAM", "VNIAM"},
		{"initialism in lower camel case", &Kind{Old: "HTTPRoute", New: "GRPCPath", Unique: true}, Ident, "httpRoute", "grpcPath"},
		{"initialism with only the first letter small", &Kind{Old: "KFService", New: "InferenceService", Unique: true}, Ident, "kFServices", "inferenceServices"},
		{"initialism written as a word", &Kind{Old: "KFService", New: "InferenceService", Unique: true}, Prose, "a KfService", "a InferenceService"},
		{"initialism written as a word in a name", &Kind{Old: "VNI", New: "L3VNI"}, Ident, "changedVni", "changedL3vni"},
		{"within another initialism", &Kind{Old: "VNI", New: "L3VNI"}, Ident, "AVNI", "AVNI"},
		{"after an initialism a capital begins a word", &Kind{Old: "VNI", New: "L3VNI"}, Ident, "VNISpec", "L3VNISpec"},
		{"plural of an initialism", &Kind{Old: "VNI", New: "L3VNI"}, Ident, "ValidateVNIs", "ValidateL3VNIs"},
		{"an initialism does not end before a capital that continues it", &Kind{Old: "VNI", New: "L3VNI"}, Ident, "VNIX", "VNIX"},
		{"domains are not named after the kind", widgetSet(), Prose, "widgetset.x-k8s.io/name widgetset-operator.example.com a.widgetset.example.com/b", "widgetset.x-k8s.io/name widgetset-operator.example.com a.widgetset.example.com/b"},
		{"fields and files are no domains", widgetSet(), Path, "widgetset.controller.yaml widgetset.spec.size widgetset_types.go widgetset.app widgetset.io", "gadgetgroup.controller.yaml gadgetgroup.spec.size gadgetgroup_types.go gadgetgroup.app widgetset.io"},
		{"owners and repositories are not named after the kind", widgetSet(), Prose, "https://github.com/widgetset/widget-set/tree/main/pkg/widgetset ghcr.io/x/y/z/widgetset:v1 (#widget-set)", "https://github.com/widgetset/widget-set/tree/main/pkg/widgetset ghcr.io/x/y/z/widgetset:v1 (#widget-set)"},
		{"files of an image or node stay", widgetSet(), Literal, `"/var/lib/widgetset/a.d" "/etc/widgetset"`, `"/var/lib/widgetset/a.d" "/etc/gadgetgroup"`},
		{"names of variables need review in YAML", widgetSet(), YAMLValue, "IMAGE_OF_WIDGETSET WIDGETSET", "IMAGE_OF_WIDGETSET GADGETGROUP"},
		{"one word is found in identifiers only", &Kind{Old: "Queue", New: "LocalQueue"}, Prose, "Queue queue queues", "Queue queue queues"},
		{"one word as a segment", &Kind{Old: "Queue", New: "LocalQueue"}, Ident, "AddQueueKey", "AddLocalQueueKey"},
		{"short joined spellings need word boundaries", &Kind{Old: "IPSet", New: "NetGroup", Unique: true}, Prose, "clipsets ipset", "clipsets netgroup"},
		{"a spaced form that the ruleset names", &Kind{Old: "WidgetSet", New: "GadgetGroup", Unique: true, Alias: map[string]string{"widget set": "gadget group"}}, Prose, "Widget set, the widget sets", "Gadget group, the gadget groups"},
		{"a long abbreviation", &Kind{Old: "WidgetSet", New: "GadgetGroup", Unique: true, Alias: map[string]string{"wdgt": "gadget"}}, Prose, "wdgt.name my_wdgt setWdgt wdgts wdgtx", "gadget.name my_gadget setGadget gadgets wdgtx"},
		{"initials of three words are a word of prose in capitals", &Kind{Old: "WidgetSetRole", New: "GadgetGroup", Unique: true, Alias: map[string]string{"wsr": "gg"}}, Prose, "a WSR, two WSRs, <WSR-name> wsr WSRX WSR_NAME AWSR WSR2", "a GG, two GGs, <GG-name> wsr WSRX WSR_NAME AWSR WSR2"},
		{"other abbreviations of three letters are none", &Kind{Old: "WidgetSet", New: "GadgetGroup", Unique: true, Alias: map[string]string{"wgs": "gg"}}, Prose, "WGS", "WGS"},
		{"a short abbreviation is no word of prose", &Kind{Old: "WidgetSet", New: "GadgetGroup", Unique: true, Alias: map[string]string{"ws": "gg"}}, Prose, "ws wss", "ws wss"},
	} {
		t.Run(x.name, func(t *testing.T) {
			got := Apply(x.text, NewSet(x.kind).Find(x.text, x.in))
			if got != x.want {
				t.Errorf("Find(%q) gives %q, want %q", x.text, got, x.want)
			}
		})
	}
}

// The name of a project stays, wherever it is: it is an element of its module or group. So do keys
// of its structs, addresses of other projects, and other words.
func TestProject(t *testing.T) {
	s := NewSet(widgetSet())
	s.Project(map[string]string{".": "example.com/widget-sets", "tools": "example.com/my-widget-set-tools", "sdk/widgetset/config": "example.com/x/y/sdk/widgetset/config"}, map[string]string{"widget-sets.io": "widget-sets.io"}, nil)
	s.Fields([]string{"widgetSet", "widgetset", "WidgetSet"})
	for in, want := range map[string]string{
		"widgetsets, WidgetSet, widget-set-1":                                                             "gadgetgroups, GadgetGroup, gadget-group-1",
		"example.com/widget-sets/widgetset/widgetset.go":                                                  "example.com/widget-sets/gadgetgroup/gadgetgroup.go",
		"./sdk/widgetset/config sdk/widgetset/config/a sdk/widgetset":                                     "./sdk/widgetset/config sdk/widgetset/config/a sdk/gadgetgroup",
		"https://raw.example.org/x/y/main/widgetset https://other.example.org/x/widgetset":                "https://raw.example.org/x/y/main/gadgetgroup https://other.example.org/x/widgetset",
		"widgetSet: .spec.widgetSet widgetset: widgetset WidgetSet: WidgetSet":                            "widgetSet: .spec.widgetSet widgetset: gadgetgroup WidgetSet: GadgetGroup",
		"my-widget-set-tools/a: MY_WIDGET_SET_TOOLS has a widget-set":                                     "my-widget-set-tools/a: MY_WIDGET_SET_TOOLS has a gadget-group",
		`id="widget-sets.io/v1.WidgetSetSpec" "widget-sets.io/widgetset.a" "example.io/v1.WidgetSetSpec"`: `id="widget-sets.io/v1.GadgetGroupSpec" "widget-sets.io/widgetset.a" "example.io/v1.WidgetSetSpec"`,
	} {
		if got := Apply(in, s.Find(in, Prose)); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

// A group whose first label is the kind stays, with what is made of it.
func TestKindAndGroupOfOneName(t *testing.T) {
	s := NewSet(widgetSet())
	s.Project(nil, map[string]string{"widgetset.example.com": "widgetset.example.com"}, nil)
	for in, want := range map[string]string{
		"path: /mutate-widgetset-example-com-v1-widgetset": "path: /mutate-widgetset-example-com-v1-gadgetgroup",
		"(#widgetset-example-com-v1-WidgetSet)":            "(#widgetset-example-com-v1-GadgetGroup)",
		"group: widgetset":                                 "group: widgetset",
		"WidgetsetV1().WidgetSets()":                       "WidgetsetV1().GadgetGroups()",
		"apis/widgetset/v1/widgetset_types.go":             "apis/widgetset/v1/gadgetgroup_types.go",
		"widgetset_v1_widgetset.yaml, widgetset_client.go": "widgetset_v1_gadgetgroup.yaml, widgetset_client.go",
		"widgetsetv1.WidgetSet":                            "widgetsetv1.GadgetGroup",
	} {
		if got := Apply(in, s.Find(in, Prose)); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

// So does one whose first label is its plural, with or without dashes: the folder has no kind in its name.
func TestKindAndGroupOfItsPlural(t *testing.T) {
	s := NewSet(widgetSet())
	s.Project(nil, map[string]string{"widget-sets.example.com": "widget-sets.example.com"}, nil)
	in, want := "apis/widgetsets/v1/widgetset_types.go lists widgetsets", "apis/widgetsets/v1/gadgetgroup_types.go lists gadgetgroups"
	if got := Apply(in, s.Find(in, Prose)); got != want {
		t.Errorf("%q becomes %q, want %q", in, got, want)
	}
}

// One that gets the new name of the kind does not stay.
func TestKindAndGroupGetOneName(t *testing.T) {
	s := NewSet(widgetSet())
	s.Project(nil, map[string]string{"widgetset.example.com": "gadgetgroup.example.com"}, nil)
	in, want := "apis/widgetset/v1/widgetset_types.go widgetsetv1.WidgetSet widgetset_v1_widgetset.yaml", "apis/gadgetgroup/v1/gadgetgroup_types.go gadgetgroupv1.GadgetGroup gadgetgroup_v1_gadgetgroup.yaml"
	if got := Apply(in, s.Find(in, Prose)); got != want {
		t.Errorf("%q becomes %q, want %q", in, got, want)
	}
}

func TestFindReportsSeparatedYAMLValues(t *testing.T) {
	k := widgetSet()
	text := "kind: WidgetSet\nname: widget-set-a\nresources: [widgetsets]\n"
	edits := NewSet(k).Find(text, YAMLValue)
	want := []Edit{{Start: 6, End: 15, New: "GadgetGroup"}, {Start: 22, End: 32, New: "gadget-group", Review: true, Lower: true}, {Start: 47, End: 57, New: "gadgetgroups", Lower: true}}
	if !slices.EqualFunc(edits, want, func(a, b Edit) bool { a.form = nil; return a == b }) {
		t.Errorf("got %v, want %v", edits, want)
	}
	if got := Apply(text, edits); got != "kind: GadgetGroup\nname: widget-set-a\nresources: [gadgetgroups]\n" {
		t.Errorf("Apply made an edit that needs review: %q", got)
	}
}

// A name that goes on keeps the capitals that it has in the tree.
func TestLongerNamesKeepTheirSpelling(t *testing.T) {
	set := NewSet(&Kind{Old: "WidGSetPool", New: "WidGSetPoolRef", Unique: true})
	for ident, want := range map[string]string{"widgSetPoolLister": "widgSetPoolRefLister", "NewWidgSetPool": "NewWidgSetPoolRef", "NewWidGSetPool": "NewWidGSetPoolRef"} {
		if got, kinds := set.Rename(ident); got != want || len(kinds) != 1 {
			t.Errorf("Rename(%q) = %q, %d kinds, want %q", ident, got, len(kinds), want)
		}
	}
}

func TestSetTakesTheLongestKind(t *testing.T) {
	set := NewSet(&Kind{Old: "Widget", New: "Gadget"}, &Kind{Old: "WidgetVersion", New: "GadgetRelease", Unique: true, Longer: []string{"Widget"}})
	for ident, want := range map[string]string{
		"WidgetVersionList": "GadgetReleaseList",
		"WidgetList":        "GadgetList",
		"newWidget":         "newGadget",
		"other":             "other",
	} {
		if got, _ := set.Rename(ident); got != want {
			t.Errorf("Rename(%q) = %q, want %q", ident, got, want)
		}
	}
	_, kinds := set.Rename("WidgetVersionList")
	if len(kinds) != 1 || kinds[0].Old != "WidgetVersion" {
		t.Errorf("Rename names the kinds %v", kinds)
	}
}

func TestHasNew(t *testing.T) {
	set := NewSet(widgetSet(), &Kind{Old: "Pool", New: "Basin"})
	for line, want := range map[string]bool{
		"WidgetSet was renamed to GadgetGroup":  true,
		"see GadgetGroups":                      true,
		"a Basin of one word is not a decision": false,
		"":                                      false,
	} {
		if got := set.HasNew(line); got != want {
			t.Errorf("HasNew(%q) = %v", line, got)
		}
	}
}

func TestRenameAlias(t *testing.T) {
	k := &Kind{Old: "WidgetSet", New: "GadgetGroup", Alias: map[string]string{"ws": "gg", "wdgt": "gadget"}}
	for _, x := range []struct{ in, want string }{
		{"ws", "gg"}, {"wss", "ggs"}, {"oldWs", "oldGg"}, {"WSKey", "GGKey"}, {"wdgtList", "gadgetList"}, {"rows", "rows"}, {"newTestWS", "newTestGG"}, {"ws1", "gg1"}, {"defaultWDGT", "defaultGadget"}, {"WDGT", "GADGET"}, {"rows1", "rows1"},
	} {
		if got := k.RenameAlias(x.in); got != x.want {
			t.Errorf("RenameAlias(%q) = %q; want %q", x.in, got, x.want)
		}
	}
}

// A text has a plural without a letter of its kind: policies.
func TestNeedles(t *testing.T) {
	if got := NewSet(&Kind{Old: "IPPolicy", New: "Rule"}).Needles(); len(got) != 1 || got[0] != "polic" {
		t.Errorf("Needles() = %q", got)
	}
}

func TestSplit(t *testing.T) {
	for name, want := range map[string]string{
		"WidgetSet": "Widget Set", "HTTPRoute": "HTTP Route", "KFService": "KF Service", "v1Beta2": "v1 Beta2",
		"L3VNI": "L3 VNI", "widgetSet": "widget Set", "a_b": "a _ b", "": "", "X": "X",
	} {
		if got := strings.Join(Split(name), " "); got != want {
			t.Errorf("Split(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestContains(t *testing.T) {
	for _, x := range []struct {
		longer, kind string
		want         bool
	}{{"WidgetSetRole", "WidgetSet", true}, {"ClusterWidgetSet", "WidgetSet", true}, {"WidgetSet", "WidgetSet", false}, {"WidgetSettings", "WidgetSet", false}, {"WidgetASet", "WidgetSet", false}} {
		if got := Contains(x.longer, x.kind); got != x.want {
			t.Errorf("Contains(%q, %q) = %v", x.longer, x.kind, got)
		}
	}
}

// What Find leaves has no spelling that a second run would change.
func TestFindTwiceChangesNothing(t *testing.T) {
	text := "WidgetSet widgetSet widgetset Widgetset WIDGETSET widget-set widget_set WIDGET_SET widgetsets WidgetSetRole xwidgetsety"
	for _, k := range []*Kind{
		widgetSet(),
		{Old: "WidgetSet", New: "ClusterWidgetSet", Unique: true},
		{Old: "WidgetSet", New: "Widget", Unique: true},
		{Old: "WidgetSet", New: "WidgetSetGroup", Unique: true},
	} {
		for _, in := range []Context{Ident, Prose, Path, Literal} {
			once := Apply(text, NewSet(k).Find(text, in))
			if again := NewSet(k).Find(once, in); len(again) > 0 {
				t.Errorf("%s to %s: a second run finds %v in %q", k.Old, k.New, again, once)
			}
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add("WidgetSets widget-set\xff", "WidgetSet", "GadgetGroup")
	f.Add("aA", "A", "B")
	f.Fuzz(func(t *testing.T, text, old, fresh string) {
		if old == "" || fresh == "" {
			return
		}
		k := &Kind{Old: old, New: fresh, Unique: true}
		end := 0
		for _, e := range NewSet(k).Find(text, Prose) {
			if e.Start < end || e.End <= e.Start || e.End > len(text) {
				t.Fatalf("edit %v after %d in %q", e, end, text)
			}
			end = e.End
		}
	})
}
