package main

import (
	"bytes"
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/release"
	"github.com/project-codeflare/cfctl/internal/train"
)

const statusLong = `Show the status of a release: what is done, what blocks, since when, who can
unblock it, and the next command. It is read from the journal, without any
request; --refresh also reads the forge, git and the registry.

-o html is one self-contained page: graph, timeline, versions and links, for an
artifact or GitHub Pages.

Exit codes: 0 the release is complete or aborted, 1 it is not, 2 error.`

func newReleaseStatus(t *terminal) *cobra.Command {
	o, output, refresh := &trainOptions{}, "text", false
	cmd := &cobra.Command{
		Use: "status VERSION", Short: "show the status of a release", Long: statusLong, Args: oneVersion("status"),
		RunE: func(cmd *cobra.Command, args []string) error {
			st, err := readStatus(cmd.Context(), t, o, args[0], refresh)
			if err != nil {
				return err
			}
			var b bytes.Buffer
			if err := train.WriteStatus(&b, output, st, time.Now()); err != nil {
				return err
			}
			text := b.String()
			if t.color && output == "text" {
				text = paintMarks(text)
			}
			if _, err := t.out.WriteString(text); err != nil {
				return err
			}
			if !st.Complete() {
				return errPending
			}
			return nil
		},
	}
	o.flags(cmd)
	outputFlag(cmd, &output, "text", "text", "json", "markdown", "html")
	cmd.Flags().BoolVar(&refresh, "refresh", false, "also read the forge, git and the registry")
	return cmd
}

func readStatus(ctx context.Context, t *terminal, o *trainOptions, version string, refresh bool) (*train.Status, error) {
	if refresh {
		o.settle(t)
		o.reads = true
		s, err := o.open(ctx, t, version)
		if err != nil {
			return nil, err
		}
		defer s.done()
		if err := o.readJournal(ctx, t, s); err != nil {
			return nil, err
		}
		return s.train.On(s.env).Refresh(ctx, &s.env.Env)
	}
	rs, err := readRecords(ctx, t, o, version)
	if err != nil {
		return nil, err
	}
	return o.statusOf(t, version, rs)
}

// readRecords reads the journal of a release, wherever it is kept; one in a file
// without any request.
func readRecords(ctx context.Context, t *terminal, o *trainOptions, version string) (train.Records, error) {
	o.settle(t)
	o.reads = true
	if o.state == "git" {
		s, err := o.open(ctx, t, version)
		if err != nil {
			return nil, err
		}
		defer s.done()
		return o.records(ctx, t, s)
	}
	v, err := o.target.open(ctx, t)
	if err != nil {
		return nil, err
	}
	defer v.close()
	return ownRecords(t, o.journalPath(&session{view: v, version: version}), version)
}

func (o *trainOptions) statusOf(t *terminal, version string, rs train.Records) (*train.Status, error) {
	st, ok := train.ReadStatus(release.Command, version, rs)
	if !ok {
		return nil, hinted{errorf("release %s has no journal here", version),
			o.carry(t, "cfctl release status "+version+" --refresh asks the world\ncfctl release run "+version+" begins it, or goes on with it")}
	}
	return st, nil
}
