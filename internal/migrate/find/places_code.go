package find

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A codePlace says what a string in source is that is nothing but a name, by
// what stands around it. What a row does not ask for may be anything.
type codePlace struct {
	id     string // kebab-case
	why    string // what writes such names, in more than one project
	shapes []Shape
	also   func(l *literal) bool
	place  *Place // nil: it is no site
	// yes is a file of Go in which the row speaks of the name in ‹›, no one near
	// to it in which it does not.
	yes, no string
}

// A literal is a string in source that is nothing but a name.
type literal struct {
	*analysis
	v, in *text.View // the source, and the string in it
	c     *text.CodeFile
	i     int
	tok   Token
	lit   text.LiteralText
}

// codePlaces are asked in this order; the first that speaks of a name decides.
var codePlaces = []codePlace{
	{id: "suffix-of-resource", why: "controllers ask whether the name of a CRD ends with the group", shapes: []Shape{Bare}, also: func(l *literal) bool { return l.isSuffix() && isOfResource(ofWhat(l.lit.Before)) }, place: EveryKind,
		yes: `var x = strings.HasSuffix(crd.Name, ".‹old.example.com›")`, no: `var x = strings.HasSuffix(x.Name, ".‹old.example.com›")`},
	{id: "suffix-of-other", why: "controllers ask whether a host ends with the domain", shapes: []Shape{Bare}, also: func(l *literal) bool { return l.isSuffix() && speaksOf(ofWhat(l.lit.Before), false) != nil }, place: OtherName,
		yes: `var x = strings.HasSuffix(r.Host, ".‹old.example.com›")`, no: `var x = strings.HasSuffix(r.Post, ".‹old.example.com›")`},
	{id: "wildcard-resources", why: "code writes lists of resources for encryption and policies", shapes: []Shape{Bare}, also: func(l *literal) bool { return l.isWildcard() && l.listsResources() }, place: EveryKind,
		yes: `var x = Policy{Resources: []string{"*.‹old.example.com›"}}`, no: `var x = Policy{Sources: []string{"*.‹old.example.com›"}}`},
	{id: "below-other", why: "code names the hosts of certificates and routes by a wildcard", also: func(l *literal) bool { place, _ := l.other(); return l.tok.Word.Start > 0 && place != nil }, place: OtherName,
		yes: `var hosts = []string{"*.‹old.example.com›"}`, no: `var posts = []string{"*.‹old.example.com›"}`},
	{id: "below", why: "code joins a domain to what stands before its dot, cuts it there, or stands for all below it: resources, hosts or keys", shapes: []Shape{Bare}, also: func(l *literal) bool { return l.tok.Word.Start > 0 }, place: Doubt, yes: `var x = ".‹old.example.com›"`, no: `var x = "‹old.example.com›"`},
	{id: "longer-domain", why: "other hosts and other groups end with the same domain", shapes: []Shape{Longer}, place: InDomain, yes: `var x = "‹a.b.c.old.example.com›"`, no: `var x = "‹c.old.example.com›"`},
	{id: "crd-file", why: "tests and tools read the files that controller-gen names GROUP_PLURAL.yaml", shapes: []Shape{FileName}, place: CRDFile, yes: `var x = "‹old.example.com_things.yaml›"`, no: `var x = "‹old.example.com_Thing›"`},
	{id: "named-key", why: "constants, fields and flags are named after keys, finalizers and elections", shapes: keyShapes, also: (*literal).isNamedKey, place: KeyLike, yes: `var topologyKey = "‹old.example.com/v1›"`, no: `var topology_mode = "‹old.example.com/v1›"`},
	{id: "label-index", why: "code reads and writes labels and annotations by their keys", shapes: keyShapes, also: (*literal).indexesLabels, place: MapKey, yes: `var x = o.GetLabels()["‹old.example.com/v1›"]`, no: `var x = o.Get()["‹old.example.com/v1›"]`},
	{id: "label-argument", why: "calls add and remove labels, annotations and finalizers", shapes: keyShapes, also: (*literal).isLabelArgument, place: KeyLike, yes: `var x = AddFinalizer(o, "‹old.example.com/v1›")`, no: `var x = Add(o, "‹old.example.com/v1›")`},
	{id: "host-name", why: "code keeps hosts in names that say so", shapes: []Shape{Key, Resource}, also: (*literal).isHostName, place: HostName, yes: `var host = "‹apples.split.example.com›"`, no: `var post = "‹apples.split.example.com›"`},
	{id: "image", why: "code keeps images in names that say so", shapes: []Shape{GroupVersion}, also: func(l *literal) bool { return l.lit.Name != "" && isImage(l.lit.Name) }, place: InPath, yes: `var image = "‹old.example.com/v1›"`, no: `var x = "‹old.example.com/v1›"`},
	{id: "perhaps-set-key", why: "sets of CRDs that no rule names are keyed by PLURAL.GROUP, and no label is in a set", shapes: []Shape{Key}, also: func(l *literal) bool { return mayBeResource(l.tok) && l.isKey() && l.isInSet() }, place: PerhapsSet,
		yes: `var m = map[string]bool{"‹figs.old.example.com›": true}`, no: `var m = map[string]int{"‹figs.old.example.com›": 1}`},
	{id: "jenkins-object", why: "pipelines of Jenkins (openshift/jenkins-client-plugin, and those of the s2i images) choose an object by openshift.selector: SINGULAR.GROUP/NAME", shapes: []Shape{Key}, also: func(l *literal) bool { return jenkinsSelector.Match(l.lit.Before) }, place: Doubt,
		yes: `var x = openshift.selector("‹apple.split.example.com/x›")`, no: `var x = openshift.selects("‹apple.split.example.com/x›")`},
	{id: "key-of-labels", why: "names and lines that speak of labels hold keys", shapes: []Shape{Key}, also: (*literal).isKeyOrLabel, place: KeyLike, yes: `var labelKey = "‹figs.old.example.com›"`, no: `var key = "‹figs.old.example.com›"`},
	{id: "another-group", why: "a constant for a group may hold a longer one", shapes: []Shape{Key, Resource}, also: func(l *literal) bool { return isGroupKey(l.lit.Name) && l.tok.mayBeGroup() }, place: OtherGroup,
		yes: `const GroupName = "‹figs.old.example.com›"`, no: `const Name = "‹figs.old.example.com›"`},
	{id: "webhook", why: "tests find webhooks by their names", shapes: []Shape{Key}, also: func(l *literal) bool { return strings.HasSuffix(strings.ToLower(l.lit.Name), "webhookname") }, place: WebhookName,
		yes: `var webhookName = "‹x.old.example.com›"`, no: `var hook = "‹x.old.example.com›"`},
	{id: "agreed-key", why: "managers of fields, event recorders and controllers are named NAME.GROUP", shapes: []Shape{Key}, also: func(l *literal) bool { return mayBeResource(l.tok) && isOther(Agreed)(l) }, place: Agreed,
		yes: `var x = client.FieldOwner("‹figs.old.example.com›")`, no: `var x = client.Field("‹figs.old.example.com›")`},
	{id: "crd-named", why: "code keeps the names of CRDs that no rule names in fields, lists and arguments that say so (knative's schema-tweak in crdName, tools around KServe in CRDNames)", shapes: []Shape{Key}, also: (*literal).namedCRD, place: CRDNameOr, yes: `var crdName = "‹figs.old.example.com›"`, no: `var cardName = "‹figs.old.example.com›"`},
	{id: "perhaps-resource", why: "CRDs that no rule names are PLURAL.GROUP, as many labels are", shapes: []Shape{Key}, also: func(l *literal) bool { return mayBeResource(l.tok) }, place: Perhaps, yes: `var x = "‹figs.old.example.com›"`, no: `var x = "‹old.example.com/figs›"`},
	{id: "key", why: "everything else that is spelled as a key of a label", shapes: []Shape{Key}, place: KeyLike, yes: `var x = "‹old.example.com/figs›"`, no: `var x = "‹figs.old.example.com›"`},
	{id: "set-key", why: "controllers wait for sets of CRDs, and read lists of resources as sets", shapes: []Shape{Resource}, also: func(l *literal) bool { return l.tok.Known.Kind == "" && l.isKey() && l.isInSet() }, place: SetKey,
		yes: `var m = map[string]bool{"‹apples.split.example.com›": true}`, no: `var m = map[string]int{"‹apples.split.example.com›": 1}`},
	{id: "jenkins-selector", why: "pipelines of Jenkins (openshift/jenkins-client-plugin, and those of the s2i images) choose resources by openshift.selector", shapes: []Shape{Resource}, also: func(l *literal) bool { return jenkinsSelector.Match(l.lit.Before) }, place: Resources,
		yes: `var x = openshift.selector("‹apples.split.example.com›")`, no: `var x = openshift.selects("‹apples.split.example.com›")`},
	{id: "map-key", why: "maps of labels have keys that are spelled as a resource", shapes: []Shape{Resource}, also: func(l *literal) bool { return l.tok.Known.Kind == "" && l.isKeyOrLabel() }, place: MapKey,
		yes: `var m = map[string]int{"‹apples.split.example.com›": 1}`, no: `var m = []string{"‹apples.split.example.com›"}`},
	{id: "strings-key", why: "maps of strings are labels or annotations", shapes: []Shape{GroupVersion}, also: func(l *literal) bool { return l.isKeyOrLabel() && l.isEntry() && !l.hasKind() }, place: StringsKey,
		yes: `var m = map[string]string{"‹old.example.com/v1›": "x"}`, no: `var m = map[string]int{"‹old.example.com/v1›": 1}`},
	{id: "joined-key", why: "code puts keys of labels, finalizers and hosts together with the domain as it stands", shapes: []Shape{Bare}, also: (*literal).makesKey, place: Doubt, yes: `var x = "‹old.example.com›" + "/owner"`, no: `var x = "‹old.example.com›" + "/v1"`},
	{id: "label-line", why: "lines about labels hold the domain", shapes: []Shape{Bare, GroupResource, GroupKind}, also: func(l *literal) bool {
		return l.aboutLabels() && !strings.Contains(strings.ToLower(l.lit.Name), "group") || l.isKey() && l.tok.Shape == GroupResource
	}, place: LabelLine, yes: `var label = "‹old.example.com›"`, no: `var labelGroup = "‹old.example.com›"`},
	{id: "condition", why: "conditions of an object have types and reasons of the domain", shapes: []Shape{GroupKind}, also: (*literal).isCondition, place: Condition, yes: `var x = Condition{Type: "‹old.example.com/Ready›"}`, no: `var x = Object{Type: "‹old.example.com/Ready›"}`},
	{id: "host", why: "lists and fields of hosts hold the domain", shapes: []Shape{Bare}, also: isOther(HostName), place: HostName, yes: `var hosts = []string{"a", "‹old.example.com›"}`, no: `var posts = []string{"a", "‹old.example.com›"}`},
	{id: "agreed-name", why: "managers of fields, event recorders and controllers have names of the domain", shapes: []Shape{Bare, Resource}, also: isOther(Agreed), place: Agreed, yes: `var x = client.FieldOwner("‹old.example.com›")`, no: `var x = client.Field("‹old.example.com›")`},
	{id: "named-other", why: "registries, loggers and tracers have names of the domain", shapes: []Shape{Bare}, also: isOther(NamedOther), place: NamedOther, yes: `var registry = "‹old.example.com›"`, no: `var registered = "‹old.example.com›"`},
	{id: "word", why: "a group without a dot is a word of any language", shapes: []Shape{Bare}, also: func(l *literal) bool { return !strings.Contains(l.tok.Known.Group, ".") && !isGroupKey(l.lit.Name) }, yes: `var x = "‹plain›"`, no: `var group = "‹plain›"`},
	{id: "perhaps-path", why: "keys of etcd and folders of oc adm inspect are GROUP/RESOURCE, and images and labels are spelled like it", shapes: []Shape{GroupResource}, also: func(l *literal) bool { return !resourceWord.Match(l.lit.Before) }, place: Doubt,
		yes: `var x = "‹split.example.com/apples›"`, no: `var resource = "‹split.example.com/apples›"`},
	{id: "resource", why: "clients and commands in code name PLURAL.GROUP", shapes: []Shape{Resource}, place: Resources, yes: `var x = "‹apples.split.example.com›"`, no: `var x = "‹old.example.com›"`},
	{id: "keys-what", why: "maps have domains for keys that are no groups", shapes: []Shape{Bare}, also: keysWhat, place: KeyOfMap, yes: `var m = map[string]string{"‹old.example.com›": "x"}`, no: `var groups = map[string]string{"‹old.example.com›": "x"}`},
	{id: "literal", why: "a constant of every client and controller", place: Literal, yes: `var x = "‹old.example.com/v1›"`, no: `var x = "‹apples.split.example.com›"`},
}

