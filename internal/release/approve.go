package release

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Approve records that a person said yes to a step: one that asks for an
// approval, or a message of which it is not known whether it was sent. With
// asserted the person says that the step is done already; where it stands
// before something foreign, that this very thing is to be taken as it is.
func Approve(ctx context.Context, t *Train, env *Env, step, who string, asserted bool) error {
	d, err := newDriver(t, env, Choices{Until: step, Who: who})
	if err != nil {
		return err
	}
	s := d.steps[d.index[step]]
	r := Record{Kind: recApprove, Step: step, Who: who}
	switch {
	case s.Approval && asserted:
		return fmt.Errorf("%s is an approval: it cannot be done already", step)
	case s.Approval:
		r.Facts = t.plan(s, d.view)
	case asserted && s.Doubt:
		r.Kind = recAssert
	case asserted:
		r.Kind = recAssert
		if r.Facts, r.Text, err = d.foreignAt(ctx, s); err != nil {
			return err
		}
	case s.Act == nil:
		return fmt.Errorf("%s waits for the world, not for an approval", step)
	case !s.Doubt && !s.Public:
		return fmt.Errorf("%s asks for no approval", step)
	}
	return d.record(ctx, r)
}

// foreignAt is what a step that stopped at something foreign sees of it.
func (d *driver) foreignAt(ctx context.Context, s *Step) (facts map[string]string, text string, err error) {
	for _, before := range d.steps {
		o, err := before.Observe(ctx, d.view)
		d.view.facts.put(before.Name, o)
		switch {
		case before.Name != s.Name:
			continue // what broke there is told by a run
		case err != nil:
			return nil, "", err
		case o.State != Foreign || len(o.Facts) == 0:
			return nil, "", fmt.Errorf("%s is %s: there is nothing of somebody else's to take as it is", s.Name, o.State)
		}
		return o.Facts, o.Text, nil
	}
	return nil, "", fmt.Errorf("no step %s", s.Name)
}

