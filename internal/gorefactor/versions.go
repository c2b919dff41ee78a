package gorefactor

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/kindwords"
	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/spelling"
)

// editVersions changes the versions in a text that name the API or a folder that moves: what the core does not read
// as a reference. In the package of a step also the version as a word, but for that of objects of no group.
func (p *wording) editVersions(name, text string, at source.Span, own *step) {
	for _, s := range p.steps {
		for start := range source.All([]byte(text[at.Start:at.End]), s.rule.Version) {
			start += at.Start
			end := start + len(s.rule.Version)
			if end < len(text) && (isLower(text[end]) || isDigit(text[end])) {
				continue
			}
			if own == s && s.isOwn(text, start, end) ||
				s.ofAPI(text, start, end) || p.ofType(s, text, start, end) || p.ofFolder(s, path.Dir(name), text, start, end) || p.ofSample(text, start, end) {
				p.edit(name, start, end, s.rule.Version, s.rule.ToVersion)
			}
		}
	}
}

// isOwn says whether a version in the package of the step is that of the API. Other things have one
// such as v1 too, so that the words around it have to say so.
func (s *step) isOwn(text string, start, end int) bool {
	head, tail := text[max(0, start-40):start], text[end:min(len(text), end+12)]
	return !wordAt(text, start-1) && !wordAt(text, end) && !followsPath(text, start) && !ofOther.MatchString(head) &&
		(strings.ContainsAny(s.rule.Version, "ab") || versionBefore.MatchString(head) || versionAfter.MatchString(tail))
}

var (
	ofOther       = lazyregexp.New(`(?i)(, Version=|apiVersion[\\"']*: *[\\"'\x60]*|versions=\W*|\{\w+,)$`) // of an object of no group or of another; in a marker
	versionBefore = lazyregexp.New(`(?i)(package |version\w*\W*)$`)
	versionAfter  = lazyregexp.New(`^ (API group|version)\b`)
)

func wordAt(text string, i int) bool { return i >= 0 && i < len(text) && kindwords.WordByte(text[i]) }

// ofAPI says whether a version is next to the group of the step, all of whose kinds move:
// GROUP/VERSION, the path of a webhook, and widgets:v1alpha1,v1 in the input of client-gen. It
// is not in a URL, which leads to a file of a released version or to a server.
func (s *step) ofAPI(text string, start, end int) bool {
	head, tail := text[:start], text[end:]
	if s.part || strings.Contains(head[strings.LastIndexAny(head, " \t\n\"'`()<>[]")+1:], "://") {
		return false
	}
	for _, group := range []string{s.api.Group, s.rule.Group} {
		for _, slash := range []string{"/", "%2f", "%2F"} {
			if before, ok := strings.CutSuffix(head, group+slash); ok && (before == "" || !nameByte(before[len(before)-1])) {
				return true
			}
		}
	}
	dir := path.Base(path.Dir(s.api.Package.Dir))
	if before, ok := strings.CutSuffix(strings.TrimRight(head, "abehlptv0123456789,"), dir+":"); ok && len(dir) > 2 && !strings.HasPrefix(tail, ":") {
		return before == "" || !nameByte(before[len(before)-1]) && before[len(before)-1] != '/'
	}
	head = strings.TrimSuffix(head, "-")
	return len(head) == start-1 && !wordAt(text, end) && (strings.HasSuffix(head, "-"+dashed.Replace(s.api.Group)) || strings.HasSuffix(head, "-"+dashed.Replace(path.Dir(s.api.Package.Path))))
}

var dashed, short = strings.NewReplacer(".", "-", "/", "-"), strings.NewReplacer("alpha", "a", "beta", "b")

// ofType says whether a version is that of a type of the step, v1alpha1.Widget, of which no other
// package of the tree with that version has one, or of what kubebuilder writes of its package.
func (p *wording) ofType(s *step, text string, start, end int) bool {
	if head, tail := text[:start], text[end:]; strings.HasSuffix(head, "Package ") && strings.HasPrefix(tail, " contains API Schema definitions for the "+s.word+" ") ||
		strings.HasSuffix(head, " API Schema definitions for the "+s.word+" ") && strings.HasPrefix(tail, " API group") {
		return true
	}
	m := typeAfter.FindStringSubmatch(text[end:])
	if m == nil || s.part || start > 0 && (nameByte(text[start-1]) || text[start-1] == '/' && !strings.HasSuffix(text[:start], "#/definitions/")) ||
		!strings.ContainsAny(s.rule.Version, "ab") && (!slices.Contains(s.api.Kinds, strings.TrimSuffix(m[1], "List")) || spelling.KindOfKubernetes(m[1])) { // v1.LocalObjectReference
		return false
	}
	return !slices.ContainsFunc(p.apis, func(a *API) bool {
		return (a.Version == s.api.Version) && (a.Package.Types.Scope().Lookup(m[1]) != nil) != (a == s.api)
	})
}

