package campaign

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/forge"
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

// Stages are the states of a status, in the order of a repository's way, each
// with what it means.
var Stages = []struct {
	ID, Doc string
	Done    bool // nothing is left to do
}{
	{"waiting", "not judged yet, or by other rules", false},
	{"trouble", "could not be judged", false},
	{"stale", "another default branch, or a rewritten history: work again", false},
	{"blocked", "the forge refuses the change", false},
	{"ready", "the change waits to be opened", false},
	{"judged", "changed, and opened nowhere: it is known by its URL alone", false},
	{"opening", "about to be opened", false},
	{"withdrawing", "about to be closed by the campaign", false},
	{"red", "open, and its checks fail", false},
	{"conflicting", "open, and no longer merges", false},
	{"open", "open, waits for review", false},
	{"edited", "a commit that is not the campaign's is on the branch", true},
	{"review", "nothing to change, and something that needs review", false},
	{"declined", "closed by a maintainer", true},
	{"away", "archived, disabled or gone", true},
	{"withdrawn", "closed by the campaign, by campaign close", true},
	{"merged", "merged by a maintainer", true},
	{"nothing", "nothing in it moves", true},
	{"empty", "it has no commit", true},
	{"left-out", "not of the campaign", true},
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
	results, err := s.Results(ctx, p.Digest())
	if err != nil {
		return nil, err
	}
	opener, err := s.ref(ctx, "opener")
	if err != nil {
		return nil, err
	}
	records, err := recordsOf(opener)
	if err != nil {
		return nil, err
	}
	followed, err := s.followed(ctx)
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
		row.State = "judged"
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
	planned := map[string]bool{}
	for _, r := range p.Repositories {
		planned[r.Key] = true
	}
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
