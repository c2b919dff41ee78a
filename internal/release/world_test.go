package release

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	netmail "net/mail"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/google/go-containerregistry/pkg/name"
	images "github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/project-codeflare/cfctl/internal/forge/github"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/registry"
	"github.com/project-codeflare/cfctl/internal/release/mail"
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/release/recipe"
	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/strict"
	"github.com/project-codeflare/cfctl/internal/testing/wiretest"
	drive "github.com/project-codeflare/cfctl/internal/train"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// A world is everything that a release touches, on this machine: bare git
// repositories, a forge, an image registry, a mail server and a chat. The
// people in it (who merge PRs and whose builds push images) act in play.
type world struct {
	t     testing.TB
	dir   string // of the bare repositories: DIR/OWNER/NAME.git
	forge people
	api   string            // URL of the forge
	git   string            // base URL of the repositories
	reg   string            // host of the image registry, for cfctl
	store string            // the same, for the builds that push to it
	near  http.RoundTripper // how they reach it; nil = as cfctl does
	mail  *mailbox
	chat  *chat
	hook  string            // URL of the chat's webhook
	clock *wiretest.Clock   // of cfctl and of the fake forge; play moves it on
	base  http.RoundTripper // what requests of cfctl go through; nil = the network
	asked bool              // git asks the repositories for their refs, as on a network; else their files are read
}

// reach is how builds reach the image registry.
func (w *world) reach() remote.Option {
	if w.near == nil {
		return remote.WithTransport(http.DefaultTransport)
	}
	return remote.WithTransport(w.near)
}

// people are who act on the forge next to cfctl.
type people interface {
	// merge merges the open PRs of the actual state.
	merge(w *world)
	// finish ends the workflow runs that were dispatched, successfully.
	finish(w *world)
	// seen describes PRs and releases, for comparison.
	seen() []string
}

var orchard = []string{"orchard/operator", "orchard/picker", "orchard/sorter", "orchard/sdk", "eco/community-operators", "orchard/community-operators", "downstream/workloads"}

// folders say which folder of testdata/world a repository is made of.
var folders = map[string]string{
	"orchard/operator": "operator", "orchard/picker": "picker", "orchard/sorter": "sorter", "orchard/sdk": "sdk",
	"eco/community-operators": "catalog", "downstream/workloads": "workloads",
}

var firstTags = map[string]string{"orchard/operator": "v0.1.0", "orchard/picker": "v1.0.0", "orchard/sorter": "v0.3.0", "orchard/sdk": "v2.0.0"}

// newWorld makes a world with a forge in process.
func newWorld(t testing.TB) *world {
	unlessRaced(t)
	w := &world{t: t, dir: t.TempDir(), mail: newMailbox(t), chat: newChat(t)}
	w.clock = wiretest.NewClock()
	w.git = "file://" + w.dir
	registry := images.New(images.Logger(log.New(io.Discard, "", 0)))
	reg := httptest.NewServer(registry)
	t.Cleanup(reg.Close)
	w.near = within{registry}
	w.reg = strings.TrimPrefix(reg.URL, "http://")
	w.store = w.reg
	f := newFakeForge(w)
	w.forge, w.api, w.hook = f, f.URL, w.chat.URL
	w.populate()
	return w
}

// seeds are the repositories of every new world, made once: they are the same
// bytes each time.
var seeds struct {
	once sync.Once
	dir  string
}

// seeds is the folder of the repositories that every world begins with.
func (w *world) seeds() string {
	seeds.once.Do(func() {
		dir, err := os.MkdirTemp("", "cfctl-world-")
		if err != nil {
			w.t.Fatal(err)
		}
		seeds.dir = dir
		seed := &world{t: w.t, dir: dir}
		seed.sow()
		seed.fetchAll(dir + "-cache")
	})
	return seeds.dir
}

