package release

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/registry"
	"github.com/project-codeflare/cfctl/internal/release/mail"
	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/train"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// A recorder is the writing half of a world that keeps a list of the requests
// that it is asked for, and sends none: it is made of the reading half alone.
// So the plan's requests come from the code that sends them in a run.
type recorder struct {
	forge.Reader
	view    *steps.View
	effects []wire.Effect
	drafts  map[string]forge.Release // by tag: what was asked for is read back
}

// recording are hands over a recorder, and the list that it keeps.
func recording(v *steps.View) (*steps.Writer, func() []wire.Effect) {
	r := &recorder{Reader: v.Forge, view: v, drafts: map[string]forge.Release{}}
	seen := *v
	seen.Forge = r
	attempt := &train.Attempt{Sleep: func(context.Context, time.Duration) error { return nil }}
	return &steps.Writer{View: &seen, Attempt: attempt, Git: r, Forge: r, Images: r, Mail: r, Chat: r}, func() []wire.Effect { return r.effects }
}

func (r *recorder) add(method, target, text string) {
	r.effects = append(r.effects, wire.Effect{Method: method, Target: target, Text: text})
}

// api records a request to the forge's API.
func (r *recorder) api(method, text, path string, args ...any) {
	r.add(method, strings.TrimSuffix(r.view.Train.Recipe.Forge.API, "/")+fmt.Sprintf(path, args...), text)
}

// LatestRelease implements forge.LatestReader.
func (r *recorder) LatestRelease(ctx context.Context, repo string) (string, error) {
	return forge.LatestOf(ctx, r.Reader, repo)
}

// Push implements GitWriter.
func (r *recorder) Push(_ context.Context, repo, _ string, updates ...git.Update) error {
	refs, text := make([]string, len(updates)), ""
	for i, u := range updates {
		refs[i] = u.Ref
		if u.New == git.Zero {
			text = "delete"
		}
	}
	r.add("PUSH", r.view.Git.Target(repo, strings.Join(refs, " ")), text)
	return nil
}

// Sign implements GitWriter.
func (r *recorder) Sign(_ context.Context, _, commit string) (string, error) { return commit, nil }

// Tag implements GitWriter.
func (r *recorder) Tag(_ context.Context, repo, tag, _, _ string, _ bool) error {
	r.add("PUSH", r.view.Git.Target(repo, "refs/tags/"+tag), "tag "+tag)
	return nil
}

// CreatePull implements forge.Writer.
func (r *recorder) CreatePull(_ context.Context, repo, _, _, title, _ string) (forge.Pull, error) {
	r.api("POST", title, "/repos/%s/pulls", repo)
	return forge.Pull{}, nil
}

// ClosePull implements forge.Writer.
func (r *recorder) ClosePull(_ context.Context, repo string, number int) error {
	r.api("PATCH", "close", "/repos/%s/pulls/%d", repo, number)
	return nil
}

// Release implements forge.Reader.
func (r *recorder) Release(ctx context.Context, repo, tag string) (forge.Release, error) {
	if made, ok := r.drafts[tag]; ok {
		return made, nil
	}
	return r.Reader.Release(ctx, repo, tag)
}

// CreateRelease implements forge.Writer.
func (r *recorder) CreateRelease(_ context.Context, repo string, made forge.Release) (forge.Release, error) {
	text := "publish"
	if made.Draft {
		text = "draft"
	}
	r.api("POST", text, "/repos/%s/releases", repo)
	r.drafts[made.Tag] = made
	return made, nil
}

// EditRelease implements forge.Writer. The id of what was not made yet is not
// known.
func (r *recorder) EditRelease(ctx context.Context, repo string, made forge.Release) error {
	id, text := fmt.Sprint(made.ID), "publish"
	if made.ID == 0 {
		id = "{id}"
	}
	if was, err := r.Release(ctx, repo, made.Tag); err == nil && !was.Draft {
		text = "prerelease, make_latest"
	}
	r.api("PATCH", text, "/repos/%s/releases/%s", repo, id)
	return nil
}

// DeleteRelease implements forge.Writer.
func (r *recorder) DeleteRelease(_ context.Context, repo string, id int64) error {
	r.api("DELETE", "", "/repos/%s/releases/%d", repo, id)
	return nil
}

// Fork implements forge.Writer.
func (r *recorder) Fork(_ context.Context, repo, owner string) error {
	_, name := forge.Split(repo)
	r.api("POST", "fork into "+owner+"/"+name, "/repos/%s/forks", repo)
	return nil
}

// Sync implements forge.Writer.
func (r *recorder) Sync(_ context.Context, fork, branch string) error {
	r.api("POST", branch+"  of the fork, identical to upstream", "/repos/%s/merge-upstream", fork)
	return nil
}

// Dispatch implements forge.Dispatcher.
func (r *recorder) Dispatch(_ context.Context, repo, workflow, _ string, inputs map[string]string) (int64, error) {
	r.api("POST", steps.InputText(inputs), "/repos/%s/actions/workflows/%s/dispatches", repo, workflow)
	_, err := forge.As[forge.Dispatcher](r.Reader, "workflows")
	return 0, err
}

// Promote implements registry.Writer.
func (r *recorder) Promote(_ context.Context, c *stack.Component, _, _ string) (*registry.Promotion, error) {
	to := r.view.Train.Stable(c)
	r.add("PUT", r.view.Images.TagTarget(to), "tag "+to)
	return &registry.Promotion{}, nil
}

// Send implements Mailer.
func (r *recorder) Send(_ context.Context, m mail.Message) error {
	r.effects = append(r.effects, m.Effect())
	return nil
}

// Post implements Chat.
func (r *recorder) Post(context.Context, string) error {
	r.effects = append(r.effects, mail.ChatEffect)
	return nil
}
