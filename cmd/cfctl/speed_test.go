package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/testing/corpus"
)

// A contender is a command that is timed as a whole process, from start to exit.
type contender struct {
	name  string
	args  []string // {} is the corpus
	write bool     // it changes the corpus, which is put back afterwards
	ok    int      // the exit code of success

	wall, cpu []time.Duration
}

const sedScript = `s#mcad\.ibm\.com/v1beta1#workload.codeflare.dev/v1beta1#g;s#\bmcad\.ibm\.com\b#workload.codeflare.dev#g`

func contenders(tool string) []*contender {
	list := []*contender{
		{name: "rg", args: []string{"rg", "-l", "--no-ignore", "--hidden", "-F", "-e", "mcad.ibm.com", "-e", "ibm.com", "{}"}},
		{name: "check", args: []string{tool, "migrate", "--ruleset", "codeflare-groups", "--check", "{}"}, ok: 1},
		{name: "sed", args: []string{"sh", "-c", `grep -rlZF ibm.com "$1" | xargs -0 sed -i -E '` + sedScript + `'`, "sh", "{}"}, write: true},
		{name: "write", args: []string{tool, "migrate", "--ruleset", "codeflare-groups", "--write", "{}"}, write: true},
	}
	return slices.DeleteFunc(list, func(c *contender) bool {
		_, err := exec.LookPath(c.args[0])
		return err != nil
	})
}

// run times one run on a directory.
func (c *contender) run(ctx context.Context, dir string) error {
	args := slices.Clone(c.args)
	args[slices.Index(args, "{}")] = dir
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	start := time.Now()
	err := cmd.Run()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != c.ok {
		return fmt.Errorf("%s: %w", c.name, cmp.Or(err, fmt.Errorf("exit code 0")))
	}
	c.wall = append(c.wall, time.Since(start))
	c.cpu = append(c.cpu, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	return nil
}

// ratio is the median of the ratios to another one, round by round.
func ratio(a, b []time.Duration) float64 {
	var list []float64
	for i := range a {
		list = append(list, float64(a[i])/float64(max(b[i], 1)))
	}
	slices.Sort(list)
	return list[len(list)/2]
}

func median(list []time.Duration) time.Duration {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}

// releaseBuild builds cfctl as it is released.
func releaseBuild(b *testing.B) string {
	b.Helper()
	tool := filepath.Join(b.TempDir(), "cfctl")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", tool, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return tool
}

// peak is the largest memory of a run in MiB, from GNU time; 0 without it.
func peak(c *contender, dir string) float64 {
	args := slices.Clone(c.args)
	args[slices.Index(args, "{}")] = dir
	out, _ := exec.Command("/usr/bin/time", append([]string{"-q", "-f", "peak %M"}, args...)...).CombinedOutput() // 1 is a finding
	_, text, _ := strings.Cut(string(out), "peak ")
	kib, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		return 0
	}
	return float64(kib) / 1024
}

// BenchmarkProcess times `cfctl migrate` next to ripgrep and next to grep with
// sed, which alternate, as whole processes on one corpus. Each iteration is one
// round; -benchtime 5x makes five. Sizes: 2,000 and 20,000 files, and
// CFCTL_CORPUS_FILES.
func BenchmarkProcess(b *testing.B) {
	tool := releaseBuild(b)
	sizes := []int{2000, 20000}
	if n, err := strconv.Atoi(os.Getenv("CFCTL_CORPUS_FILES")); err == nil {
		sizes = append(sizes, n)
	}
	for _, n := range sizes {
		b.Run(fmt.Sprintf("files=%d", n), func(b *testing.B) {
			b.Setenv("XDG_STATE_HOME", b.TempDir())
			c, err := corpus.Write(b.TempDir(), n)
			if err != nil {
				b.Fatal(err)
			}
			list := contenders(tool)
			for round := range b.N + 1 {
				if err := playRound(b.Context(), list, c, round == 0); err != nil {
					b.Fatal(err)
				}
			}
			reportRatios(b, list, c.Dir)
		})
	}
}

// playRound runs every contender once. The first round warms up: it does not
// count, and proves that cfctl does what it should.
func playRound(ctx context.Context, list []*contender, c *corpus.Corpus, first bool) error {
	for _, who := range list {
		if err := who.run(ctx, c.Dir); err != nil {
			return err
		}
		if first {
			who.wall, who.cpu = nil, nil
		}
		if first && who.name == "write" {
			if err := c.Check(); err != nil {
				return err
			}
		}
		if who.write {
			if err := c.Restore(); err != nil {
				return err
			}
		}
	}
	return nil
}

// BenchmarkRules times `cfctl migrate --check` with 1, 10 and 50 groups to look
// for, as a whole process on 2,000 files.
func BenchmarkRules(b *testing.B) {
	tool := releaseBuild(b)
	c, err := corpus.Write(b.TempDir(), 2000)
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{1, 10, 50} {
		var rules strings.Builder
		rules.WriteString("name: many\ndoc: many groups at once\nurl: https://example.com/\nrules:\n")
		for i := range n {
			from := fmt.Sprintf("%s.%s.example.com", []string{"batch", "queue", "serving", "events", "storage"}[i%5], []string{"old", "legacy", "v1", "lab", "beta"}[i/5%5])
			if i == 0 {
				from = "mcad.ibm.com"
			} else if i >= 25 {
				from = "more-" + from
			}
			fmt.Fprintf(&rules, "  - {id: rule-%d, from: {group: %s}, to: {group: new-%d.example.com}}\n", i, from, i)
		}
		file := filepath.Join(b.TempDir(), "rules.yaml")
		if err := os.WriteFile(file, []byte(rules.String()), 0o600); err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("rules=%d", n), func(b *testing.B) {
			who := &contender{name: "check", args: []string{tool, "migrate", "--ruleset", file, "--check", "{}"}, ok: 1}
			for b.Loop() {
				if err := who.run(b.Context(), c.Dir); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(median(who.cpu).Seconds()*1000, "cpu-ms")
		})
	}
}

func reportRatios(b *testing.B, list []*contender, dir string) {
	b.Helper()
	b.ReportMetric(0, "ns/op") // a round is of no interest
	named := map[string]*contender{}
	for _, c := range list {
		named[c.name] = c
		b.ReportMetric(median(c.wall).Seconds()*1000, c.name+"-ms")
	}
	for tool, other := range map[string]string{"check": "rg", "write": "sed"} {
		c, o := named[tool], named[other]
		if c == nil {
			continue
		}
		b.ReportMetric(peak(c, dir), tool+"-MiB")
		if o != nil {
			b.ReportMetric(ratio(c.wall, o.wall), tool+"-wall/"+other)
			b.ReportMetric(ratio(c.cpu, o.cpu), tool+"-cpu/"+other)
		}
	}
}