// codePlace reports a string as what stands around it says.
func (a *analysis) codePlace(l *literal) {
	for i := range codePlaces {
		x := &codePlaces[i]
		if len(x.shapes) > 0 && !anyOf(x.shapes, l.tok.Shape) || x.also != nil && !x.also(l) {
			continue
		}
		if x.place != nil {
			a.found(l.site(x.place))
		}
		return
	}
}

// site is a string in a place, with what the strings beside it tell.
func (l *literal) site(place *Place) Site {
	s := Site{Doc: l.in, Token: l.tok, Place: place, Name: l.lit.Name}
	if place == NamedOther {
		_, s.Name = l.other()
	}
	if l.isKey() && l.isEntry() {
		s.Entry = l.v.Span(l.lit.Outer)
	}
	switch place {
	case Perhaps, PerhapsSet:
		s.Facts.Plural = l.tok.Prefix
	case CRDNameOr:
		s.Known.Plural, s.Kind = l.tok.Prefix, l.tok.first()
	case Literal, Resources:
		l.tellsNear(&s)
	}
	return s
}

// tellsNear reads what the strings around a name tell of it.
func (l *literal) tellsNear(s *Site) {
	near := l.neighbours()
	l.kindSet(&near)
	if own := l.tok.Known; own.Kind != "" || own.Plural != "" { // its name tells
		near.kind, near.plural, near.facts.Kind, near.facts.Plural = -1, -1, "", ""
	}
	s.Facts = near.facts
	for _, b := range []struct {
		lit  int
		role Role
	}{{near.version, RoleVersion}, {near.kind, RoleKind}, {near.plural, RoleResource}} {
		if b.lit >= 0 && !(b.role == RoleVersion && l.tok.Ver.Len() > 0) {
			s.Beside = append(s.Beside, Part{Doc: l.v, Span: l.c.Literals[b.lit].Text, Role: b.role})
		}
	}
	l.positional(s)
	l.concatenated(s)
	l.named(s, l.v, l.lit.Text)
	l.unnamed(s)
	l.usedWith(s)
	l.elsewhere(s)
	l.givenNames(s)
	l.subresources(s)
	if l.tok.Shape == Bare {
		s.Tells = l.plural()
		s.apart(l.v, l.lit.Text)
	}
}

