package train

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/report"
)

// Look is what a step sees, and what people have decided about it before that:
// that it is skipped, or that something unmanaged is taken as it is. That holds
// for what they have seen alone: another tag, image or branch there is unmanaged
// again.
func (t *Train[V, H]) Look(ctx context.Context, s *Step[V, H], v *View) (Observation, error) {
	if r := v.Journal.Last(s.Name, KindSkip); r != nil && s.Group != "" {
		return Saw(Done, "skipped by "+r.Who+": "+r.Text, skipped, r.Text), nil
	}
	if s.Approval() {
		return t.gate(ctx, s, v)
	}
	w := v.of(s.Name, s.Behind())
	o, err := s.Observe(ctx, t.World.View(w))
	if err == nil {
		err = w.reader.err()
	}
	if err == nil && o.State == Missing && s.Public {
		o = t.gone(v, s, o)
	}
	if err != nil || o.State != Unmanaged || len(o.Facts) == 0 {
		return o, err
	}
	if r := v.Journal.Last(s.Name, KindAssert); r != nil && maps.Equal(r.Facts, o.Facts) {
		o.State, o.Reason, o.Who, o.Text = Done, "", "", o.Text+"; accepted by "+r.Who
		return o, nil
	}
	o.Who += "; or, to accept it: " + t.commandOf("approve", s.Name) + " --done"
	return o, nil
}

// TakenBack is the reason why a step stops at what was published and is gone.
const TakenBack = "taken-back"

// gone is the observation of what was published by this release and is not there
// any more: it was withdrawn.
func (t *Train[V, H]) gone(v *View, s *Step[V, H], o Observation) Observation {
	r := v.Journal.Last(s.Name, KindIntent, KindDone, KindApprove)
	if r == nil || r.Kind != KindDone || r.Facts[Kept] != "" {
		return o
	}
	return Observation{
		State: Conflict, Reason: TakenBack, Facts: o.Facts,
		Text: fmt.Sprintf("%s: that was done on %s, and was withdrawn since", o.Text, r.Time.UTC().Format(time.DateOnly)),
		Who:  "a maintainer: restore it; or you, to do it again: " + t.commandOf("approve", s.Name),
	}
}

// gate waits for the approval of a plan: when that is another one now,
// it asks again. It is done, too, when what it gates has been
// done already, unless that was before an abort.
func (t *Train[V, H]) gate(ctx context.Context, s *Step[V, H], v *View) (Observation, error) {
	text := "needs an approval"
	if r := v.Journal.Last(s.Name, KindApprove); r != nil {
		changes := t.changed(s, v, r.Facts)
		if len(changes) == 0 {
			return Saw(Done, "approved by "+r.Who, "by", r.Who, planFact, r.Facts[planFact]), nil
		}
		text = "needs a new approval: " + r.Who + " approved another plan (" + report.Few(changes, "; ") + ")"
	}
	for _, g := range s.Gates {
		o, err := t.Look(ctx, g, v)
		if err != nil {
			return o, err
		}
		if o.State != Done || !v.madeNow(g.Name) {
			return Observation{State: Waiting, Ours: true, Text: text, Who: "a release engineer: " + t.commandOf("approve", s.Name)}, nil
		}
	}
	return Saw(Done, "not needed: the steps that need the approval are done"), nil
}

// planFact is the fact of an approval that is the digest of its terms.
const planFact = "plan"

// terms are what an approval is given to, by name: those of the actual state, the
// steps, and the evidence of what stood before the gate. plan is the digest of
// all that.
func (t *Train[V, H]) terms(gate *Step[V, H], v *View) map[string]string {
	items := map[string]string{}
	if t.World.Terms != nil {
		items = t.World.Terms()
	}
	before := gate.Behind()
	for _, s := range t.Steps {
		if !s.Approval() {
			items["step "+s.Name] = s.Title
		}
		if v.Skipped(s.Name) {
			items["step "+s.Name] += ", skipped"
		}
		if r := t.released(s, v.Journal); r != nil && before[s.Name] {
			t.evidence(items, s.Name, r.Facts)
		}
	}
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(items)) {
		fmt.Fprintf(sum, "%q %q\n", name, items[name])
	}
	items[planFact] = hex.EncodeToString(sum.Sum(nil))
	return items
}

func (t *Train[V, H]) evidence(items map[string]string, step string, facts map[string]string) {
	for _, e := range t.World.Evidence {
		if e.Of != "" && facts[e.Key] != "" {
			items[e.Of+step] = facts[e.Key]
		}
	}
}

// evidenceOf is the step and the fact that an item of the terms is about.
func (t *Train[V, H]) evidenceOf(item string) (step, key string, ok bool) {
	for _, e := range t.World.Evidence {
		if step, is := strings.CutPrefix(item, e.Of); is && e.Of != "" {
			return step, e.Key, true
		}
	}
	return "", "", false
}

// changed says in words what is not as it was approved; evidence that was not
// there yet when it was is no change.
func (t *Train[V, H]) changed(gate *Step[V, H], v *View, approved map[string]string) []string {
	now := t.terms(gate, v)
	for item := range approved {
		if step, key, ok := t.evidenceOf(item); ok {
			now[item] = v.fact(step, key)
		}
	}
	var list []string
	for _, item := range slices.Sorted(maps.Keys(now)) {
		was, there := approved[item]
		_, _, isEvidence := t.evidenceOf(item)
		switch {
		case item == planFact, was == now[item], isEvidence && (!there || now[item] == ""):
		case !there:
			list = append(list, item+" is new")
		default:
			list = append(list, fmt.Sprintf("%s was %.60s, is %.60s", item, was, now[item]))
		}
	}
	for _, item := range slices.Sorted(maps.Keys(approved)) {
		if _, there := now[item]; !there {
			list = append(list, item+" is gone")
		}
	}
	return list
}