// populate makes the repositories and the images of the first release.
func (w *world) populate() {
	w.share(w.seeds(), w.dir)
	w.firstImages()
}

func (w *world) firstImages() {
	w.image("orchard/operator", "v0.1.0", "stable")
	w.image("orchard/picker", "v1.0.0", "stable")
	w.image("orchard/sorter", "v0.3.0", "stable")
}

// sow makes the repositories.
func (w *world) sow() {
	works := w.t.TempDir()
	for repo, folder := range folders {
		bare := w.bare(repo)
		w.run("", "git", "init", "-q", "--bare", "--template=", "-b", "main", bare)
		w.serve(bare)
		work := filepath.Join(works, folder)
		w.copyTree(filepath.Join("testdata", "world", folder), work)
		w.run("", "git", "init", "-q", "-b", "main", work)
		w.run(work, "git", "add", "-A")
		w.run(work, "git", "commit", "-q", "-m", "Plant "+folder)
		if tag := firstTags[repo]; tag != "" {
			w.run(work, "git", "tag", tag)
		}
		w.run(work, "git", "push", "-q", bare, "main", "--tags")
		w.run(bare, "git", "repack", "-adq")
		w.run(bare, "git", "pack-refs", "--all")
	}
	w.run("", "git", "clone", "-q", "--bare", "--template=", w.bare("eco/community-operators"), w.bare("orchard/community-operators"))
	w.serve(w.bare("orchard/community-operators"))
}

// serve configures a repository as a forge does.
func (w *world) serve(bare string) {
	for _, kv := range []string{"http.receivepack=true", "uploadpack.allowFilter=true", "uploadpack.allowAnySHA1InWant=true", "gc.auto=0"} {
		k, v, _ := strings.Cut(kv, "=")
		w.run(bare, "git", "config", k, v)
	}
}

func (w *world) bare(repo string) string { return filepath.Join(w.dir, repo+".git") }

func (w *world) run(dir string, args ...string) string {
	w.t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (w *world) copyTree(from, to string) {
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		w.t.Fatal(err)
	}
}

// image pushes an image that depends on its name alone under some tags.
func (w *world) image(repo string, tags ...string) {
	img, err := random.Image(64, 1, random.WithSource(&steady{seed: repo + tags[0]}))
	if err != nil {
		w.t.Fatal(err)
	}
	for _, tag := range tags {
		ref, err := name.NewTag(w.store + "/" + repo + ":" + tag)
		if err != nil {
			w.t.Fatal(err)
		}
		if err := remote.Write(ref, img, w.reach()); err != nil {
			w.t.Fatal(err)
		}
	}
}

// steady is a source of numbers that depend on a seed alone.
type steady struct {
	seed string
	n    int64
}

func (s *steady) Seed(int64) {}
func (s *steady) Int63() int64 {
	s.n++
	var x int64 = 1469598103934665603
	for _, b := range fmt.Sprint(s.seed, s.n) {
		x = (x ^ int64(b)) * 1099511628211
	}
	return x & (1<<63 - 1)
}

// play lets everyone do what they do when cfctl waits for them: builds push
// the images of new tags, workflows end, PRs are merged.
func (w *world) play() {
	w.builds()
	w.forge.merge(w)
}

// builds lets machines do what they do: they push the images of new tags, and end
// the workflows that were dispatched.
func (w *world) builds() {
	if w.clock != nil {
		w.clock.Pass(10 * time.Minute)
	}
	w.forge.finish(w)
	for _, repo := range orchard[:3] {
		for full := range refsIn(w.t, w.bare(repo)) {
			tag, isTag := strings.CutPrefix(full, "refs/tags/")
			if !isTag {
				continue
			}
			ref, _ := name.NewTag(w.store + "/" + repo + ":" + tag)
			if _, err := remote.Head(ref, w.reach()); err != nil {
				w.image(repo, tag)
			}
		}
	}
}

