package prove

import (
	"cmp"
	"fmt"
	"go/scanner"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// text compares two texts: the documents in them as documents, the rest word
// by word.
func (c *check) text(a, b string) error { return c.prose(a, b, c.loose || c.file.Shaped) }

// prose is text, loosely where objects in it may change that are no documents
// of their own: strings and comments of a program.
func (c *check) prose(a, b string, loosely bool) error {
	if a == b {
		return nil
	}
	if path.Ext(c.file.Path) == ".toml" && isTOML(a) && !isTOML(b) {
		return differ("it would not be TOML")
	}
	if err := cmp.Or(c.markers(a, b), c.webhooks(a, b)); err != nil {
		return err
	}
	a, b = withoutMarkers(a), withoutMarkers(b)
	before, after := pieces(a), pieces(b)
	if len(before) != len(after) {
		return differ("%d blocks would become %d", len(before), len(after))
	}
	for i := range before {
		if err := c.piece(before[i], after[i], loosely); err != nil {
			return err
		}
	}
	return nil
}

func (c *check) piece(a, b piece, loosely bool) error {
	if a == b {
		return nil
	}
	if a.block != b.block {
		return differ("a block would begin or end elsewhere")
	}
	if a.block {
		if isDoc, err := c.block(a.text, b.text); isDoc {
			return err
		}
	}
	return c.manifests(a.text, b.text, loosely)
}

// block compares two texts as documents; false when the first one is none.
func (c *check) block(a, b string) (isDoc bool, err error) {
	before, after, isDoc, ok := c.parseBoth(a, b)
	switch {
	case !isDoc:
		return false, nil
	case !ok:
		return true, differ("the document in a block would not parse")
	}
	if err := c.list(before, after); err != nil {
		return true, err
	}
	return true, c.comments([]byte(a), []byte(b))
}

// manifests compares two texts that have no blocks: the manifests in their lines
// as documents, the lines between word by word.
func (c *check) manifests(a, b string, loosely bool) error {
	before, after := manifestsOf(a), manifestsOf(b)
	if len(before) != len(after) {
		return differ("%d manifests would become %d", len(before)/2, len(after)/2)
	}
	for i, x := range before {
		if x == after[i] {
			continue
		}
		if x.block {
			if isDoc, err := c.block(x.text, after[i].text); isDoc && err != nil {
				return err
			} else if isDoc {
				continue
			}
		}
		if err := c.words(x.text, after[i].text, loosely); err != nil {
			return err
		}
	}
	return nil
}

// words compares two texts word by word. Loosely, the words alone are compared,
// wherever they are: none may go that the rules do not name, and what opens
// closes as before.
func (c *check) words(a, b string, loosely bool) error {
	if c.explains(a, b) || strings.Contains(a, `\/`) && c.explains(strings.ReplaceAll(a, `\/`, "/"), strings.ReplaceAll(b, `\/`, "/")) {
		return nil
	}
	if !loosely {
		return differ("%.80q would become %.80q, which no rule says", a, b)
	}
	if !balanced(a, b) {
		return differ("a quote or a bracket would be lost")
	}
	old, fresh := wordsOf(a), wordsOf(b)
	if !c.file.Shaped && slices.Equal(old, fresh) {
		return differ("the layout would change, and no word")
	}
	left := map[string]int{}
	for _, w := range fresh {
		left[w]++
	}
	var lost []string
	for _, w := range old {
		if left[w]--; left[w] < 0 && !c.rules.stale[w] && !(len(c.versions) > 0 && isVersion(w)) {
			lost = append(lost, w)
		}
	}
	if len(lost) == 0 {
		return nil
	}
	if w := c.rules.unaccounted(lost); w != "" || !c.file.Shaped {
		return differ("the word %q would be lost", max(w, lost[0]))
	}
	return nil
}

// balanced says whether what one text has more of than another one comes in pairs.
func balanced(a, b string) bool {
	more := func(mark string) int { return strings.Count(b, mark) - strings.Count(a, mark) }
	return more(`"`)%2 == 0 && more("'")%2 == 0 && more("`")%2 == 0 && more("{") == more("}") && more("[") == more("]") && more("(") == more(")")
}

// unaccounted is a word among those that a text loses which no step takes
// away. A step that drops a key may drop whatever is below it.
func (r *Rules) unaccounted(lost []string) string {
	keys := map[string]bool{}
	for _, conv := range r.converts {
		for _, s := range conv.Steps {
			last := wordsOf(s.Path[len(s.Path)-1])
			if len(last) == 0 {
				continue
			}
			if (s.Verb == "drop" || s.Verb == "map-values") && slices.Contains(lost, last[0]) {
				return ""
			}
			for _, key := range s.Path {
				keys[key] = true
			}
		}
	}
	for _, w := range lost {
		if !keys[w] {
			return w
		}
	}
	return ""
}

func isTOML(text string) bool {
	var v any
	return toml.Unmarshal([]byte(text), &v) == nil
}

// A piece of a text is a block that holds a document perhaps, or what is
// between such blocks.
type piece struct {
	text  string
	block bool
}

// blockMarks are what may begin a block: a fence, a here document, a string
// over several lines.
var blockMarks = []string{"```", "~~~", "<<", `"""`, "'''"}

// A block is a part of a text: what is behind its first line or mark, up to
// what closes it.
type block struct {
	body   int // offset of what is in it
	end    int // offset of what closes it
	after  int // offset behind that
	indent string
}

// pieces takes a text apart.
func pieces(text string) []piece {
	var list []piece
	r := blockReader{text: text, next: make([]int, len(blockMarks)), open: map[string]bool{}}
	for i := range r.next {
		r.next[i] = -1
	}
	at := 0
	for {
		b, ok := r.block(at)
		if !ok {
			return append(list, piece{text: text[at:]})
		}
		list = append(list, piece{text: text[at:b.body]}, piece{text: outdent(text[b.body:b.end], b.indent), block: true}, piece{text: text[b.end:b.after]})
		at = b.after
	}
}

// A blockReader finds the blocks of a text one after the other.
type blockReader struct {
	text string
	next []int           // where each mark stands next
	open map[string]bool // what would close a block, and is not there
}

// block is the next block that begins at or behind an offset.
func (r *blockReader) block(at int) (block, bool) {
	for {
		first := len(r.text)
		which := 0
		for i, mark := range blockMarks {
			if r.next[i] < at {
				r.next[i] = len(r.text)
				if n := strings.Index(r.text[at:], mark); n >= 0 {
					r.next[i] = at + n
				}
			}
			if r.next[i] < first {
				first, which = r.next[i], i
			}
		}
		if first == len(r.text) {
			return block{}, false
		}
		if b, ok := r.at(first, blockMarks[which]); ok {
			return b, true
		}
		at = first + len(blockMarks[which])
	}
}

// at is the block that a mark begins, if it begins one.
func (r *blockReader) at(i int, mark string) (block, bool) {
	text := r.text
	line := text[strings.LastIndexByte(text[:i], '\n')+1 : i]
	rest, _, _ := strings.Cut(text[i:], "\n")
	body := min(i+len(rest)+1, len(text))
	switch mark {
	case "<<":
		m := heredoc.FindStringSubmatch(rest)
		if m == nil || r.open[m[1]] {
			return block{}, false
		}
		end, after := r.closing(body, func(line string) bool { return strings.TrimSpace(line) == m[1] })
		if r.open[m[1]] = end < 0; end < 0 {
			return block{}, false
		}
		return block{body: body, end: end, after: after}, true
	case "```", "~~~":
		return r.fence(line, rest, body, mark)
	}
	n := strings.Index(text[i+3:], mark)
	if n < 0 {
		return block{}, false
	}
	return block{body: i + 3, end: i + 3 + n, after: i + 6 + n}, true
}

// fence is the block of a fence, which stands behind line and is followed by rest.
func (r *blockReader) fence(line, rest string, body int, mark string) (block, bool) {
	if strings.Trim(line, " \t>") != "" || strings.Contains(strings.TrimLeft(rest, mark[:1]), mark[:1]) {
		return block{}, false
	}
	fence := rest[:len(rest)-len(strings.TrimLeft(rest, mark[:1]))]
	end, after := r.closing(body, func(line string) bool {
		line = strings.TrimSpace(strings.TrimLeft(line, " \t>"))
		return strings.HasPrefix(line, fence) && strings.Trim(line, mark[:1]) == ""
	})
	if end < 0 {
		end, after = len(r.text), len(r.text)
	}
	return block{body: body, end: end, after: after, indent: line}, true
}

// heredoc is the start of a here document.
var heredoc = lazyregexp.New("^<<[-~]?[ \t]*[\"']?([A-Za-z_][A-Za-z0-9_]*)")

// closing is the first line from an offset on that is what it should be: its
// offset and that of the next line, -1 for none.
func (r *blockReader) closing(at int, is func(line string) bool) (end, after int) {
	for at < len(r.text) {
		line, _, _ := strings.Cut(r.text[at:], "\n")
		next := min(at+len(line)+1, len(r.text))
		if is(line) {
			return at, next
		}
		at = next
	}
	return -1, -1
}

// outdent takes the indentation of a fence from the lines in it.
func outdent(text, indent string) string {
	if indent == "" {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		n := 0
		for n < len(line) && n < len(indent) && strings.IndexByte(" \t>", line[n]) >= 0 {
			n++
		}
		lines[i] = line[n:]
	}
	return strings.Join(lines, "")
}

// golang compares Go source token by token: only literals, identifiers and
// comments differ, each by what the rules permit. So what parsed parses.
func (c *check) golang() error {
	before, ok := c.tokens(c.file.Before)
	if !ok {
		return c.text(string(c.file.Before), string(c.file.After))
	}
	after, ok := c.tokens(c.file.After)
	if !ok {
		return differ("it would not be Go")
	}
	if len(before.tokens) != len(after.tokens) {
		return differ("%d tokens would become %d", len(before.tokens), len(after.tokens))
	}
	for i, a := range before.tokens {
		b := after.tokens[i]
		c.at = a.at
		if a.kind != b.kind {
			return differ("%s would become %s", a.kind, b.kind)
		}
		if a.text == b.text {
			continue
		}
		x, y := a.text, b.text
		if a.kind == token.STRING {
			var err, also error
			x, err = strconv.Unquote(a.text)
			y, also = strconv.Unquote(b.text)
			if err != nil || also != nil || a.text[0] != b.text[0] {
				return differ("the string %.60q would become %.60q", a.text, b.text)
			}
		}
		if err := c.scalar(x, y); err != nil {
			return err
		}
	}
	return c.text(before.comments, after.comments)
}

type goToken struct {
	kind token.Token
	text string
	at   int
}

type goSource struct {
	tokens   []goToken
	comments string
}

// tokens reads Go source; false when it is none.
func (c *check) tokens(src []byte) (goSource, bool) {
	var s scanner.Scanner
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(src))
	s.Init(file, src, func(token.Position, string) {}, scanner.ScanComments)
	var out goSource
	var comments strings.Builder
	for {
		pos, kind, text := s.Scan()
		switch kind {
		case token.EOF:
			out.comments = comments.String()
			return out, s.ErrorCount == 0 && len(out.tokens) > 0 && out.tokens[0].kind == token.PACKAGE
		case token.COMMENT:
			comments.WriteString(strings.TrimPrefix(text, "//") + "\n")
		default:
			if kind == token.SEMICOLON {
				text = "" // written or implied
			}
			out.tokens = append(out.tokens, goToken{kind, text, file.Offset(pos)})
		}
	}
}

func orEmpty(list []string) []string {
	if len(list) == 0 {
		return []string{""}
	}
	return list
}

// isText says whether a list is the lines of a text, as notebooks have them.
func isText(n *yaml.Node) bool {
	for i, x := range n.Content {
		if x.Kind != yaml.ScalarNode || x.Tag != yaml.NodeTagString || i+1 < len(n.Content) && !strings.HasSuffix(x.Value, "\n") {
			return false
		}
	}
	return len(n.Content) > 0
}

func joinedText(n *yaml.Node) string {
	var b strings.Builder
	for _, x := range n.Content {
		fmt.Fprint(&b, x.Value)
	}
	return b.String()
}
