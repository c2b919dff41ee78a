package find

import (
	"bytes"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
)

// What rows of phrases ask about XML and tables: a group in an element or a cell has its
// version, kind and resource in others.

var (
	// elementBefore is the tag of an element up to what it holds.
	elementBefore = rx(`<[A-Za-z][\w:.-]*>\s*$`, ">")
	tagBefore     = lazyregexp.New(`<[^<>]*>\s*$`)
	// elementName is (1) the name of such an element, without its prefix.
	elementName = lazyregexp.New(`<(?:\w+:)?([\w.-]+)>\s*$`)
	// groupElement is where the elements beside another group begin, or those of an outer one end.
	groupElement = lazyregexp.New(`(?im)<(?:\w+:)?[\w.-]*group(?:_?name)?>|^\s*</`)
	// partElement is (1) what an element is named after, (2) what it holds.
	partElement = lazyregexp.New(`(?i)<(?:\w+:)?(?:api[_-]?)?(version|kind|plural|resource)(?:_?name)?>\s*([A-Za-z][A-Za-z0-9-]*)\s*</`)
)

// inGroupElement says whether the element that holds a name is named after a group.
func inGroupElement(p *spot) bool {
	m := elementName.FindSubmatch(p.left)
	return m != nil && isGroupKey(string(m[1]))
}

// tellsElements reads the elements beside that of a group, up to those of another one.
func tellsElements(p *spot, s *Site) {
	data, word := p.v.Data, p.tok.Word
	from, to := linesAround(data, word)
	head := data[from:word.Start]
	head = head[:len(head)-len(tagBefore.Find(head))]
	if all := groupElement.FindAllIndex(head, -1); len(all) > 0 {
		from += all[len(all)-1][1]
	}
	behind := word.End + max(0, bytes.IndexByte(data[word.End:to], '>'))
	if next := groupElement.FindIndex(data[behind:to]); next != nil {
		to = behind + next[0]
	}
	for _, side := range []source.Span{{Start: from, End: word.Start}, {Start: word.End, End: to}} {
		for _, m := range partElement.FindAllSubmatchIndex(side.Of(data), -1) {
			role := partRole(string(bytes.ToLower(data[side.Start+m[2] : side.Start+m[3]])))
			p.takesPart(s, role, source.Span{Start: side.Start + m[4], End: side.Start + m[5]})
		}
	}
}

// takesPart takes a value for a part of a site, if it is spelled like one and none is told.
func (n *Names) takesPart(s *Site, role Role, at source.Span) {
	if value := string(at.Of(s.Doc.Data)); spelledAs(role, value) && !s.tells(role) {
		s.take([]Part{{Doc: s.Doc, Span: at, Role: role}})
	}
}

// rowOf are the cells of the row of a name in a table whose values are separated by commas,
// semicolons or tabs; nil where the name is no whole cell of one, or the file no such table.
func rowOf(p *spot) []source.Span {
	if !tableFile.MatchString(p.path) {
		return nil
	}
	var cells []source.Span
	whole := false
	from, line := p.begin(), p.v.Data[p.begin():p.tok.Word.End+len(p.right)]
	for _, m := range cellOfRow.FindAllSubmatchIndex(line, -1) {
		cell := source.Span{Start: from + m[2], End: from + m[3]}
		whole = whole || cell == p.tok.Word
		cells = append(cells, cell)
	}
	if !whole {
		return nil
	}
	return cells
}

var (
	tableFile = lazyregexp.New(`\.(csv|tsv)$`)
	// cellOfRow is (1) a cell that is one word.
	cellOfRow = lazyregexp.New(`(?:^|[,;\t])[ ]*"?([\w./-]+)`)
)

// inRow says whether a version, a kind or a resource of the group stands in another cell of
// its row.
func inRow(p *spot) bool {
	for _, cell := range rowOf(p) {
		if cell != p.tok.Word && p.partOf(cell) != "" {
			return true
		}
	}
	return false
}

// partOf is what a cell may be of the group of a name: its role, "" for nothing.
func (p *spot) partOf(cell source.Span) Role {
	value, group := string(cell.Of(p.v.Data)), p.tok.Known.Group
	switch {
	case p.tok.Ver.Len() == 0 && rules.APIVersion.MatchString(value):
		return RoleVersion
	case p.kinds[value]:
		return RoleKind
	case p.knows(group, value):
		return RoleResource
	}
	if kind, ok := p.Singular(group, value); ok && kind != value {
		return RoleKind
	}
	return ""
}

// tellsRow reads the other cells of the row of a group.
func tellsRow(p *spot, s *Site) {
	for _, cell := range rowOf(p) {
		if role := p.partOf(cell); cell != p.tok.Word && role != "" {
			p.takesRow(s, role, cell)
		}
	}
}

// takesRow takes a cell for a part of a site: a kind, its resource and its version, each once;
// a singular stands beside its kind.
func (p *spot) takesRow(s *Site, role Role, cell source.Span) {
	if role != RoleKind || spelledAs(RoleKind, string(cell.Of(p.v.Data))) {
		p.takesPart(s, role, cell)
		return
	}
	s.Beside = append(s.Beside, Part{Doc: p.v, Span: cell, Role: RoleKind})
}

// printedAPI is what kubectl api-resources prints behind a version: whether objects have a
// namespace, (1) and their kind.
// Source: k8s.io/kubectl, pkg/cmd/apiresources.
var printedAPI = lazyregexp.New(`^\s+(?:true|false)\s+([A-Z][A-Za-z0-9]*)\b`)

// isPrintedAPI says whether a version stands in a row that kubectl api-resources prints.
func isPrintedAPI(p *spot) bool { return printedAPI.Match(p.right) }

// tellsPrintedAPI reads the resource and the kind of such a row.
func tellsPrintedAPI(p *spot, s *Site) {
	m := printedAPI.FindSubmatchIndex(p.right)
	p.takesPart(s, RoleKind, source.Span{Start: p.tok.Word.End + m[2], End: p.tok.Word.End + m[3]})
	if m := firstCell.FindSubmatchIndex(p.left); m != nil && p.knows(p.tok.Known.Group, string(p.left[m[2]:m[3]])) {
		p.takesPart(s, RoleResource, source.Span{Start: p.begin() + m[2], End: p.begin() + m[3]})
	}
}

// isPrintedGroup says whether a group stands in a row that kubectl api-resources prints, or in
// one with its version and resource behind it.
func isPrintedGroup(p *spot) bool { return isPrintedAPI(p) || inColumns.Match(p.right) }

// inColumns are (1) the version and (2) the resource in the columns behind a group.
var inColumns = lazyregexp.New(`^(?:\t+|[ ]{2,})(v[1-9][a-z0-9]*)(?:\t+|[ ]{2,})([a-z][a-z0-9-]*)\b`)

// tellsPrintedGroup reads what stands beside such a group.
func tellsPrintedGroup(p *spot, s *Site) {
	m := inColumns.FindSubmatchIndex(p.right)
	if m == nil {
		tellsPrintedAPI(p, s)
		return
	}
	at := p.tok.Word.End
	p.takesPart(s, RoleVersion, source.Span{Start: at + m[2], End: at + m[3]})
	p.takesPart(s, RoleResource, source.Span{Start: at + m[4], End: at + m[5]})
}

// firstCell is (1) the resource that begins a row.
var firstCell = lazyregexp.New(`^[\s|]*([a-z][a-z0-9-]*)\s`)
