package migrate

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A link to a part of a page moves when its anchor does, and not otherwise, be it written
// there or made of the text of a heading, which spells a group without its dots. What
// becomes of a page is known when all files are settled: then its links follow.

// A page is what a file says of anchors.
type page struct {
	headings []source.Span // those for which anchors are made; empty where none is touched
	texts    []string      // what they say
	names    [][]string    // the anchors that are made of them, in each way
	came     [][]string    // the same before they became what they are; nil = none did
	by       []rules.Rule  // that made them so, one for each heading
	own      []string      // those of them that are written there as well, and stay
	written  []pageLink    // the anchors written there of which a site is a part
	links    []pageLink    // those to an anchor that has an old name, or is made of one
	seen     map[source.Span]bool
}

// A pageLink is a link with the name of its anchor as it is spelled there, or an anchor
// that is written in a page.
type pageLink struct {
	find.Link
	raw string
}

// withPage adds what a file says of anchors; f may be nil.
func (m *Migration) withPage(f *File, name string, data []byte) *File {
	if m.opts.Dual || f != nil && (f.unchosen || f.Skip != nil) || f == nil && !find.IsPage([]byte(name)) {
		return f
	}
	p := &page{}
	if f != nil {
		p.spelled(data, f.Sites, find.IsPage([]byte(name)))
	}
	if find.IsPage([]byte(name)) {
		m.headed(p, f, name, data)
	}
	if len(p.headings)+len(p.written)+len(p.links) == 0 {
		return f
	}
	if f == nil {
		f = m.pageFile(name, data)
	}
	f.page, f.Sum = p, source.SumOf(data)
	return f
}

// pageFile is a page of which nothing else is known.
func (m *Migration) pageFile(name string, data []byte) *File {
	format := find.FormatOf(name, data)
	return &File{Path: name, To: name, Format: format.Name, format: format, Sum: source.SumOf(data), page: &page{}, m: m}
}

// spelled notes the anchors and links of which sites are a part.
func (p *page) spelled(data []byte, sites []Site, isPage bool) {
	for _, s := range sites {
		if s.Len() == 0 || !isPage && !s.Anchors() {
			continue
		}
		if at, ok := find.AnchorAt(data, s.Span); ok && isPage {
			p.written = append(p.written, pageLink{find.Link{Span: at}, string(at.Of(data))})
		} else if l, ok := find.LinkAt(data, s.Span); ok {
			p.link(l, data)
		}
	}
}

// link notes a link.
func (p *page) link(l find.Link, data []byte) {
	if p.seen == nil {
		p.seen = map[source.Span]bool{}
	}
	if !p.seen[l.Span] {
		p.seen[l.Span] = true
		p.links = append(p.links, pageLink{l, string(l.Of(data))})
	}
}

// headed notes the headings of a page when one of them may become another one, or became
// it before, with the links of the page to them.
func (m *Migration) headed(p *page, f *File, name string, data []byte) {
	headings := find.Headings(name, data)
	texts, before, by := make([]string, len(headings)), make([]string, len(headings)), make([]rules.Rule, len(headings))
	touched, came := false, false
	for i, h := range headings {
		texts[i] = string(h.Of(data))
		before[i], by[i] = m.headingWas(texts[i])
		came = came || before[i] != texts[i]
		touched = touched || f != nil && len(f.sitesIn(h)) > 0
	}
	if !touched && !came {
		return
	}
	p.headings, p.texts, p.names = headings, texts, find.Slugs(name, texts)
	if came {
		p.came, p.by = find.Slugs(name, before), by
	}
	for anchor := range p.anchors(f) {
		if find.IsWritten(data, anchor) {
			p.own = append(p.own, anchor)
		}
	}
	p.linksTo(p.anchors(f), data, true)
}

// headingWas is what a heading said before a rule made another one of it; the same where
// none did.
func (m *Migration) headingWas(heading string) (string, rules.Rule) {
	if !strings.Contains(heading, ".") {
		return heading, rules.Rule{}
	}
	for _, group := range m.rules.Groups() {
		for _, r := range m.rules.RulesOf(group) {
			to, old := r.To.Group, group
			if r.From.Version != "" && r.To.Version != "" {
				to, old = to+"/"+r.To.Version, old+"/"+r.From.Version
			}
			if to != old && strings.Contains(r.To.Group, ".") && judge.ContainsName([]byte(heading), to) {
				return strings.Replace(heading, to, old, 1), r
			}
		}
	}
	return heading, rules.Rule{}
}