// subresources takes the subresources, in the list of a resource that moves with a
// site, and the resource where the list has it again: "things/status" of "things",
// "things/status".
func (l *literal) subresources(s *Site) {
	from, to := l.c.Around(l.i)
	for _, p := range slices.Clone(s.Beside) {
		if p.Role != RoleResource || p.Doc != l.v {
			continue
		}
		listed := slices.IndexFunc(l.c.Literals[from:to], func(lit text.LiteralText) bool { return lit.Text == p.Span })
		if listed < 0 {
			continue
		}
		own := l.c.Literals[from+listed]
		for _, lit := range l.c.Literals[from:to] {
			name := lit.Text.Of(l.v.Data)
			if rest, ok := bytes.CutPrefix(name, p.Span.Of(l.v.Data)); ok && own.Scope >= 0 && lit.Scope == own.Scope && bytes.HasPrefix(rest, []byte("/")) {
				s.Beside = append(s.Beside, Part{Doc: l.v, Span: source.Span{Start: lit.Text.Start, End: lit.Text.Start + p.Span.Len()}, Role: RoleResource})
			}
		}
	}
}

// apiVersionSet and kindSet are the calls that say what an object is.
var (
	apiVersionSet = lazyregexp.New(`([\w.]+)\.(?:Set|With)APIVersion\($`)
	kindSet       = lazyregexp.New(`([\w.]+)\.(?:Set|With)Kind\($`)
)

