package author

import (
	"embed"
	"strings"
)

// A Job is a file of a CI system that checks a repository.
type Job struct {
	Name string // as --ci takes it
	From string // where docs/ has the same text
	To   string // where it is written
	Next string // what else has to be done; empty = nothing
}

// Jobs are the jobs that can be written, in the order of the help text.
var Jobs = []Job{
	{"github", "ci/github.yml", ".github/workflows/cfctl.yml", ""},
	{"gitlab", "ci/gitlab.yml", ".gitlab/cfctl.yml", "in .gitlab-ci.yml: include: {local: .gitlab/cfctl.yml}"},
	{"pre-commit", "ci/pre-commit.yaml", ".pre-commit-config.yaml", "pre-commit install"},
	{"tekton", "ci/tekton.yaml", ".tekton/cfctl-task.yaml", "kubectl apply -f .tekton/cfctl-task.yaml"},
}

//go:embed ci
var texts embed.FS

// Text is what the file of the job holds; where the repository declares a stack, the job
// checks the support matrix too.
func (j Job) Text(stack bool) (string, error) {
	data, err := texts.ReadFile(j.From)
	if err != nil {
		return "", err
	}
	text, rest, _ := strings.Cut(string(data), "[[") // what is for a stack is in double brackets
	matrix, rest, _ := strings.Cut(rest, "]]")
	if stack {
		text += matrix
	}
	return text + rest, nil
}