// Skip records that a step is not to be done, and why: the world has made it
// pointless. step is the name of a step or of a group ("catalog"); the others of
// its group are skipped with it. It returns the names of the skipped steps.
func Skip(ctx context.Context, t *Train, env *Env, step, reason, who string) ([]string, error) {
	d, err := newDriver(t, env, Choices{Who: who})
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(reason) == "" {
		return nil, errors.New("a step is skipped with a reason only")
	}
	group := step
	if i, ok := d.index[step]; ok {
		if group = d.steps[i].Group; group == "" {
			return nil, fmt.Errorf("%s cannot be skipped: what comes after it needs what it makes", step)
		}
	}
	var names []string
	for _, s := range d.steps {
		if s.Group == group {
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("release %s has no step %q (cfctl release plan %s lists them)", t.Version, step, t.Version)
	}
	for _, name := range names {
		if err := d.record(ctx, Record{Kind: recSkip, Step: name, Text: reason, Who: who}); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// gone is the observation of what was published by this release and is not there
// any more: a person took it back.
func gone(v *View, s *Step, o Observation) Observation {
	r := v.Journal.Last(s.Name, recIntent, recDone, recApprove)
	if r == nil || r.Kind != recDone || r.Facts["kept"] != "" {
		return o
	}
	c := conflict(whyTakenBack, "%s: that was done on %s, and somebody has taken it back", o.Text, r.Time.UTC().Format(time.DateOnly))
	c.Who = "whoever took it back: put it there again; or you, to do it again: cfctl release approve " + v.Train.Version + " " + s.Name
	c.Facts = o.Facts
	return c
}

// skipped says whether a person has taken a step out of this release.
func (v *View) skipped(step string) bool { return v.Journal.Last(step, recSkip) != nil }

// obey puts what people have decided about a step before what it sees: that it
// is skipped, or that something foreign is taken as it is. That holds for what
// they have seen alone: another tag, image or branch there is foreign again.
func obey(s *Step) {
	observe := s.Observe
	s.Observe = func(ctx context.Context, v *View) (Observation, error) {
		if r := v.Journal.Last(s.Name, recSkip); r != nil && s.Group != "" {
			return done("skipped by "+r.Who+": "+r.Text, "skipped", r.Text), nil
		}
		o, err := observe(ctx, v)
		if err == nil && o.State == Missing && s.Public {
			o = gone(v, s, o)
		}
		if err != nil || o.State != Foreign || len(o.Facts) == 0 {
			return o, err
		}
		if r := v.Journal.Last(s.Name, recAssert); r != nil && maps.Equal(r.Facts, o.Facts) {
			o.State, o.Reason, o.Who, o.Text = Done, "", "", o.Text+"; taken as it is by "+r.Who
			return o, nil
		}
		o.Who += "; or, where it is right as it is: cfctl release approve " + v.Train.Version + " " + s.Name + " --done"
		return o, nil
	}
}

// Evidence in a plan begins with what it is evidence of.
const (
	commitOf = "commit of "
	digestOf = "digest of "
)

// plan is what an approval is given to, by name: the versions, the steps, what
// is announced, and the commits and digests that stood before the gate. plan is
// the digest of all that.
func (t *Train) plan(gate *Step, v *View) map[string]string {
	items := map[string]string{"announcement": hash(t.fill(t.Recipe.Announce.Text))[:12]}
	for _, pin := range t.pins() {
		name, version, _ := strings.Cut(pin, " ")
		items["version of "+name] = version
	}
	before := t.behind(gate.Name)
	for _, s := range t.Steps() {
		if !s.Approval {
			items["step "+s.Name] = s.Title
		}
		if v.skipped(s.Name) {
			items["step "+s.Name] += ", skipped"
		}
		if r := v.Journal.Last(s.Name, recDone); r != nil && before[s.Name] {
			evidence(items, s.Name, r.Facts)
		}
	}
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(items)) {
		fmt.Fprintf(sum, "%q %q\n", name, items[name])
	}
	items["plan"] = hex.EncodeToString(sum.Sum(nil))
	return items
}

// behind are the names of the steps that one needs, directly or not.
func (t *Train) behind(step string) map[string]bool {
	names := map[string]bool{step: true}
	for _, s := range slices.Backward(t.Steps()) {
		if names[s.Name] {
			for _, n := range s.Needs {
				names[n.Name] = true
			}
		}
	}
	delete(names, step)
	return names
}

func evidence(items map[string]string, step string, facts map[string]string) {
	for prefix, key := range map[string]string{commitOf: "commit", digestOf: "digest"} {
		if facts[key] != "" {
			items[prefix+step] = facts[key]
		}
	}
}

// changed says in words what is not as it was approved; evidence that was not
// there yet when it was is no change.
func (t *Train) changed(gate *Step, v *View, approved map[string]string) []string {
	now := t.plan(gate, v)
	for item := range approved {
		if step, ok := strings.CutPrefix(item, commitOf); ok {
			now[item] = v.Fact(step, "commit")
		}
		if step, ok := strings.CutPrefix(item, digestOf); ok {
			now[item] = v.Fact(step, "digest")
		}
	}
	var list []string
	for _, item := range slices.Sorted(maps.Keys(now)) {
		was, there := approved[item]
		isEvidence := strings.HasPrefix(item, commitOf) || strings.HasPrefix(item, digestOf)
		switch {
		case item == "plan", was == now[item], isEvidence && (!there || now[item] == ""):
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

// ReadOnly is a journal that cannot be written: for commands that only look.
func ReadOnly(rs Records) Log { return readOnly(rs) }

type readOnly Records

func (r readOnly) Append(context.Context, Record) error {
	return fmt.Errorf("this journal is only read")
}
func (r readOnly) Sync(context.Context) error { return nil }
func (r readOnly) Records() Records           { return Records(r) }
func (r readOnly) Close() error               { return nil }
