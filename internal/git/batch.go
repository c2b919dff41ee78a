package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// An object is a blob, tree, commit or tag as git stores it.
type object struct {
	hash string
	kind string // "blob", "tree", "commit", "tag"
	data []byte
}

// A batch is a running `git cat-file --batch`.
type batch struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	err *strings.Builder
}

// startBatch starts the process. It is not bound to a context: it serves many
// calls, and ends when its input is closed.
func startBatch(dir string) (*batch, error) {
	cmd := exec.Command("git", "cat-file", "--batch") //nolint:noctx // lives as long as its Repo
	cmd.Dir = dir
	cmd.Env = environ(os.Environ())
	cmd.WaitDelay = 2 * time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	b := &batch{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 64<<10), err: &strings.Builder{}}
	cmd.Stderr = b.err
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return b, nil
}

func (b *batch) close() error {
	if b == nil {
		return nil
	}
	if err := b.in.Close(); err != nil {
		return err
	}
	if err := b.cmd.Wait(); err != nil {
		return fmt.Errorf("git cat-file: %w", err)
	}
	return nil
}

// get asks for one object by any name that git understands. A name that git
// does not know, or that means two things, is ErrNotFound.
func (b *batch) get(name string) (object, error) {
	if strings.ContainsAny(name, "\n\x00") {
		return object{}, fmt.Errorf("object name %q: %w", name, ErrNotFound)
	}
	if _, err := io.WriteString(b.in, name+"\n"); err != nil {
		return object{}, b.broken(err)
	}
	head, err := b.out.ReadString('\n')
	if err != nil {
		return object{}, b.broken(err)
	}
	head = strings.TrimSuffix(head, "\n")
	f := strings.Fields(strings.TrimPrefix(head, name))
	if strings.HasPrefix(head, name+" ") && len(f) == 1 {
		return object{}, ErrNotFound // "NAME missing", "NAME ambiguous"
	}
	f = strings.Fields(head)
	if len(f) != 3 {
		return object{}, b.broken(fmt.Errorf("answered %q", head))
	}
	size, err := strconv.Atoi(f[2])
	if err != nil {
		return object{}, b.broken(fmt.Errorf("answered %q", head))
	}
	o := object{hash: f[0], kind: f[1], data: make([]byte, size)}
	if _, err := io.ReadFull(b.out, o.data); err != nil {
		return object{}, b.broken(err)
	}
	if _, err := b.out.Discard(1); err != nil {
		return object{}, b.broken(err)
	}
	return o, nil
}

// broken says why the process no longer answers.
func (b *batch) broken(err error) error {
	text := ""
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		_ = b.cmd.Wait() // its complaint is complete only now
		text = b.err.String()
	}
	return &CommandError{Command: "cat-file", Stderr: Redact(text), Code: -1, Err: err}
}

// object asks the repository's process for an object, starting it first when
// there is none. A process that broke is dropped: the next call starts anew.
func (r *Repo) object(ctx context.Context, name string) (object, error) {
	if err := ctx.Err(); err != nil {
		return object{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.batch == nil {
		b, err := startBatch(r.Dir)
		if err != nil {
			return object{}, fmt.Errorf("git cat-file: %w", err)
		}
		r.batch = b
	}
	o, err := r.batch.get(name)
	if err != nil && !errors.Is(err, ErrNotFound) {
		_ = r.batch.cmd.Process.Kill()
		r.batch = nil
	}
	return o, err
}
