package main

import (
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/report"
)

// readers are the commands that change nothing but caches, which stand any
// end, as long as none of the flags is given that makes them write.
var readers = map[string][]string{
	"cfctl migrate":         {"write"},
	"cfctl migrate review":  nil,
	"cfctl matrix check":    {"fix"},
	"cfctl matrix deps":     nil,
	"cfctl matrix diff":     nil,
	"cfctl matrix graph":    nil,
	"cfctl matrix history":  nil,
	"cfctl matrix lint":     nil,
	"cfctl matrix render":   {"write"},
	"cfctl matrix resolve":  nil,
	"cfctl matrix show":     nil,
	"cfctl release bundle":  {"out"},
	"cfctl release notes":   nil,
	"cfctl release propose": {"write", "promote", "pr"},
	"cfctl release status":  nil,
	"cfctl release verify":  nil,
	"cfctl release images":  {"promote", "to"},
}

// readsOnly says whether a call of a command changes nothing.
func readsOnly(cmd *cobra.Command) bool {
	writing, known := readers[cmd.CommandPath()]
	return known && !slices.ContainsFunc(writing, func(name string) bool {
		f := cmd.Flags().Lookup(name)
		return f != nil && f.Changed
	})
}

// grace is how long a command that only reads has to end by itself after a
// signal: long enough to stop its git processes.
const grace = time.Second

// leave ends the process where a command that only reads still computes, or
// waits for its input, after the grace that follows a signal. What writes is
// left to end by itself, with what it has begun in order.
func (t *terminal) leave(ended <-chan struct{}) {
	if !t.reads.Load() {
		return
	}
	select {
	case <-ended:
	case <-time.After(grace):
		report.Fprintf(t.err, "cfctl: interrupted\n")
		os.Exit(exitTrouble)
	}
}
