package propose

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// A Request asks for the next release of a stack.
type Request struct {
	Stack  *stack.Stack
	Last   string            // release that the next one follows: "v1.1.0"; empty = there was none
	Row    map[string]string // versions of the components in Last, by name
	Branch func(*stack.Component) string
	// Branch is the branch that a component is released from; empty = it is not
	// released with the stack, and only referred to.
	Given map[string]string // versions that the user chose, by name
	Only  []string          // names of the components that may move, beside the root; none = all
	Pre   string            // name of the pre-release; empty = a full release

	// Candidate are the versions in the highest pre-release of the stack after Last,
	// by name; none = there is none.
	Candidate map[string]string
}

// A Move is the answer for a component, with what the stack has of it.
type Move struct {
	Answer
	In string `json:"in,omitempty"` // its version in the release before; empty = it is not in it
}

// Moves says whether the next release has another version of it.
func (m Move) Moves() bool { return m.Version != "" && m.Version != m.In }

// A Plan is the next release of a stack.
type Plan struct {
	Schema     int    `json:"schema"` // 1
	Version    string `json:"version,omitempty"`
	Before     string `json:"before,omitempty"` // the release before; empty = none
	Release    bool   `json:"release"`          // there is something to release
	Components []Move `json:"components"`       // in the order in which they are released, the root last
}

// Problems are the components whose version the user has to say.
func (p *Plan) Problems() []Move {
	return slices.DeleteFunc(slices.Clone(p.Components), func(m Move) bool { return m.Problem == "" })
}

// Versions are the versions of the release, by name.
func (p *Plan) Versions() map[string]string {
	versions := map[string]string{}
	for _, m := range p.Components {
		if m.Version != "" {
			versions[m.Name] = m.Version
		}
	}
	return versions
}

// Of is the move of a component; nil when it is not in the stack.
func (p *Plan) Of(name string) *Move {
	i := slices.IndexFunc(p.Components, func(m Move) bool { return m.Name == name })
	if i < 0 {
		return nil
	}
	return &p.Components[i]
}

