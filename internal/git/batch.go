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
	end context.CancelFunc // kills it, and what it started to fetch an object
	in  io.WriteCloser
	out *bufio.Reader
	err *strings.Builder
}

// startBatch starts the process. It serves many calls, each with a context of
// its own, and ends when its input is closed.
func (r *Repo) startBatch() (*batch, error) {
	ctx, end := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, "git", "cat-file", "--batch")
	cmd.Dir = r.Dir
	cmd.Env = r.owner().environ(os.Environ(), r.settings)
	cmd.WaitDelay = 2 * time.Second
	killGroup(cmd)
	b := &batch{cmd: cmd, end: end, err: &strings.Builder{}}
	if err := b.start(); err != nil {
		end()
		return nil, err
	}
	return b, nil
}

func (b *batch) start() error {
	in, err := b.cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := b.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	b.in, b.out, b.cmd.Stderr = in, bufio.NewReaderSize(out, 64<<10), b.err
	return b.cmd.Start()
}

func (b *batch) close() error {
	if b == nil {
		return nil
	}
	defer b.end()
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
	if size > maxObject {
		if _, err := io.CopyN(io.Discard, b.out, int64(size)+1); err != nil {
			return object{}, b.broken(err)
		}
		return object{}, fmt.Errorf("%s of %d bytes: %w", f[1], size, errTooLarge)
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
	return &CommandError{command: "cat-file", Stderr: Redact(text), code: -1, err: err}
}

// maxObject bounds what is read of an object, in bytes.
const maxObject = 64 << 20

var errTooLarge = fmt.Errorf("more than %d MB", maxObject>>20)

// object asks the repository's process for an object. In an own repository it
// may have to be fetched, which is tried again when it breaks on the way.
func (r *Repo) object(ctx context.Context, name string) (object, error) {
	if r.own == nil {
		return r.objectOnce(ctx, name)
	}
	var o object
	err := Read(ctx, r.own.patience, func() (err error) {
		o, err = r.objectOnce(ctx, name)
		if _, ok := errors.AsType[*CommandError](err); ok {
			return remoteError(r.own.url, err)
		}
		return err
	})
	return o, err
}

// objectOnce starts the process when there is none. One that broke is dropped:
// the next call starts anew. So is one that does not answer before the context
// ends, or within Timeout: it waits for a remote that it fetches the object
// from.
func (r *Repo) objectOnce(ctx context.Context, name string) (object, error) {
	if err := ctx.Err(); err != nil {
		return object{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.batch == nil {
		b, err := r.startBatch()
		if err != nil {
			return object{}, fmt.Errorf("git cat-file: %w", err)
		}
		r.batch = b
	}
	bounded, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	unbind := context.AfterFunc(bounded, r.batch.end)
	o, err := r.batch.get(name)
	alive := unbind()
	switch {
	case alive && (err == nil || errors.Is(err, ErrNotFound) || errors.Is(err, errTooLarge)):
		return o, err
	case ctx.Err() != nil:
		err = ctx.Err()
	case !alive:
		err = fmt.Errorf("git cat-file: no answer within %v", Timeout)
	}
	r.batch.end()
	_ = r.batch.cmd.Wait()
	r.batch = nil
	return object{}, err
}