// kindSet reads the kind that an object is given by a call nearby, of which
// another call sets the apiVersion.
func (l *literal) kindSet(near *neighbourhood) {
	me := apiVersionSet.FindSubmatch(l.lit.Before)
	if me == nil || near.kind >= 0 {
		return
	}
	from, to := l.c.Around(l.i)
	for j := from; j < to; j++ {
		lit := l.c.Literals[j]
		it := kindSet.FindSubmatch(lit.Before)
		if kind := string(lit.Text.Of(l.v.Data)); it != nil && bytes.Equal(it[1], me[1]) && lit.Line >= l.lit.Line-3 && lit.Line <= l.lit.Line+3 && rules.KindName.MatchString(kind) {
			near.kind, near.facts.Kind = j, kind
			return
		}
	}
}

// plural is the plural: of a CRD in source, which follows its group.
func (l *literal) plural() rules.GVK {
	for _, lit := range l.c.Literals[l.i+1:] {
		if lit.Outer.Start > l.lit.Outer.End+600 {
			break
		}
		if name := string(lit.Text.Of(l.v.Data)); strings.EqualFold(lit.Name, "plural") && rules.PluralName.MatchString(name) {
			return rules.GVK{Group: string(l.lit.Text.Of(l.v.Data)), Plural: name}
		}
	}
	return rules.GVK{}
}

