package release

import (
	"context"
	"testing"

	"github.com/project-codeflare/cfctl/internal/release/steps"

	drive "github.com/project-codeflare/cfctl/internal/train"
)

// The words of the train, as the tests here use them.
type (
	Choices    = drive.Choices
	Result     = drive.Result
	StepResult = drive.StepResult
	Log        = drive.Log
	Event      = drive.Event
	Status     = drive.Status
	StepStatus = drive.StepStatus
	State      = drive.State
	Records    = drive.Records
	Record     = drive.Record
)

const (
	Missing      = drive.Missing
	Waiting      = drive.Waiting
	Done         = drive.Done
	Unmanaged    = drive.Unmanaged
	Conflict     = drive.Conflict
	Blocked      = drive.Blocked
	Failed       = drive.Failed
	recBegin     = drive.KindBegin
	recConflict  = drive.KindConflict
	recUnmanaged = drive.KindUnmanaged
	recAbort     = drive.KindAbort
	recEnd       = drive.KindEnd
)

var (
	OpenJournal = drive.OpenJournal
	ReadJournal = drive.ReadJournal
	JournalPath = drive.JournalPath
	WriteStatus = drive.WriteStatus
	ErrLocked   = drive.ErrLocked
	ErrUnsealed = drive.ErrUnsealed
	CheckSeals  = drive.CheckSeals
	ReadOnly    = drive.ReadOnly
	Marks       = drive.Marks
)

// newView is the view of a train on which nothing was read yet.
func newView(t *steps.Train, env *Env) *steps.View {
	return worldOf(t, env).View(drive.NewView(&env.Env))
}

func ReadStatus(version string, rs Records) (*Status, bool) {
	return drive.ReadStatus(Command, version, rs)
}

// look is what a step sees, with what people have decided about it.
func look(t *steps.Train, env *Env, s *steps.Step, v *steps.View) (steps.Observation, error) {
	return On(t, env).Look(context.Background(), s, v.View)
}

// written appends records to the journal.
func written(t *testing.T, env *Env, rs ...Record) {
	t.Helper()
	for _, r := range rs {
		if err := env.Journal.Append(context.Background(), r); err != nil {
			t.Fatal(err)
		}
	}
}

// actAndLook lets a step act, and looks again.
func actAndLook(t *steps.Train, env *Env, s *steps.Step, seen steps.Observation) (steps.Observation, error) {
	h := worldOf(t, env).Writer(drive.NewView(&env.Env), &drive.Attempt{Sleep: env.Sleep})
	if err := s.Act(context.Background(), h, seen); err != nil {
		return seen, err
	}
	return look(t, env, s, newView(t, env))
}

// stepNamed is the step of a train with that name.
func stepNamed(t *testing.T, train *steps.Train, name string) *steps.Step {
	t.Helper()
	for _, s := range train.Steps() {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("there is no step %s", name)
	return nil
}
