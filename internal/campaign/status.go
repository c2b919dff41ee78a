package campaign

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/lists"
)

// A Row is one repository in the status.
type Row struct {
	Name     string   `json:"name"`
	Owner    string   `json:"owner"`
	State    string   `json:"state"` // one of Stages
	URL      string   `json:"url,omitempty"`
	Checks   string   `json:"checks,omitempty"`
	Proven   int      `json:"proven,omitempty"`
	Review   int      `json:"review,omitempty"`
	Text     string   `json:"text,omitempty"`
	ToReview []string `json:"to_review,omitempty"`
}

// A StateDoc is a state of a status; in a state that is Done nothing is left to do.
type StateDoc struct {
	ID, Doc string
	Done    bool
}

// Stages are the states of a status, in the order of a repository's way, each
// with what it means.
var Stages = []StateDoc{
	{"waiting", "no result yet, or only of other rules", false},
	{"trouble", "could not be migrated", false},
	{"stale", "the default branch changed or was rewritten: run work again", false},
	{"blocked", "the forge refuses the change", false},
	{"ready", "the pull request is to be opened", false},
	{"not-opened", "changed; no pull request, because it is listed by its URL", false},
	{"opening", "about to be opened", false},
	{"withdrawing", "about to be closed by the campaign", false},
	{"red", "open; its checks fail", false},
	{"conflicting", "open; it has merge conflicts", false},
	{"open", "open; it waits for review", false},
	{"edited", "the branch has a commit by others", true},
	{"review", "nothing to change; something needs review", false},
	{"declined", "closed by a maintainer", true},
	{"away", "archived, disabled or deleted", true},
	{"withdrawn", "closed by campaign close", true},
	{"merged", "merged by a maintainer", true},
	{"nothing", "nothing to change", true},
	{"empty", "no commits", true},
	{"left-out", "not part of the campaign", true},
}

// A Status says how far a campaign is.
type Status struct {
	Schema int                       `json:"schema"`
	ID     string                    `json:"campaign"`
	Plan   string                    `json:"plan"` // commit
	Title  string                    `json:"title"`
	At     string                    `json:"at"`
	Counts map[string]int            `json:"counts"`
	Owners map[string]map[string]int `json:"owners"` // counts, by owner
	Rows   []Row                     `json:"repositories"`
	Left   bool                      `json:"left"` // something is left to do
	Stop   *Stop                     `json:"stopped,omitempty"`
}

// Count reads how far a campaign is.
func Count(ctx context.Context, s *Store) (*Status, error) {
	p, err := s.Plan(ctx)
	if err != nil {
		return nil, err
	}
	results, err := s.Results(ctx, p)
	if err != nil {
		return nil, err
	}
	opener, _, records, followed, err := s.known(ctx)
	if err != nil {
		return nil, err
	}
	st := p.count(results, records, followed, s.Now())
	st.Stop, err = stopOf(opener)
	return st, err
}

func (p *Plan) count(results map[string]*Result, records map[string]*Record, followed map[string]*followed, now time.Time) *Status {
	st := &Status{Schema: schema, ID: p.ID, Plan: p.Commit, Title: p.Title, At: stamp(now), Counts: map[string]int{}, Owners: map[string]map[string]int{}}
	digest := p.Digest()
	for _, repo := range p.Repositories {
		st.add(rowOf(repo, digest, results[repo.Key], records[repo.Key], followed[repo.Key]))
	}
	for _, rec := range p.departed(records) {
		st.add(rowOfDeparted(rec, followed[rec.Key]))
	}
	for _, l := range p.LeftOut {
		st.add(Row{Name: l.Name, Owner: ownerOf(l.Name, nil), State: "left-out", Text: l.Reason})
	}
	order := map[string]int{}
	for i, s := range Stages {
		order[s.ID] = i
		st.Left = st.Left || !s.Done && st.Counts[s.ID] > 0
	}
	slices.SortStableFunc(st.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(order[a.State], order[b.State]), cmp.Compare(a.Name, b.Name))
	})
	return st
}

func (s *Status) add(r Row) {
	s.Rows = append(s.Rows, r)
	s.Counts[r.State]++
	if s.Owners[r.Owner] == nil {
		s.Owners[r.Owner] = map[string]int{}
	}
	s.Owners[r.Owner][r.State]++
}

// ownerOf is who a repository is counted under: the first of its code owners,
// else the owner of its name.
func ownerOf(name string, owners []string) string {
	if len(owners) > 0 {
		return owners[0]
	}
	if owner, _, ok := strings.Cut(name, "/"); ok && forge.ValidRepository(name) {
		return owner
	}
	return "-"
}

// rowOf is the state of one repository, by all that is known of it.
func rowOf(repo Repository, digest string, r *Result, rec *Record, f *followed) Row {
	row := Row{Name: repo.Name, Owner: ownerOf(repo.Name, nil), State: "waiting"}
	if r != nil {
		row.Owner, row.Proven, row.Review, row.ToReview = ownerOf(repo.Name, r.Owners), r.Proven, r.Review+r.Unread+r.Faults, r.ToReview
	}
	stage := stageOf(rec, f)
	if rec != nil {
		row.Name, row.URL, row.Text = rec.Name, rec.URL, rec.Text
	}
	switch {
	case stage == Opened && f != nil && f.Node == rec.Node && f.Conflicts:
		row.State = "conflicting"
	case stage == Opened && f != nil && f.Node == rec.Node && f.Checks == "failure":
		row.State = "red"
	case stage != "":
		row.State = string(stage)
	case r != nil && r.Class == Unreadable:
		row.State, row.Text = "trouble", string(r.Class)+": "+r.Text
	case r == nil || r.Digest != digest:
	case r.State == Trouble:
		row.State, row.Text = "trouble", string(r.Class)+": "+r.Text
	case r.State == Changed && repo.ID == 0:
		row.State = "not-opened"
	case r.State == Changed:
		row.State = "ready"
	case row.Review > 0:
		row.State = "review"
	case r.Base == "":
		row.State = "empty"
	default:
		row.State = "nothing"
	}
	if f != nil && rec != nil && f.Node == rec.Node {
		row.Checks = f.Checks
	}
	return row
}

// departed are the records of pull requests in repositories that an earlier plan
// had: whatever the plan says now, they stand. What is only about to be, or was
// refused, is gone with the plan.
func (p *Plan) departed(records map[string]*Record) []*Record {
	planned := lists.Set(p.Repositories, func(r Repository) string { return r.Key })
	var list []*Record
	for _, key := range slices.Sorted(maps.Keys(records)) {
		if rec := records[key]; !planned[key] && (rec.Number != 0 || rec.Stage == Opening) {
			list = append(list, rec)
		}
	}
	return list
}

// rowOfDeparted is the state of a pull request whose repository the plan does not have.
func rowOfDeparted(rec *Record, f *followed) Row {
	row := rowOf(Repository{Key: rec.Key, Name: rec.Name}, "", nil, rec, f)
	row.Text = strings.TrimSuffix("the plan does not have it any more: "+row.Text, ": ")
	return row
}