// isHostName says whether a string is a host, or ends one that is joined: the name of its
// field, or of the function that it is an argument of, says so.
func (l *literal) isHostName() bool {
	if isHost(l.lit.Name) {
		return true
	}
	m := hostJoined.FindSubmatch(l.lit.Before)
	return m != nil && (isHost(string(m[1])) || hostFunction.Match(m[2]))
}

var (
	// hostJoined is (1) the field or variable whose value a string ends, behind others
	// that are joined to it, or (2) the function that it is the first argument of.
	hostJoined   = lazyregexp.New(`([A-Za-z_]\w*)["'\x60]?\s*(?::=|[:=])\s*(?:[\w.()"'\[\]-]+\s*\+\s*)+$|\b([A-Za-z_]\w*)\(\s*$`)
	hostFunction = lazyregexp.New(`[a-z]Host(name)?s?$|_host(name)?s?$`)
)

// isWildcard says whether a string stands for all names below a group.
func (l *literal) isWildcard() bool { return wildcard.Match(l.in.Data[:l.tok.Word.Start]) }

// isSuffix says whether a call asks whether a name ends with a group and its dot.
func (l *literal) isSuffix() bool {
	return l.tok.Word.Start == 1 && l.in.Data[0] == '.' && suffixOf.Match(append(bytes.TrimSpace(bytes.Clone(l.lit.Before)), "\"."...))
}

// makesKey says whether a key of labels or a longer domain is made of a string.
func (l *literal) makesKey() bool {
	data, own := l.v.Data, l.lit.Outer
	if j, ok := joinAt(data, own); ok {
		return !j.filled || !resourceMade.Match(data[text.LineAround(data, own).Start:own.Start])
	}
	return path.Ext(l.path) == ".py" && sideBySide(data[max(0, own.Start-text.Nearby):own.Start], data[own.End:min(len(data), own.End+text.Nearby)])
}