// ForStack works out the next release of a stack: every component that is
// released with it, each after those that it needs, and the root last, which
// changes as much as what it is made of.
func ForStack(ctx context.Context, h History, labels Labels, r Request) (*Plan, error) {
	p := &Plan{Schema: 1, Before: r.Last}
	root := r.Stack.RootComponent()
	for _, c := range r.Stack.InOrder(r.Last) {
		m, err := r.move(ctx, h, labels, c, p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		p.Components = append(p.Components, m)
	}
	m := p.Of(root.Name)
	p.Version, p.Release = m.Version, m.Version != "" && m.Version != r.Last
	return p, nil
}

// move is the answer for one component.
func (r *Request) move(ctx context.Context, h History, labels Labels, c *stack.Component, p *Plan) (Move, error) {
	m := Move{Answer: Answer{Name: c.Name}, In: r.Row[c.Name]}
	root := c == r.Stack.RootComponent()
	if root {
		m.In = r.Last
	}
	q := question{Component: c, Branch: r.Branch(c), Pre: r.Pre, Given: r.Given[c.Name], Imported: imported(r.Stack, c)}
	switch {
	case q.Branch == "" && q.Given == "":
		m.Before, m.Version, m.Why = m.In, m.In, "only referred to: not changed"
		return m, nil
	case !root && q.Given == "" && len(r.Only) > 0 && !slices.Contains(r.Only, c.Name):
		m.Before, m.Version, m.Why = m.In, m.In, "not asked for: not changed"
		return m, nil
	}
	var err error
	if root {
		q.Least, q.Because = r.carried(p)
		q.Newer = r.newer(p)
	} else if q.Least, q.Because, err = r.pinned(ctx, h, q, p); err != nil {
		return m, err
	} else if q.Least > Nothing {
		q.Newer = q.Because
	}
	m.Answer, err = next(ctx, h, labels, q)
	if err == nil && m.Problem == "" && semver.Compare(m.Version, m.In) < 0 && q.Given == "" {
		m.Version, m.Why = m.In, fmt.Sprintf("%s is in %s, and not tagged", m.In, r.Last)
	}
	return m, err
}

// imported says whether a go.mod of the stack requires the component's module.
func imported(s *stack.Stack, c *stack.Component) bool {
	return slices.ContainsFunc(s.Places, func(p stack.Place) bool {
		of, _ := s.Component(p.Component)
		return of == c && p.Kind == "go-require"
	})
}

// pinned is how much a component changes because its repository pins others
// that move: they are to be pinned at their next versions before it is tagged.
func (r *Request) pinned(ctx context.Context, h History, q question, p *Plan) (Level, string, error) {
	var places []*stack.Place
	for _, place := range r.Stack.Pins(q.Component, r.Last, func(c *stack.Component) bool { return r.Branch(c) != "" }) {
		if of, _ := r.Stack.Component(place.Component); of != nil && p.Of(of.Name) != nil && p.Of(of.Name).Moves() {
			places = append(places, place)
		}
	}
	if len(places) == 0 {
		return Nothing, "", nil
	}
	heads, err := h.Heads(ctx, q.Component.Repository)
	if err != nil || heads.Branches[q.Branch] == "" {
		return Nothing, "", wire.IgnoreNotFound(err)
	}
	tree, err := h.Files(ctx, q.Component.Repository, heads.Branches[q.Branch])
	if err != nil {
		return Nothing, "", err
	}
	for _, place := range places {
		of, _ := r.Stack.Component(place.Component)
		next := p.Of(of.Name).Version
		found, err := place.Find(tree)
		if err != nil {
			return Nothing, "", err
		}
		if slices.ContainsFunc(found, func(m stack.Match) bool { return !m.Skipped && m.Sets(next) }) {
			return Patch, fmt.Sprintf("%s pins %s, to be %s", found[0].Path, of.Name, next), nil
		}
	}
	return Nothing, "", nil
}

// carried is how much the root changes because of what it is made of: as much
// as a component that is built into it, and no more than a new feature by one
// that is only tested with it.
func (r *Request) carried(p *Plan) (level Level, because string) {
	for _, m := range p.Components {
		c, _ := r.Stack.Component(m.Name)
		if !m.Moves() {
			continue
		}
		l, text := step(m.In, m.Version), fmt.Sprintf("%s from %s to %s", m.Name, m.In, m.Version)
		if m.In == "" {
			text = m.Name + " " + m.Version + " is new"
		}
		if !c.Built {
			l = min(l, Minor)
		}
		if l > level {
			level, because = l, text
		}
	}
	return level, because
}

// newer tells of a component whose version is not the one of the last pre-release of
// the stack; empty = there is none.
func (r *Request) newer(p *Plan) string {
	for _, m := range p.Components {
		if was := r.Candidate[m.Name]; was != "" && m.Version != "" && m.Version != was {
			return fmt.Sprintf("%s from %s to %s", m.Name, was, m.Version)
		}
	}
	return ""
}

// step is the level of the highest number in which two versions differ; Patch
// for a pre-release of the same version, Minor where there was none before.
func step(from, to string) Level {
	switch {
	case from == "":
		return Minor
	case semver.Major(from) != semver.Major(to):
		return Major
	case semver.MajorMinor(from) != semver.MajorMinor(to):
		return Minor
	}
	return Patch
}

// Lines are the lines of a plan for people, one for each component.
func (p *Plan) Lines() []string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, m := range p.Components {
		v := m.In
		switch {
		case m.Problem != "":
			v += " ?"
		case m.In == "" && m.Version != "":
			v = "-> " + m.Version
		case m.Moves():
			v += " -> " + m.Version
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", m.Name, strings.TrimSpace(v), report.Visible(cmp.Or(m.Problem, m.Why)))
	}
	_ = w.Flush() // a strings.Builder takes everything
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}