// typeAfter is what follows a version in the name of a type.
var typeAfter = lazyregexp.New(`^\.([A-Z]\w*)`)

func nameByte(b byte) bool { return kindwords.WordByte(b) || b == '-' || b == '.' }
func nameRune(c rune) bool { return c < 128 && nameByte(byte(c)) }

// ofFolder says whether a version is the last element of a path of a folder that moves: from the
// top of the tree or the folder of the text, as an import path, or with at least two of its elements.
func (p *wording) ofFolder(s *step, at, text string, start, end int) bool {
	if wordAt(text, end) {
		return false
	}
	from := len(strings.TrimRightFunc(text[:start], func(c rune) bool { return nameRune(c) || c == '/' || c == '@' }))
	said := defaultBranch.Replace(strings.TrimLeft(text[from:end], "./"))
	for dir := range s.dirs {
		pkg := importPath(p.t.roots, dir)
		if path.Base(dir) == s.rule.Version && (said == dir || strings.HasSuffix(dir, "/"+said) && strings.Contains(said, "/") ||
			strings.Contains(text[from:min(end+1, len(text))], "/") && path.Join(at, text[from:end]) == dir ||
			pkg != dir && (said == pkg || strings.HasSuffix(said, "/"+pkg))) {
			return true
		}
	}
	return false
}

// defaultBranch takes out of a link what stands between a repository and a path in it, where
// that is not of a released version.
var defaultBranch = strings.NewReplacer("/blob/main/", "/", "/blob/master/", "/", "/tree/main/", "/", "/tree/master/", "/")

// followsPath says whether a version is in a path or a key, which stored objects may have, or the
// end of a domain name, or of a name with colons: urn:x:core:v1:Secret, an image with its tag.
func followsPath(text string, start int) bool {
	head := strings.TrimRightFunc(text[:start], nameRune)
	return strings.HasSuffix(head, "/") || start > 0 && (text[start-1] == '.' || text[start-1] == ':' && wordAt(text, start-2))
}

// ofSample says whether a version is in the name of a sample or CRD: GROUP_VERSION_KIND.yaml.
func (p *wording) ofSample(text string, start, end int) bool {
	if start == 0 || text[start-1] != '_' || end >= len(text) || text[end] != '_' {
		return false
	}
	token := wordAround(text, kindwords.Edit{Start: start, End: end})
	return p.movedBase[token] || p.sampleName(token) != token
}

// editDeclared changes the versions in entries of PROJECT and definitions of kinds of the step.
func (p *wording) editDeclared(name, text string) {
	project, between := path.Base(name) == "PROJECT", "\n---"
	if project {
		between = "\n- "
	}
	for _, s := range p.steps {
		at := 0
		for _, part := range strings.SplitAfter(text, between) {
			if (project || strings.Contains(part, "kind: CustomResourceDefinition")) && strings.Contains(part, s.rule.Version) && s.declaredBy(text, part) {
				key := ` *version`
				if m := versionsItem.FindStringSubmatch(part); m != nil {
					key += fmt.Sprintf(`|[ -]{%d}name`, len(m[1]))
				}
				lines := func(version string) [][]int {
					return regexp.MustCompile(`(?m)^(?:`+key+`): ["']?(`+version+`)["']?\s*$`).FindAllStringSubmatchIndex(part, -1)
				}
				if len(lines(s.rule.ToVersion)) == 0 { // else it serves both
					for _, m := range lines(s.rule.Version) {
						p.edit(name, at+m[2], at+m[3], s.rule.Version, s.rule.ToVersion)
					}
				}
			}
			at += len(part)
		}
	}
}

var (
	groupLine    = lazyregexp.New(`(?m)^[ -]*group: ["']?([^\s"']+)`)
	domainLine   = lazyregexp.New(`(?m)^[ -]*domain: ["']?([^\s"']+)`)
	versionsItem = lazyregexp.New(`(?m)^ *versions:\s*\n( *- *)`)
	kindLine     = lazyregexp.New(`(?m)^[ -]*kind: ["']?([^\s"']+)`)
)

// declaredBy says whether a part of a text is about the group of the step and, where other kinds of the version stay,
// about one of its kinds. In PROJECT the domain of a group may be that of all, or the group.
func (s *step) declaredBy(text, part string) bool {
	group, domain := groupLine.FindStringSubmatch(part), domainLine.FindStringSubmatch(part)
	if domain == nil {
		domain = domainLine.FindStringSubmatch(text)
	}
	if group == nil && (domain == nil || domain[1] != s.api.Group) || group != nil && group[1] != s.api.Group && group[1] != s.rule.Group && (domain == nil || group[1]+"."+domain[1] != s.api.Group) {
		return false
	}
	return !s.part || slices.ContainsFunc(kindLine.FindAllSubmatch([]byte(part), -1), func(m [][]byte) bool { return slices.Contains(s.api.Kinds, string(m[1])) })
}
