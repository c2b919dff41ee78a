package gorefactor

import (
	"go/ast"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// editVersions changes the versions in a text that name the API or a folder
// that moves: GROUP/VERSION, resource.VERSION.GROUP, webhook paths, paths. In
// the package of a step also the version as a word.
func (p *planner) editVersions(name string, at int, text string, own *step) {
	for _, s := range p.steps {
		for i := 0; ; {
			j := strings.Index(text[i:], s.rule.Version)
			if j < 0 {
				break
			}
			start := i + j
			end := start + len(s.rule.Version)
			i = end
			if end < len(text) && (isLower(text[end]) || isDigit(text[end])) {
				continue
			}
			if own == s && !wordAt(text, start-1) && !wordAt(text, end) && !followsPath(text, start) ||
				p.qualifies(name, s, text, start, end) || s.ofAPI(text, start, end) || p.ofFolder(s, text, start, end) || p.ofSample(text, start, end) {
				p.edit(name, at+start, at+end, s.rule.Version, s.rule.ToVersion)
			}
		}
	}
}

func wordAt(text string, i int) bool {
	return i >= 0 && i < len(text) && wordByte(text[i])
}

// ofAPI says whether a version is next to the group of the step, all of whose kinds move.
func (s *step) ofAPI(text string, start, end int) bool {
	if s.part {
		return false
	}
	head, tail := text[:start], text[end:]
	dashed := strings.ReplaceAll(s.api.Group, ".", "-")
	for _, group := range []string{s.api.Group, s.rule.Group} {
		if before, ok := strings.CutSuffix(head, group+"/"); ok && (before == "" || !nameByte(before[len(before)-1])) {
			return true
		}
		if after, ok := strings.CutPrefix(tail, "."+group); ok && (after == "" || !nameByte(after[0])) {
			return true
		}
		if s.marker(head, group, tail) {
			return true
		}
	}
	if word, ok := strings.CutSuffix(head, ":"); ok && !strings.HasPrefix(tail, ":") { // client-gen: widgets:v1alpha1
		dir := path.Base(path.Dir(s.api.Package.Dir))
		rest, ok := strings.CutSuffix(word, dir)
		return ok && len(dir) > 2 && (rest == "" || !nameByte(rest[len(rest)-1]) && rest[len(rest)-1] != '/')
	}
	return strings.HasSuffix(head, "-"+dashed+"-") && strings.HasPrefix(tail, "-")
}

func nameByte(b byte) bool { return wordByte(b) || b == '-' || b == '.' }

// marker says whether a version is that of a marker of the group:
// +kubebuilder:webhook:groups=G,versions=V.
func (s *step) marker(head, group, tail string) bool {
	line := head[strings.LastIndexByte(head, '\n')+1:]
	if !strings.HasSuffix(line, "versions=") && !strings.HasSuffix(line, "version=") || !strings.Contains(line, "+kubebuilder:") {
		return false
	}
	rest, _, _ := strings.Cut(tail, "\n")
	for part := range strings.FieldsFuncSeq(line+rest, func(r rune) bool { return r == ',' || r == ':' || r == ' ' }) {
		if value, ok := strings.CutPrefix(part, "groups="); ok && strings.Trim(value, `"`) == group {
			return true
		}
	}
	return false
}

// ofFolder says whether a version is the last element of a path of a folder
// that moves: from the top of the tree, as an import path, or with at least
// two of its elements.
func (p *planner) ofFolder(s *step, text string, start, end int) bool {
	if wordAt(text, end) {
		return false
	}
	from := start
	for from > 0 && (nameByte(text[from-1]) || text[from-1] == '/' || text[from-1] == '@') {
		from--
	}
	said := strings.TrimLeft(text[from:end], "./")
	for _, dir := range slices.Sorted(maps.Keys(s.dirs)) {
		if path.Base(dir) != s.rule.Version {
			continue
		}
		if said == dir || strings.Contains(dir, "/") && strings.HasSuffix(dir, "/"+said) && strings.Contains(said, "/") {
			return true
		}
		if pkg := p.packageIn(dir); pkg != "" && (said == pkg || strings.HasSuffix(said, "/"+pkg)) {
			return true
		}
		if from > 0 && strings.IndexByte(")}", text[from-1]) >= 0 && strings.HasSuffix(dir, said) {
			return true // $(ROOT)/api/v1
		}
	}
	return false
}

// packageIn is the import path of the package in a folder.
func (p *planner) packageIn(dir string) string {
	for _, pkg := range p.t.Packages {
		if pkg.Dir == dir {
			return strings.TrimSuffix(pkg.Path, "_test")
		}
	}
	return ""
}

// followsPath says whether a version is the end of a path, of a domain name, or of a name
// with colons: urn:x:core:v1:Secret, an image with its tag.
func followsPath(text string, start int) bool {
	return start > 0 && (text[start-1] == '/' || text[start-1] == '.' || text[start-1] == ':' && wordAt(text, start-2))
}

// qualifies says whether a version is written as the package of a name, in a
// file that imports that package by it: v1alpha1.Widget in a comment.
func (p *planner) qualifies(name string, s *step, text string, start, end int) bool {
	f := p.t.files[name]
	if f == nil || end+1 >= len(text) || text[end] != '.' || text[end+1] < 'A' || text[end+1] > 'Z' || wordAt(text, start-1) || followsPath(text, start) {
		return false
	}
	return slices.ContainsFunc(f.AST.Imports, func(spec *ast.ImportSpec) bool {
		at, _ := strconv.Unquote(spec.Path.Value)
		return spec.Name == nil && s.pkgs[at] != ""
	})
}

// ofSample says whether a version is in the name of a sample or CRD of the API:
// GROUP_VERSION_KIND.yaml.
func (p *planner) ofSample(text string, start, end int) bool {
	if start == 0 || text[start-1] != '_' || end >= len(text) || text[end] != '_' {
		return false
	}
	for start > 0 && nameByte(text[start-1]) {
		start--
	}
	for end < len(text) && nameByte(text[end]) {
		end++
	}
	token := text[start:end]
	return p.movedBase[token] || p.sampleName(token) != token
}

// A line of YAML, as far as its indent and its key tell.
type yamlLine struct {
	start, indent int // the indent of the key, behind dashes
	dash          bool
	key, value    string
	at            int // of the value
}

// editMappings changes lone versions of YAML mappings that name the group of
// the step: CRDs, CSVs, APIServices, webhooks, PROJECT.
func (p *planner) editMappings(name, text string) {
	for _, s := range p.steps {
		if !strings.Contains(text, s.rule.Version) {
			continue
		}
		start := 0
		for _, doc := range strings.SplitAfter(text, "\n---") {
			if strings.Contains(doc, s.rule.Version) {
				lines := yamlLines(doc)
				for i, l := range lines {
					if l.value == s.rule.Version && versionKey(l, lines, i) && s.ofMapping(lines, i) {
						p.edit(name, start+l.at, start+l.at+len(l.value), l.value, s.rule.ToVersion)
					}
				}
			}
			start += len(doc)
		}
	}
}

// yamlLines reads the lines of a document.
func yamlLines(doc string) []yamlLine {
	var lines []yamlLine
	at := 0
	for raw := range strings.SplitAfterSeq(doc, "\n") {
		l := yamlLine{start: at}
		text := strings.TrimRight(raw, "\r\n")
		body := strings.TrimLeft(text, " ")
		for strings.HasPrefix(body, "- ") {
			l.dash = true
			body = strings.TrimLeft(body[2:], " ")
		}
		l.indent = len(text) - len(body)
		value := body
		if i := strings.Index(body+" ", ": "); i >= 0 && !strings.ContainsAny(body[:i], " \t#") {
			l.key = strings.Trim(body[:i], `"`)
			value = strings.TrimLeft(body[min(len(body), i+1):], " ")
		}
		l.at = at + len(text) - len(value)
		value, _, _ = strings.Cut(value, " #")
		value = strings.TrimRight(value, ", ")
		if len(value) > 1 && (value[0] == '"' || value[0] == '\'') && value[len(value)-1] == value[0] {
			value = value[1 : len(value)-1]
			l.at++
		}
		l.value = value
		at += len(raw)
		if body != "" && body[0] != '#' {
			lines = append(lines, l)
		}
	}
	return lines
}

// versionKey says whether a line is where a version is written.
func versionKey(l yamlLine, lines []yamlLine, i int) bool {
	switch l.key {
	case "version", "apiVersion", "storedVersion":
		return true
	case "name", "":
		list := l.dash
		if l.key == "name" { // an entry of versions[]
			for _, parent := range ancestors(lines, i) {
				return lines[parent].key == "versions"
			}
		}
		for _, parent := range ancestors(lines, i) {
			return list && strings.HasSuffix(strings.ToLower(lines[parent].key), "versions")
		}
	}
	return false
}

// ancestors are the indexes of the lines of the mappings around a line, the
// innermost first.
func ancestors(lines []yamlLine, i int) []int {
	var list []int
	indent := lines[i].indent
	item := lines[i].dash
	for j := i; j >= 0; j-- {
		l := lines[j]
		outer := l.indent
		if j < i && outer < indent && (l.value == "" || l.dash) && l.key != "" && !(l.dash && l.value != "" && item) {
			list = append(list, j)
			indent, item = outer, l.dash
		} else if j < i && item && l.key != "" && l.value == "" && !l.dash && outer == indent-2 {
			list = append(list, j)
			indent, item = outer, false
		}
	}
	return list
}

// ofMapping says whether the innermost mapping around a line that names a
// group names that of the step.
func (s *step) ofMapping(lines []yamlLine, i int) bool {
	for _, at := range append([]int{i}, ancestors(lines, i)...) {
		found, own := s.groups(lines, at)
		if found {
			return own
		}
	}
	return false
}

// groups looks at the siblings of a line, and at their lists.
func (s *step) groups(lines []yamlLine, at int) (found, own bool) {
	indent := lines[at].indent
	first, last := at, at
	for first > 0 && lines[first-1].indent >= indent && !(lines[first].dash && lines[first].indent == indent) {
		first--
	}
	for last+1 < len(lines) && lines[last+1].indent >= indent && !(lines[last+1].dash && lines[last+1].indent == indent) {
		last++
	}
	domain := ""
	for j := first; j <= last; j++ {
		if lines[j].key == "domain" {
			domain = "." + lines[j].value
		}
	}
	key, kind := "", ""
	for j := first; j <= last; j++ {
		l := lines[j]
		if l.indent == indent && l.key != "" {
			key = l.key
		}
		value := strings.Trim(l.value, `"'`)
		switch {
		case l.indent == indent && (key == "group" || key == "apiGroup") && value != "", key == "apiGroups" && l.value != "":
			value = strings.Trim(value, "[] ")
			found = true
			own = own || value == s.api.Group || value == s.rule.Group || value+domain == s.api.Group || domain == "" && strings.HasPrefix(s.api.Group, value+".")
		case l.indent == indent && key == "name" && strings.HasSuffix(value, "."+s.api.Group):
			found, own = true, true
		}
		if l.key == "kind" && (l.indent == indent || key == "names") {
			kind = value
		}
	}
	return found, own && (!s.part || slices.Contains(s.api.Kinds, kind))
}
