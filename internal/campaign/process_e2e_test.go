//go:build e2e

package campaign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/forge/github"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// A task is what a process of its own does for a test: one command of a
// campaign, by the clock of a hub. Tests end it as a machine that loses power
// does.
type task struct {
	Do        string // plan, work, open, follow
	Hub, ID   string
	Holder    string
	Index, Of int
	Budget    Budget
	Sign      bool
}

// taskVariable carries a task to its process.
const taskVariable = "CFCTL_CAMPAIGN_TASK"

func init() {
	runProcess = func() (int, bool) {
		text := os.Getenv(taskVariable)
		if text == "" {
			return 0, false
		}
		var k task
		if err := json.Unmarshal([]byte(text), &k); err != nil {
			panic(err)
		}
		if err := k.run(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			var held *HeldError
			if errors.As(err, &held) {
				return 3, true
			}
			return 2, true
		}
		return 0, true
	}
}

// clock asks the hub for the time, and sleeps by it.
func (k task) clock(sleep time.Duration) time.Time {
	at, method := k.Hub+"/clock", http.MethodGet
	if sleep > 0 {
		at, method = at+"?sleep="+url.QueryEscape(sleep.String()), http.MethodPost
	}
	req, err := http.NewRequest(method, at, nil)
	if err != nil {
		panic(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		panic(err)
	}
	defer res.Body.Close()
	data, _ := io.ReadAll(res.Body)
	n, err := strconv.ParseInt(string(data), 10, 64)
	if err != nil {
		panic(err)
	}
	return time.Unix(0, n)
}

func (k task) run(ctx context.Context) error {
	now := func() time.Time { return k.clock(0) }
	sleep := func(ctx context.Context, d time.Duration) error { k.clock(d); return ctx.Err() }
	token := readToken
	if k.Do == "open" {
		token = writeToken
	}
	if err := git.Authorize(k.Hub, func() string { return token }); err != nil {
		return err
	}
	hub, err := github.New(k.Hub+"/api/v3", func() string { return token }, &wire.Queue{Now: now, Sleep: sleep, Distance: time.Second, Patience: 2 * time.Minute, Retries: 3})
	if err != nil {
		return err
	}
	s, err := OpenStore(ctx, k.Hub+"/acme/campaigns.git", k.ID, author, now)
	if err != nil {
		return err
	}
	defer s.Close()
	if k.Do == "plan" {
		return k.plan(ctx, s, hub)
	}
	p, err := s.Plan(ctx)
	if err != nil {
		return err
	}
	switch k.Do {
	case "work":
		_, err = (&Work{Store: s, Jobs: 2}).Shard(ctx, p, k.Index, k.Of)
	case "open":
		_, err = (&Open{Store: s, Forge: hub, Holder: k.Holder, Budget: k.Budget, Sign: k.Sign, Sleep: sleep, Note: func(text string) { fmt.Fprintln(os.Stderr, text) }}).Run(ctx, p)
	case "follow":
		_, _, err = Follow(ctx, s, hub)
	}
	return err
}

func (k task) plan(ctx context.Context, s *Store, f *github.Client) error {
	text, err := migrate.BuiltinSource("codeflare-groups")
	if err != nil {
		return err
	}
	p := &Plan{Schema: schema, ID: k.ID, Version: "v1", Rulesets: []Rules{{"codeflare-groups", string(text)}}, Author: author, Title: "Move the groups",
		Servers: Servers{API: k.Hub + "/api/v3", Git: k.Hub}}
	list, err := f.Repositories(ctx, "acme")
	if err != nil {
		return err
	}
	p.Choose(list, Filters{})
	return s.WritePlan(ctx, p)
}

// A process is a task that runs.
type process struct {
	cmd    *exec.Cmd
	stderr strings.Builder
	once   sync.Once
}

// begin starts a process of a task, in a group of its own.
func begin(t *testing.T, k task) *process {
	t.Helper()
	data, err := json.Marshal(k)
	if err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: exec.Command(os.Args[0])}
	p.cmd.Env = append(os.Environ(), taskVariable+"="+string(data), "TMPDIR="+t.TempDir())
	p.cmd.Stderr = &p.stderr
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.cmd.WaitDelay = 2 * time.Second
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.kill(true) })
	return p
}

// kill ends a process with kill -9, with or without the git processes that it
// has started.
func (p *process) kill(group bool) {
	p.once.Do(func() {
		pid := p.cmd.Process.Pid
		if group {
			pid = -pid
		}
		_ = syscall.Kill(pid, syscall.SIGKILL)
	})
}

// wait is the exit code; -1 = it was killed.
func (p *process) wait() int {
	_ = p.cmd.Wait()
	p.once.Do(func() {})
	return p.cmd.ProcessState.ExitCode()
}

// do runs a task to its end.
func do(t *testing.T, k task) {
	t.Helper()
	p := begin(t, k)
	if code := p.wait(); code != 0 {
		t.Fatalf("%s: exit %d\n%s", k.Do, code, &p.stderr)
	}
}