// config is .cfctl.yaml with the addresses of this world.
func (w *world) config() []byte {
	data, err := os.ReadFile("testdata/world/cfctl.yaml")
	if err != nil {
		w.t.Fatal(err)
	}
	return []byte(strings.NewReplacer("REGISTRY", w.reg, `"API"`, w.api, `"GIT"`, w.git, `"SMTP"`, w.mail.addr).Replace(string(data)))
}

// train reads the configuration as cmd/cfctl does.
func (w *world) train(version string) *steps.Train {
	w.t.Helper()
	t, err := w.read(w.config(), version)
	if err != nil {
		w.t.Fatal(err)
	}
	return t
}

// read makes a train of a configuration.
func (w *world) read(config []byte, version string) (*steps.Train, error) {
	var doc struct {
		Stack   stack.Stack   `yaml:"stack"`
		Matrix  matrix.Config `yaml:"matrix"`
		Release recipe.Recipe `yaml:"release"`
	}
	err := strict.Decode(".cfctl.yaml", config, &doc)
	if err == nil {
		err = errors.Join(doc.Stack.Complete(".cfctl.yaml"), steps.Complete(&doc.Release, ".cfctl.yaml", &doc.Stack))
	}
	if err != nil {
		return nil, err
	}
	row, ok := doc.Matrix.Release(version)
	versions := map[string]string{}
	if ok {
		for _, p := range row.Components {
			versions[p.Name] = p.Version
		}
	}
	if _, err := steps.Compile(&doc.Stack, &doc.Release, version, versions, nil); err != nil {
		return nil, err
	}
	t, err := steps.NewTrain(&doc.Stack, &doc.Release, version, versions) // not compiled: tests change it before it runs
	if err != nil {
		return nil, err
	}
	t.Bundle = testBundle
	return t, nil
}

// testBundle makes the real bundle, with an image that is the same in every
// world.
func testBundle(ctx context.Context, tree fs.FS, r steps.BundleRequest) (map[string][]byte, error) {
	r.Image = "registry.example" + r.Image[strings.IndexByte(r.Image, '/'):]
	return steps.MakeBundle(nil)(ctx, tree, r)
}

