package main

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/train"
)

// ticking calls show now and then until stop is called, which waits for the
// last call. Where there is no live line it does nothing.
func (t *terminal) ticking(every time.Duration, show func()) (stop func()) {
	if t.quiet || !t.live {
		return func() {}
	}
	end := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-end:
				return
			case <-tick.C:
				show()
			}
		}
	})
	return func() {
		close(end)
		done.Wait()
	}
}

// counting keeps a live count of files while they are read, of about so many; 0 = it
// is not known of how many.
func (t *terminal) counting(files *atomic.Int64, total int) (stop func()) {
	return t.ticking(100*time.Millisecond, func() { t.status("%s", countOf(int(files.Load()), total)) })
}

// countOf is the live line while files are read.
func countOf(n, total int) string {
	if total == 0 || n > total {
		return "reading: " + report.Plural(n, "file")
	}
	return fmt.Sprintf("reading: %d of about %s", n, report.Plural(total, "file"))
}

// trackedFiles is how many files git tracks, where paths are a whole work tree, by
// the header of its index; 0 = that is not known.
// Source: git, Documentation/gitformat-index.txt: "DIRC", the version, the number of entries.
func trackedFiles(tree *source.Tree, paths []string) int {
	if len(paths) != 1 || paths[0] != "." || tree.TopLevel() == "" || tree.TopLevel() != tree.Base() {
		return 0
	}
	f, err := os.Open(filepath.Join(tree.GitDir(), "index"))
	if err != nil {
		return 0
	}
	defer func() { _ = f.Close() }() // only reading was done
	var header [12]byte
	if _, err := io.ReadFull(f, header[:]); err != nil || string(header[:4]) != "DIRC" {
		return 0
	}
	return int(binary.BigEndian.Uint32(header[8:]))
}

// waiting is what a run waits for, by step, and since when.
type waiting map[string]time.Time

// say is the live line of what is waited for: the longest first.
func (w waiting) say(now time.Time) string {
	names := slices.SortedFunc(maps.Keys(w), func(a, b string) int { return cmp.Or(w[a].Compare(w[b]), cmp.Compare(a, b)) })
	if len(names) == 0 {
		return ""
	}
	since := w[names[0]]
	line := fmt.Sprintf("%s waiting for %s since %s (%s)", train.Marks[train.Waiting], names[0], since.Format("15:04"), train.Span(now.Sub(since)))
	if len(names) > 1 {
		line += fmt.Sprintf(" and for %d more", len(names)-1)
	}
	return line
}