// resourceMade is what is given the name of a resource that a call or a sum makes.
var resourceMade = lazyregexp.New(`(?i)\w*(?:resource|plural|singular|kind|crd|gvr|gvk)\w*["'\x60]?\s*:?[:=]\s*[\w.]+(?:\(|\s*\+)`)

// listsResources says whether a string is one of a list of resources.
func (l *literal) listsResources() bool {
	return slices.ContainsFunc(l.holders(), func(name string) bool { return resourceList(strings.ToLower(name)) })
}

// isOther says whether the name of a string speaks of what stands in a place.
func isOther(place *Place) func(*literal) bool {
	return func(l *literal) bool { of, _ := l.other(); return of == place }
}

// isCondition says whether it is the type of a condition, or its reason.
func (l *literal) isCondition() bool {
	for _, name := range append(l.holders(), l.holderOfScope()...) {
		if isCondition(name) {
			return true
		}
	}
	return false
}

func (l *literal) isKeyOrLabel() bool { return l.isKey() || l.aboutLabels() }

// aboutLabels says whether the line before it is about labels.
func (l *literal) aboutLabels() bool { return labelWords.Match(l.lit.Before) }

// isNamedKey says whether it is named after a key. What the line says of labels
// tells the rest of one that is spelled like a key, or like no more than a group.
func (l *literal) isNamedKey() bool {
	return keyVariable.MatchString(l.lit.Name) && !(anyOf([]Shape{Bare, Key, GroupResource, GroupKind}, l.tok.Shape) && labelWords.Match(l.lit.Before))
}

// indexesLabels says whether it is an index into labels or annotations.
func (l *literal) indexesLabels() bool { return labelsIndexed.Match(l.lit.Before) }

// jenkinsSelector is a call of Jenkins that chooses objects, up to their resource.
// Source: https://github.com/openshift/jenkins-client-plugin
var jenkinsSelector = text.NewPattern(`\bopenshift\.selector\(\s*$`, "selector")

var labelsIndexed = text.NewPattern(`(?i)(labels|annotations)["'\x60]?\]?(\(\))?\??(\.get)?[\[(]$`, "labels", "annotations")

// isLabelArgument says whether it is an argument of a call that is named after
// labels, annotations or finalizers.
func (l *literal) isLabelArgument() bool {
	return labelCall.Match(l.lit.Before)
}

var labelCall = text.NewPattern(`(?i)(label|annotation|finalizer)[a-z]*(\.(append|add|remove|has|insert))?["'\x60]?\]?\)?\.?[a-z]*\([^()]*$`, "label", "annotation", "finalizer")

// isKey says whether it is the key of a map or an index.
func (l *literal) isKey() bool {
	data, lit := l.v.Data, l.lit
	after := bytes.TrimLeft(data[lit.Outer.End:min(len(data), lit.Outer.End+8)], " \t")
	if len(after) > 0 && after[0] == ':' && !bytes.HasPrefix(after, []byte(":=")) {
		return !inCase.Match(data[max(0, lit.Outer.Start-text.Nearby):lit.Outer.Start])
	}
	if assigned.Match(data[lit.Outer.End:min(len(data), lit.Outer.End+40)]) && opened.Match(lit.Before) { // HCL
		return true
	}
	return bytes.HasSuffix(lit.Before, []byte("[")) && len(after) > 0 && after[0] == ']' && nameIndex.Match(lit.Before)
}

// inCase is what stands before a value of a case, of which there may be several.
var inCase = lazyregexp.New(`(?:^|[\s{};])case\s[^:{};]*$`)

// isEntry says whether it is the key of an entry whose value is a string.
func (l *literal) isEntry() bool {
	return stringValue.Match(l.v.Data[l.lit.Outer.End:min(len(l.v.Data), l.lit.Outer.End+40)])
}