// env opens the actual state for cfctl, with the journal at path.
func (w *world) env(path string) (*Env, *wire.Queue) {
	w.t.Helper()
	c := w.clock
	q := &wire.Queue{Now: c.Now, Sleep: c.Sleep, Distance: time.Second, Patience: 15 * time.Minute, Retries: 2, Base: w.base}
	gh, err := github.New(w.api, func() string { return "tok_rel" }, q)
	if err != nil {
		w.t.Fatal(err)
	}
	j, err := OpenJournal(context.Background(), path, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	remotes := &ports.Remotes{Base: w.git, Cache: &git.Cache{Dir: filepath.Join(filepath.Dir(path), "cache")}, Queue: q}
	w.warm(remotes.Cache)
	w.t.Cleanup(func() { remotes.Close(); j.Close() })
	var port ports.GitPort = remotes
	if strings.HasPrefix(w.git, "file://") && !w.asked {
		port = &nearGit{remotes, w}
	}
	env := &Env{
		Git: port, Forge: gh, Images: &registry.Images{Transport: q},
		Mail: &mail.SMTP{Server: w.mail.addr, Queue: q}, Chat: &mail.Slack{Webhook: w.hook, Queue: q},
		Journals: func(_ context.Context, version string) (drive.Records, error) {
			return drive.ReadJournal(filepath.Join(filepath.Dir(path), version+".jsonl"))
		},
		Env: drive.Env{Journal: j, Now: c.Now, Sleep: c.Sleep, Poll: time.Minute},
	}
	return env, q
}

// state describes the actual state, without times and ids: two worlds in which the
// same has happened have the same state.
func (w *world) state() string {
	var b strings.Builder
	for _, repo := range orchard {
		fmt.Fprintf(&b, "%s\n", repo)
		refs := w.run(w.bare(repo), "git", "for-each-ref", "--format=%(refname) %(objecttype) %(if)%(*tree)%(then)%(*tree)%(else)%(tree)%(end)", "refs/heads", "refs/tags")
		b.WriteString(refs + "\n")
		for _, branch := range []string{"main"} {
			fmt.Fprintf(&b, "commits of %s: %s\n", branch, w.run(w.bare(repo), "git", "rev-list", "--count", branch))
		}
	}
	w.describe(&b)
	return b.String()
}

// witness is all that can be seen of the actual state, commits by their hashes: what
// is the same before and after was not touched between.
func (w *world) witness() string {
	var b strings.Builder
	for _, repo := range orchard {
		refs := refsIn(w.t, w.bare(repo))
		for _, name := range git.Sorted(refs) {
			fmt.Fprintf(&b, "%s %s %s\n", repo, name, refs[name])
		}
	}
	w.describe(&b)
	return b.String()
}

// describe writes what there is next to git.
func (w *world) describe(b *strings.Builder) {
	for _, repo := range orchard[:3] {
		ref, _ := name.NewRepository(w.store + "/" + repo)
		tags, _ := remote.List(ref, w.reach())
		slices.Sort(tags)
		for _, tag := range tags {
			d, err := remote.Head(ref.Tag(tag), w.reach())
			if err != nil {
				w.t.Fatal(err)
			}
			fmt.Fprintf(b, "image %s:%s %s\n", repo, tag, d.Digest)
		}
	}
	b.WriteString(strings.Join(w.forge.seen(), "\n") + "\n")
	b.WriteString("mails: " + strings.Join(w.mail.ids(), " ") + "\n")
	fmt.Fprintf(b, "chat: %d\n", len(w.chat.texts()))
}

// A mailbox is a mail server that keeps what it gets.
type mailbox struct {
	addr string
	mu   sync.Mutex
	got  []string
	gray bool // every mail is to come later
}

func newMailbox(t testing.TB) *mailbox {
	m := &mailbox{}
	s := smtp.NewServer(m)
	s.Domain, s.ErrorLog = "localhost", log.New(io.Discard, "", 0)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m.addr = l.Addr().String()
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
	return m
}

func (m *mailbox) NewSession(*smtp.Conn) (smtp.Session, error) { return &letter{m}, nil }

// ids are the Message-IDs of what arrived, each once: what a reader sees.
func (m *mailbox) ids() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var ids []string
	for _, text := range m.got {
		msg, err := netmail.ReadMessage(strings.NewReader(text))
		if err != nil {
			return []string{err.Error()}
		}
		if id := msg.Header.Get("Message-Id"); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

type letter struct{ m *mailbox }

func (l *letter) Mail(string, *smtp.MailOptions) error { return nil }
func (l *letter) Rcpt(string, *smtp.RcptOptions) error {
	l.m.mu.Lock()
	defer l.m.mu.Unlock()
	if l.m.gray {
		return &smtp.SMTPError{Code: 450, EnhancedCode: smtp.EnhancedCode{4, 7, 1}, Message: "greylisted, come again"}
	}
	return nil
}
func (l *letter) Reset()        {}
func (l *letter) Logout() error { return nil }
func (l *letter) Data(r io.Reader) error {
	data, err := io.ReadAll(r)
	l.m.mu.Lock()
	defer l.m.mu.Unlock()
	l.m.got = append(l.m.got, string(data))
	return err
}

// A chat is a webhook that keeps what it gets and answers like Slack's.
type chat struct {
	*httptest.Server
	mu  sync.Mutex
	got []string
}

func newChat(t testing.TB) *chat {
	c := &chat{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body bytes.Buffer
		io.Copy(&body, r.Body)
		c.mu.Lock()
		c.got = append(c.got, body.String())
		c.mu.Unlock()
		io.WriteString(w, "ok")
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *chat) texts() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.got)
}
