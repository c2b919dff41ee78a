package core

import (
	"regexp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/core/names"
	"github.com/project-codeflare/cfctl/internal/migrate/core/refs"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
)

// Where the rules have a group and another one whose name ends with it, code may build the
// longer one of the shorter: "jobs." + base. Each becomes another group, and neither text says so.

// So may a template join a version that becomes another one to a group that a file of values has.

// A nested is a group whose name ends with that of another group of the rules.
type nested struct{ group, short string }

// A fill is a place where something is filled in behind the first labels of such a group.
type fill struct {
	source.Span
	nested
	pos     source.Position
	old     string
	names   []string // of what is filled in
	version string   // that is joined to what is filled in; nothing stands before it
}

// nestedIn are the nested groups of a table by what stands before the shorter one, with the
// strings of which a file has one that builds such a name.
func nestedIn(groups []string) (list map[string]nested, uses *regexp.Regexp, needles []string) {
	list = map[string]nested{}
	var first []string
	for _, g := range groups {
		for _, short := range groups {
			if before, ok := strings.CutSuffix(g, "."+short); ok {
				list[before] = nested{g, short}
				first = append(first, regexp.QuoteMeta(before))
				for _, mark := range []string{`"`, "'", "`", "$", "{", "%", "#{", "("} {
					needles = append(needles, before+"."+mark)
				}
			}
		}
	}
	if len(first) == 0 {
		return nil, nil, nil
	}
	slices.Sort(first)
	return list, regexp.MustCompile(`\b(` + strings.Join(slices.Compact(first), "|") + ")\\.(?:[\"'`]\\s*(?:\\+|\\.\\.?|~|<>|&)\\s*([\\w.$]+)" +
		`|(?:\$|[$#]?\{\{?|\$?\()[\s({$.-]*([A-Za-z_][\w.]*)|(?:%[sv]|\{\})([^\n]{0,200}))`), needles
}

// joinedIn is the pattern of a version of the rules that is joined to what is filled in, nil
// for none, with the strings of which a file has one.
func joinedIn(t *rules.Table) (uses *regexp.Regexp, needles []string) {
	var versions []string
	for _, g := range t.Groups() {
		for _, x := range t.RulesOf(g) {
			if v := x.From.Version; v != "" && x.To.Version != "" && x.To.Version != v && !slices.Contains(versions, v) {
				versions = append(versions, v)
				needles = append(needles, "}/"+v, ")/"+v)
			}
		}
	}
	if len(versions) == 0 {
		return nil, nil
	}
	return regexp.MustCompile(`(?:\{\{|\$?[{(])[\s($.-]*([A-Za-z_][\w.]*)[^{}()/\n]{0,40}[})]+/(` + strings.Join(versions, "|") + `)\b`), needles
}

var word = lazyregexp.New(`[A-Za-z_]\w*`)

// fillsIn are such places in a text.
func (c *Core) fillsIn(data []byte) (list []fill) {
	if c.joined != nil {
		for _, m := range c.joined.FindAllSubmatchIndex(data, -1) {
			at := source.Span{Start: m[0], End: m[1]}
			list = append(list, fill{Span: at, pos: source.PositionAt(data, m[0]), old: string(at.Of(data)), names: []string{lastOf(string(data[m[2]:m[3]]))}, version: string(data[m[4]:m[5]])})
		}
	}
	if c.nested == nil {
		return list
	}
	for _, m := range c.nestedUses.FindAllSubmatchIndex(data, -1) {
		of := source.Span{Start: m[2], End: m[3]}
		f := fill{Span: source.Span{Start: m[0], End: m[1]}, nested: c.nested[string(of.Of(data))], pos: source.PositionAt(data, m[0])}
		for _, name := range [][2]int{{m[4], m[5]}, {m[6], m[7]}} {
			if name[0] >= 0 {
				f.names = append(f.names, lastOf(string(data[name[0]:name[1]])))
			}
		}
		if m[8] >= 0 {
			for _, w := range word.FindAllSubmatch(data[m[8]:m[9]], -1) {
				f.names = append(f.names, string(w[0]))
			}
			f.End = m[8]
		}
		f.old = string(f.Of(data))
		list = append(list, f)
	}
	return list
}

// lastOf is the last part of a qualified name.
func lastOf(name string) string {
	return strings.TrimLeft(name[strings.LastIndexByte(name, '.')+1:], "$")
}

// valueOf is the name of a constant, variable or key of which a group that others are built
// of is the value, "" for none. Code that joins a version to a constant is read elsewhere.
func (c *Core) valueOf(format string, r *refs.Ref) string {
	if r.Token.Form != names.Bare || !r.Whole {
		return ""
	}
	if c.joined != nil && slices.Contains([]string{"yaml", "json", "properties"}, format) {
		return r.Leaf.Named().Name
	}
	for _, n := range c.nested {
		if n.short == r.Token.Group {
			return r.Leaf.Named().Name
		}
	}
	return ""
}

// nests finds out which of these places are filled with the shorter group, by the names of what
// has it for a value, and tells of them.
func (t *Tree) nests(files []*File) {
	values := map[string]map[string]bool{}
	for _, f := range files {
		for _, r := range f.refs {
			if r.valueOf == "" {
				continue
			}
			if values[r.known.Group] == nil {
				values[r.known.Group] = map[string]bool{}
			}
			values[r.known.Group][r.valueOf] = true
		}
	}
	if len(values) == 0 {
		return
	}
	for _, f := range files {
		for _, x := range f.fills {
			for group, names := range values {
				i := slices.IndexFunc(x.names, func(name string) bool { return names[name] })
				if i < 0 || x.version == "" && group != x.short {
					continue
				}
				says, of, reason := x.group+" is built of it", x.group+" is built of "+group+" here, and becomes "+strings.Join(t.core.targets(x.group), " or "), judge.BuiltKey
				if x.version != "" {
					step, ok := t.core.steps(group, x.version, nil)
					if !ok {
						continue
					}
					says, reason = x.version+" is joined to it, and becomes "+step.To.Version, judge.BuiltVersion
					of = x.version + " is joined to " + group + " here, and becomes " + step.To.Version
				}
				t.builds[group+" "+x.names[i]] = says
				f.Sites = append(f.Sites, f.kept.keep([]Site{{Span: x.Span, Pos: x.pos, Verdict: judge.Because(reason, of).Hinted("write the new name as a whole, or keep both with a keep entry"), Old: x.old}})...)
			}
		}
	}
}