// hasKind says whether it is the key of an entry whose value is spelled like a kind.
func (l *literal) hasKind() bool {
	return kindValue.Match(l.v.Data[l.lit.Outer.End:min(len(l.v.Data), l.lit.Outer.End+text.Nearby)])
}

var kindValue = lazyregexp.New(`^\s*:\s*["'\x60][A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*["'\x60]`)

// isInSet says whether it is the key of an entry that only says that it is there, as
// no label does.
func (l *literal) isInSet() bool {
	return setValue.Match(l.v.Data[l.lit.Outer.End:min(len(l.v.Data), l.lit.Outer.End+text.Nearby)])
}

var setValue = lazyregexp.New(`^\s*:\s*(true|false|True|False|(struct\{\})?\{\})\s*[,}\n]`)

var (
	assigned = lazyregexp.New(`^\s*=\s*[^=\s]`)
	opened   = lazyregexp.New(`(^|[{,(])\s*$`)
)

var stringValue = lazyregexp.New(`^\s*[:=]\s*["'\x60]`)

var nameIndex = lazyregexp.New(`[A-Za-z0-9_)\]]\[$`)

// A neighbourhood is what the literals around a group tell: indexes of
// literals, -1 for none, and the facts in them.
type neighbourhood struct {
	facts                 rules.GVK
	version, kind, plural int
}

// neighbours reads the named arguments, fields and constants beside a literal,
// and the unnamed ones right behind it on its line.
func (l *literal) neighbours() neighbourhood {
	near := neighbourhood{version: -1, kind: -1, plural: -1}
	from, to := l.c.Around(l.i)
	own, others := l.onLine(from, to), []int{}
	for _, j := range own {
		l.tells(&near, j, l.c.Literals[j])
	}
	for j := from; j < to; j++ {
		lit, alone := l.c.Literals[j], neighbourhood{version: -1, kind: -1, plural: -1}
		if lit.Line == l.lit.Line || !l.isNear(lit) {
			continue
		}
		if l.tells(&alone, j, lit); max(alone.version, alone.kind, alone.plural) >= 0 && !l.ofAnotherLine(j) {
			others = append(others, j)
		}
	}
	if len(others) > 1 {
		mine := ownerOf(l.lit.Before)
		slices.SortStableFunc(others, func(i, j int) int { return l.owned(mine, j) - l.owned(mine, i) })
	}
	for _, j := range others {
		l.tells(&near, j, l.c.Literals[j])
	}
	return near
}

// onLine are the strings near a literal on its line: the nearest first, those of
// another alternative last.
func (l *literal) onLine(from, to int) []int {
	var own, apart []int
	data, behind, before := l.v.Data, false, false // behind or before an alternative
	for d := 1; d < to-from; d++ {
		if j := l.i - d; j >= from && l.c.Literals[j].Line == l.lit.Line {
			before = before || bytes.ContainsAny(data[l.c.Literals[j].Outer.End:l.c.Literals[j+1].Outer.Start], ";|")
			own, apart = l.onSide(j, before, own, apart)
		}
		if j := l.i + d; j < to && l.c.Literals[j].Line == l.lit.Line {
			behind = behind || bytes.ContainsAny(data[l.c.Literals[j-1].Outer.End:l.c.Literals[j].Outer.Start], ";|")
			own, apart = l.onSide(j, behind, own, apart)
		}
	}
	return append(own, apart...)
}

// onSide puts a string that is near into one of two lists.
func (l *literal) onSide(j int, other bool, own, apart []int) (_, _ []int) {
	switch {
	case !l.isNear(l.c.Literals[j]):
	case other:
		apart = append(apart, j)
	default:
		own = append(own, j)
	}
	return own, apart
}

// owned is 1 for a string that is a field of what has another one, else 0.
func (l *literal) owned(mine []byte, j int) int {
	if bytes.Equal(mine, ownerOf(l.c.Literals[j].Before)) {
		return 1
	}
	return 0
}

