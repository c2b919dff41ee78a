package campaign

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/forge/github"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/lists"
)

// A followed is what became of a pull request.
type followed struct {
	Key       string `json:"key"`
	Node      string `json:"node"`
	Stage     Stage  `json:"stage"` // open, merged, declined, edited, away
	Checks    string `json:"checks,omitempty"`
	Conflicts bool   `json:"conflicts,omitempty"`
	Review    string `json:"review,omitempty"`
	At        string `json:"at,omitempty"` // when it last changed
}

// stageOf is how far a repository is, by the opener and by what was seen since.
func stageOf(rec *Record, f *followed) Stage {
	switch {
	case rec == nil:
		return ""
	case f != nil && f.Node == rec.Node && rec.Stage == Opened:
		return f.Stage
	}
	return rec.Stage
}

// lookAtOnce is how many pull requests one question is about.
const lookAtOnce = 100

// known reads what was opened, and what was seen of it since.
func (s *Store) known(ctx context.Context) (opener, follow *ref, records map[string]*Record, seen map[string]*followed, err error) {
	if opener, err = s.ref(ctx, "opener"); err == nil {
		records, err = recordsOf(opener)
	}
	if err == nil {
		follow, err = s.ref(ctx, "follow")
	}
	if err == nil {
		seen, err = entriesOf(follow, "states", func(f *followed) string { return f.Key })
	}
	return opener, follow, records, seen, err
}

// Follow reads what became of the pull requests that are open, a hundred with
// each question, and writes what has changed. It returns how many it asked for
// and how many changed.
func Follow(ctx context.Context, s *Store, f *github.Client) (asked, changed int, err error) {
	_, at, records, seen, err := s.known(ctx)
	if err != nil {
		return 0, 0, err
	}
	byNode := map[string]*Record{}
	for _, key := range slices.Sorted(maps.Keys(records)) {
		rec := records[key]
		if stage := stageOf(rec, seen[key]); rec.Node != "" && (stage == Opened || stage == Away) {
			byNode[rec.Node] = rec
		}
	}
	var changes []git.Change
	for nodes := range slices.Chunk(git.Sorted(byNode), lookAtOnce) {
		pulls, err := f.Standings(ctx, nodes)
		if err != nil {
			return asked, 0, err
		}
		asked += len(nodes)
		for _, f := range compare(nodes, pulls, byNode, s.Now()) {
			if old := seen[f.Key]; old == nil || !f.same(*old) {
				changes = append(changes, git.Change{Path: place("states", f.Key), Data: encode(f)})
			}
		}
	}
	if len(changes) == 0 {
		return asked, 0, nil
	}
	return asked, len(changes), at.merge(ctx, "", fmt.Sprintf("%d changed", len(changes)), changes)
}

func (f followed) same(old followed) bool {
	f.At, old.At = "", ""
	return f == old
}

// checkWords are the states of checks as the store has them.
var checkWords = map[forge.CheckState]string{forge.CheckPassed: "success", forge.CheckFailed: "failure", forge.CheckQueued: "pending", forge.CheckRunning: "pending"}

// compare says what became of pull requests. One that is not in the answer is looked for
// again: its repository is gone, or the token may not see it now, or the answer is not whole.
func compare(nodes []string, pulls []forge.Standing, byNode map[string]*Record, now time.Time) []followed {
	got := lists.By(pulls, func(p forge.Standing) string { return p.Node })
	var list []followed
	for _, node := range nodes {
		rec := byNode[node]
		p, there := got[node]
		f := followed{Key: rec.Key, Node: node, Stage: Opened, Checks: checkWords[p.Checks], Conflicts: p.Conflicts, Review: p.Review, At: stamp(now)}
		switch {
		case !there:
			f.Stage = Away
		case p.Merged:
			f.Stage = Merged
		case !p.Open:
			f.Stage = Declined
		case p.Head != "" && !slices.Contains(rec.Pushed, p.Head):
			f.Stage = Edited
		}
		list = append(list, f)
	}
	return list
}
