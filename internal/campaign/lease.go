package campaign

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/project-codeflare/cfctl/internal/git"
)

// leaseTime is how long a lease holds without being renewed. What is done for one
// repository takes a minute less: its change is made again, and pushed.
const leaseTime = evaluationLimit + 5*time.Minute

// clockError is how far a clock of another machine may be ahead. What is further ahead was noted by one
// that is wrong.
const clockError = time.Hour

// A lease says who may write.
type lease struct {
	Holder  string `json:"holder"`
	Until   int64  `json:"until"`             // seconds of Unix
	Machine string `json:"machine,omitempty"` // of the holder; empty = not known
	Process int    `json:"process,omitempty"`
}

// dead says whether the holder is a process of this machine that has ended.
func (l lease) dead() bool { return l.Machine != "" && l.Machine == machine() && ended(l.Process) }

// A HeldError says that another process opens already.
type HeldError struct {
	Holder string
	Until  time.Time
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("%s opens pull requests of this campaign, until %s at least", e.Holder, e.Until.UTC().Format(time.RFC3339))
}

// Files of the opener's ref.
const (
	leaseFile  = "lease.json"
	budgetFile = "budget.json"
	stopFile   = "stop.json"
)

// acquire takes the lease.
func (w *opener) acquire(ctx context.Context) (err error) {
	if w.ref, err = w.Store.ref(ctx, "opener"); err != nil {
		return err
	}
	var l lease
	if _, err := w.ref.read(leaseFile, &l); err != nil {
		return err
	}
	var stop Stop
	if there, err := w.ref.read(stopFile, &stop); err != nil || there && !w.closes {
		return errors.Join(err, stop.error(there))
	}
	now := w.Store.Now()
	if until := time.Unix(l.Until, 0); l.Holder != w.Holder && until.After(now) && !l.dead() {
		if until.After(now.Add(leaseTime + clockError)) {
			until = now.Add(leaseTime)
			l.Until = until.Unix()
			if err := w.ref.write(ctx, "shorten a lease of a wrong clock", []git.Change{{Path: leaseFile, Data: encode(l)}}); err != nil && !errors.Is(err, errMoved) {
				return err
			}
		}
		return &HeldError{l.Holder, until}
	}
	if _, err := w.ref.read(budgetFile, &w.spent); err != nil {
		return err
	}
	w.spent.correct(now)
	err = w.write(ctx, "take the lease")
	if errors.Is(err, errMoved) && ctx.Err() == nil {
		return w.acquire(ctx) // another one took it at the same time
	}
	return err
}

// write writes with the lease, renewed. That it succeeds says that no other process
// has written since.
func (w *opener) write(ctx context.Context, why string, changes ...git.Change) error {
	until := w.Store.Now().Add(leaseTime)
	changes = append(changes, git.Change{Path: leaseFile, Data: encode(lease{w.Holder, until.Unix(), machine(), os.Getpid()})}, git.Change{Path: budgetFile, Data: encode(&w.spent)})
	if err := w.ref.write(ctx, why, changes); err != nil {
		return err
	}
	w.leased = until
	return nil
}

// release gives the lease back, unless another process has it by now. Who stopped the
// campaign has written, and does not have it.
func (w *opener) release(ctx context.Context) error {
	for range 3 {
		err := w.ref.write(ctx, "give the lease back", []git.Change{{Path: leaseFile, Data: encode(lease{Holder: w.Holder})}, {Path: budgetFile, Data: encode(&w.spent)}})
		if !errors.Is(err, errMoved) {
			return err
		}
		if w.ref, err = w.Store.ref(ctx, "opener"); err != nil {
			return err
		}
		var l lease
		if _, err := w.ref.read(leaseFile, &l); err != nil || l.Holder != w.Holder {
			return err
		}
	}
	return nil
}

// machine names this machine since it was started, and what processes are numbered
// in; empty where the system does not say.
var machine = sync.OnceValue(func() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	space, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	return string(bytes.TrimSpace(boot)) + " " + space
})

// ended says whether a process of this machine is gone, or waits for its parent to
// notice. Source: proc_pid_stat(5).
func ended(process int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process))
	if err != nil {
		return os.IsNotExist(err)
	}
	_, state, _ := bytes.Cut(stat[bytes.LastIndexByte(stat, ')')+1:], []byte(" "))
	return len(state) > 0 && (state[0] == 'Z' || state[0] == 'X')
}
