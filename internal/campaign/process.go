package campaign

import (
	"bytes"
	"fmt"
	"os"
	"sync"
)

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