// ownerOf is what has the field that a string is compared with or set to: obj of
// `if obj.Kind == `; empty where nothing has it.
func ownerOf(before []byte) []byte {
	if m := ownedField.FindSubmatch(before); m != nil {
		return m[1]
	}
	return nil
}

var ownedField = lazyregexp.New(`([\w.]+)\.\w+\s*(?::=|[!=]==?|=)\s*$`)

// ofAnotherLine says whether a string stands on another line than the group, and
// that line has a group of its own.
func (l *literal) ofAnotherLine(j int) bool {
	lit, name := l.c.Literals[j], []byte(l.tok.Known.Group)
	if ofAnother(l.v.Data, l.lit.Text, lit.Text) {
		return true
	}
	from, to := l.c.Around(l.i)
	return slices.ContainsFunc(l.c.Literals[from:to], func(x text.LiteralText) bool {
		return x.Line == lit.Line && x.Scope == lit.Scope && bytes.Contains(x.Text.Of(l.v.Data), name)
	})
}

// isNear says whether a string stands in the same brackets, or outside of all
// within some lines.
func (l *literal) isNear(lit text.LiteralText) bool {
	me := l.lit
	return lit.Scope == me.Scope && lit.Outer.Start <= me.Outer.Start+4000 && lit.Outer.End >= me.Outer.Start-4000 &&
		(me.Scope >= 0 || lit.Line <= me.Line+3 && lit.Line >= me.Line-3)
}

// tells reads a string that is near: the first of each kind counts.
func (l *literal) tells(near *neighbourhood, j int, lit text.LiteralText) {
	value := string(lit.Text.Of(l.v.Data))
	name := strings.ToLower(strings.Trim(lit.Name, "_"))
	behind := lit.Line == l.lit.Line && j > l.i && (lit.Name == "" || l.lit.Name == lit.Name) && !l.headsEntry(lit)
	follows := j == l.i+1 && lit.Scope >= 0 && lit.Name == "" && l.lit.Name == "" // an argument for each line
	switch {
	case near.version < 0 && rules.APIVersion.MatchString(value) && (strings.HasSuffix(name, "version") && sameStem(l.lit.Name, name) || behind || follows):
		near.version, near.facts.Version = j, value
	case near.kind < 0 && (name == "kind" && l.saysKind(l.tok.Known.Group, value) || behind && l.kinds[value]):
		near.kind, near.facts.Kind = j, value
	case near.plural < 0 && rules.PluralName.MatchString(value) && (name == "resource" || name == "plural" || l.listsPlural(behind, lit, value)):
		near.plural, near.facts.Plural = j, value
	}
}

// headsEntry says whether a string is the key of an entry, which tells nothing of
// the value of another one.
func (l *literal) headsEntry(lit text.LiteralText) bool {
	return !l.isKey() && entryBehind.Match(l.v.Data[lit.Outer.End:min(len(l.v.Data), lit.Outer.End+8)])
}

var entryBehind = lazyregexp.New(`^\s*:[^=]`)

// sameStem says whether the name of a version is one of a group's version: both
// begin alike, or the group's name tells of no group. IMAGE_VERSION is none beside
// API_GROUP.
func sameStem(group, version string) bool {
	plain := strings.NewReplacer("_", "", "-", "", ".", "")
	own, ok := strings.CutSuffix(strings.TrimSuffix(plain.Replace(strings.ToLower(group)), "name"), "group")
	if !ok {
		return true
	}
	other := strings.TrimSuffix(plain.Replace(version), "version")
	for _, word := range []string{"group", "api"} {
		own, other = strings.TrimSuffix(own, word), strings.TrimSuffix(other, word)
	}
	return own == other
}

// listsPlural says whether a string without a name is a resource of the group.
func (l *literal) listsPlural(behind bool, lit text.LiteralText, value string) bool {
	below := lit.Line >= l.lit.Line && lit.Line <= l.lit.Line+4 && lit.Name == ""
	return (behind || below) && l.knows(string(l.lit.Text.Of(l.v.Data)), value)
}
