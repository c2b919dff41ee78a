package choose

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/strict"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// The results of a test.
const (
	Pass = "pass"
	Fail = "fail"
)

// A Result is what a test of one combination of versions gave.
type Result struct {
	Date       string            `yaml:"date" json:"date"`                   // YYYY-MM-DD
	Result     string            `yaml:"result" json:"result"`               // pass or fail
	URL        string            `yaml:"url,omitempty" json:"url,omitempty"` // of the run
	Components map[string]string `yaml:"components" json:"components"`       // versions by name
}

// Results are all that were recorded, oldest first.
type Results struct {
	stack *stack.Stack
	List  []Result
}

// ReadResults reads the results of a tree. Without a file there are none.
func ReadResults(s *stack.Stack, c *matrix.Config, tree fs.FS) (*Results, error) {
	path := c.ResultsPath()
	data, err := matrix.ReadFile(tree, path)
	if err != nil {
		return nil, err
	}
	var doc struct {
		Results []Result `yaml:"results"`
	}
	if len(data) > 0 {
		if err := strict.Decode(path, data, &doc); err != nil {
			return nil, err
		}
	}
	for i := range doc.Results {
		if err := doc.Results[i].complete(s); err != nil {
			return nil, &source.Error{Path: path, Err: fmt.Errorf("result %d: %w", i+1, err)}
		}
	}
	return &Results{s, doc.Results}, nil
}

// page is an address that a cell of a table can link, without a user and a password.
var page = lazyregexp.New(`^https?://[^\s()<>|@/?#]+([/?#][^\s()<>|]*)?$`)

// complete checks a result, and gives its components their names.
func (r *Result) complete(s *stack.Stack) error {
	if r.Result != Pass && r.Result != Fail {
		return fmt.Errorf("result %q is neither %s nor %s", r.Result, Pass, Fail)
	}
	if _, err := time.Parse(time.DateOnly, r.Date); err != nil {
		return fmt.Errorf("date %q is not YYYY-MM-DD", r.Date)
	}
	if r.URL != "" && !page.MatchString(r.URL) {
		return fmt.Errorf("url %q is not the address of a page", r.URL)
	}
	if len(r.Components) == 0 {
		return errors.New("it has no components")
	}
	named := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(r.Components)) {
		version := r.Components[name]
		c, err := s.Lookup(name)
		if err != nil {
			return err
		}
		named[c.Name] = version
	}
	r.Components = named
	return nil
}

// Record adds a result; one of the same combination is replaced.
func (rs *Results) Record(r Result) error {
	if err := r.complete(rs.stack); err != nil {
		return err
	}
	rs.List = slices.DeleteFunc(rs.List, func(o Result) bool { return maps.Equal(o.Components, r.Components) })
	rs.List = append(rs.List, r)
	slices.SortStableFunc(rs.List, func(a, b Result) int { return cmp.Compare(a.Date, b.Date) })
	return nil
}

// Encode is the file of the results, one in each line.
func (rs *Results) Encode() []byte {
	var b strings.Builder
	b.WriteString("# Combinations of versions that were tested. \"cfctl matrix record\" writes this file.\nresults:\n")
	for _, r := range rs.List {
		fmt.Fprintf(&b, "  - {date: %s, result: %s, ", strict.Scalar(r.Date), r.Result)
		if r.URL != "" {
			fmt.Fprintf(&b, "url: %s, ", strict.Scalar(r.URL))
		}
		pins := lists.Of(rs.componentsOf(r), func(c *stack.Component) string { return c.Name + ": " + strict.Scalar(r.Components[c.Name]) })
		fmt.Fprintf(&b, "components: {%s}}\n", strings.Join(pins, ", "))
	}
	return []byte(b.String())
}

// componentsOf are the components of results, in the order of the stack.
func (rs *Results) componentsOf(results ...Result) []*stack.Component {
	var list []*stack.Component
	for i := range rs.stack.Components {
		c := &rs.stack.Components[i]
		if slices.ContainsFunc(results, func(r Result) bool { return r.Components[c.Name] != "" }) {
			list = append(list, c)
		}
	}
	return list
}

// Set is the combination of a result.
func (rs *Results) Set(r Result) []Member {
	var set []Member
	for _, c := range rs.componentsOf(r) {
		version := r.Components[c.Name]
		m := Member{Component: c, Versions: versions.OneVersion(version)}
		if m.Versions.Empty() {
			m.Tip = version
		}
		set = append(set, m)
	}
	return set
}

// Passed are the combinations with all that is wanted whose test passed, newest
// first.
func (rs *Results) Passed(wants ...Want) []Result {
	var list []Result
	for _, r := range slices.Backward(rs.List) {
		if r.Result == Pass && !slices.ContainsFunc(wants, func(w Want) bool { return !r.has(w) }) {
			list = append(list, r)
		}
	}
	return list
}

// has says whether a combination has what is wanted of a component.
func (r *Result) has(w Want) bool {
	pin := matrix.Pin{Version: r.Components[w.Component.Name]}
	return pin.Version != "" && meets(pin, w)
}

// TestedTable are the markers of the table of results.
var TestedTable = stack.Table{Start: "Tested with start", End: "Tested with end"}

// Table is the results as a Markdown table, newest first.
func (rs *Results) Table() string {
	columns := rs.componentsOf(rs.List...)
	rows := [][]string{{"Tested on", "Result"}}
	rows[0] = append(rows[0], lists.Of(columns, func(c *stack.Component) string { return inCell.Replace(c.Title) })...)
	for _, r := range slices.Backward(rs.List) {
		day := r.Date
		if r.URL != "" {
			day = "[" + r.Date + "](" + r.URL + ")"
		}
		row := []string{day, r.Result}
		for _, c := range columns {
			row = append(row, inCell.Replace(cmp.Or(r.Components[c.Name], "–")))
		}
		rows = append(rows, row)
	}
	return matrix.MarkdownTable(rows)
}

// inCell spells what would end a cell.
var inCell = strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;")
