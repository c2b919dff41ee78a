package campaign

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
)

// A wave is a part of the campaign that is opened before the next one.
type wave struct {
	name   string
	merged bool // all of it must be merged before the next one is opened
	list   []Repository
}

// waves are the parts of a plan, in their order: what others need (one after another, where
// the plan says so), the canaries, a share of the rest, the rest. Which repositories are of
// the share is a matter of their keys and the campaign's name: it is the same every time.
func (p *Plan) waves() []wave {
	waves := []wave{{name: "what others need", merged: true}}
	if p.Ordered {
		waves = nil
		for _, name := range p.Needs {
			waves = append(waves, wave{name: name, merged: true})
		}
	}
	first := len(waves)
	waves = append(waves, wave{name: "canaries"}, wave{name: fmt.Sprintf("the first %d %%", p.Share)}, wave{name: "the rest"})
	for _, r := range p.Repositories {
		i := first + 2
		switch need := slices.Index(p.Needs, r.Name); {
		case need >= 0:
			i = min(need, first-1)
		case slices.Contains(p.Canaries, r.Name):
			i = first
		case p.shares(r.Key):
			i = first + 1
		}
		waves[i].list = append(waves[i].list, r)
	}
	return waves
}

// shares says whether a repository is of the share.
func (p *Plan) shares(key string) bool {
	sum := sha256.Sum256([]byte(p.ID + " " + key))
	return int(binary.BigEndian.Uint32(sum[:])%100) < p.Share
}

// greenShare is how many per cent of a wave must be merged or green before the
// next one is opened.
const greenShare = 95

// gate says why a wave must wait for those before it; "" = it need not.
func (w *opener) gate(i int) string {
	waves := w.plan.waves()
	for k := range i {
		good, all := 0, 0
		for _, repo := range waves[k].list {
			merged, green, counts := w.stands(repo)
			if !counts {
				continue
			}
			if waves[k].merged && !merged {
				return repo.Name + " has not been merged"
			}
			all++
			if merged || green {
				good++
			}
		}
		if !waves[k].merged && good*100 < all*greenShare {
			return fmt.Sprintf("%d of %d pull requests of %s are merged or green, not %d %%", good, all, waves[k].name, greenShare)
		}
	}
	return ""
}

// stands reports the state of a repository, for those after it. One without a change
// does not count, nor one in trouble, or that a maintainer decided against, unless
// the others need it; one that was not evaluated does.
func (w *opener) stands(repo Repository) (merged, green, counts bool) {
	r, rec, f := w.results[repo.Key], w.records[repo.Key], w.followed[repo.Key]
	needed := slices.Contains(w.plan.Needs, repo.Name)
	switch {
	case repo.ID == 0, rec == nil && r != nil && r.State == Nothing:
		return false, false, false
	case rec == nil:
		return false, false, needed || r == nil || r.State != Trouble
	}
	switch stageOf(rec, f) {
	case Merged:
		return true, true, true
	case Declined, Edited, Away, Blocked:
		return false, false, needed
	case Opened:
		return false, f != nil && f.Node == rec.Node && (f.Checks == "success" || f.Checks == ""), true
	}
	return false, false, true
}