// sitesIn are the indices of the sites within a span.
func (f *File) sitesIn(s source.Span) []int {
	first, _ := slices.BinarySearchFunc(f.Sites, s.Start, func(x Site, at int) int { return x.Start - at })
	var list []int
	for i := first; i < len(f.Sites) && f.Sites[i].Start < s.End; i++ {
		if f.Sites[i].End <= s.End && f.Sites[i].Len() > 0 {
			list = append(list, i)
		}
	}
	return list
}

// anchors are those that are made of headings which may become other ones, or became them.
func (p *page) anchors(f *File) map[string]bool {
	list := map[string]bool{}
	for way, names := range p.names {
		for i, name := range names {
			if f != nil && len(f.sitesIn(p.headings[i])) > 0 {
				list[name] = true
			}
			if p.came != nil && p.came[way][i] != name && !slices.Contains(names, p.came[way][i]) {
				list[p.came[way][i]] = true
			}
		}
	}
	for _, name := range p.own {
		delete(list, name)
	}
	return list
}

// linksTo notes the links of a text to anchors: those within it, or those to other pages.
func (p *page) linksTo(anchors map[string]bool, data []byte, within bool) {
	if len(anchors) == 0 {
		return
	}
	before := []string{"#"}
	if within {
		before = find.LinkHeads
	}
	finder := source.NewFinder(behind(before, anchors))
	for at := 0; ; {
		from, head := finder.Index(data, at)
		if from < 0 {
			return
		}
		at = from + len(head)
		l, ok := find.LinkAt(data, source.Span{Start: at - 1, End: at})
		if ok && (l.To == "") == within && anchors[string(l.Of(data))] {
			p.link(l, data)
		}
	}
}

// behind are anchors as links spell them.
func behind(heads []string, anchors map[string]bool) []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(anchors)) {
		for _, head := range heads {
			list = append(list, head+name)
		}
	}
	return list
}

// linkPages are the pages of a tree that may have links to headings in which a group of
// the rules stands, as anchors spell it, while several workers find them.
type linkPages struct {
	m      *Migration
	slugs  []string // the groups, as anchors spell them
	groups *source.Finder
	mu     sync.Mutex
	files  []string
}

// newLinkPages is nil while both groups are served: no heading changes.
func (m *Migration) newLinkPages() *linkPages {
	if m.opts.Dual {
		return nil
	}
	var needles []string
	for _, group := range m.rules.Groups() {
		for _, by := range []string{"", "-", "_"} {
			if strings.Contains(group, ".") {
				needles = append(needles, strings.ReplaceAll(group, ".", by))
			}
		}
	}
	return &linkPages{m: m, slugs: needles, groups: source.NewFinder(needles)}
}

// holds says whether a page of a walk may have a link to such a heading.
func (l *linkPages) holds(w walk) (bool, error) {
	if l == nil {
		return false, nil
	}
	return w.holds(l.slugs, l.files)
}

// wholeHead is how much of a file a walk tells, in bytes.
const wholeHead = 256 << 10

// tell hears of a file of the tree, with its first bytes.
func (l *linkPages) tell(name, head []byte) {
	if l == nil || !find.IsPage(name) || len(head) < wholeHead && !l.groups.Match(head) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.files = append(l.files, string(name))
}

// ask finds the links of pages to headings of others that may become other ones.
func (l *linkPages) ask(w walk, files []*File, _ *faults) ([]*File, error) {
	if l == nil || len(l.files) == 0 {
		return files, nil
	}
	anchors, known := map[string]bool{}, map[string]*File{}
	for _, f := range files {
		if known[f.Path] = f; f.page != nil {
			maps.Copy(anchors, f.page.anchors(f))
		}
	}
	if len(anchors) == 0 {
		return files, nil
	}
	err := w(search{needles: behind([]string{"#"}, anchors), among: l.files}, func(name string, data []byte) {
		l.mu.Lock()
		defer l.mu.Unlock()
		f := known[name]
		if f == nil {
			f = l.m.pageFile(name, data)
			files, known[name] = append(files, f), f
		}
		if f.page == nil {
			f.page, f.Sum = &page{}, source.SumOf(data)
		}
		f.page.linksTo(anchors, data, false)
	})
	return files, err
}
