package jobs

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/objects"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// The defaults of the jobs API. What is equal to its default is not stored, so
// that a later default can still take effect.
const (
	defaultMemory = "512Mi"
	defaultCPU    = "100m"
	limitCPU      = "500m" // what a job that asked for defaultCPU may use
	maxRetry      = 5
)

// A job is one object on its way to its stored form.
type job struct {
	shape
	object     objects.Object
	it         *objects.Item
	defaultCPU string
}

func (j *job) label(key string) string { return objects.Text(j.object, "metadata", "labels", key) }

func (j *job) container() objects.Object {
	c, _ := objects.List(template(j.shape, j.object), "spec", "containers")[0].(map[string]any)
	return c
}

// read makes the spec of the stored job.
func (j *job) read() (objects.Object, *objects.Refusal) {
	tool := strings.TrimPrefix(j.it.Origin.Namespace, "tool-")
	if by := j.label(createdBy); by != "" && by != tool {
		j.note("other-tool", report.Warning, "its label says that %s created it; the namespace says %s", by, tool)
	}
	spec := objects.Object{"job_name": j.it.Origin.Name, "tool_name": tool, "job_type": j.jobType}
	image, built := readImage(objects.Text(j.container(), "image"))
	if image == nil {
		return nil, &objects.Refusal{Reason: "no-image", Message: "its container has no image"}
	}
	spec["image"] = image
	if refusal := j.command(spec, built); refusal != nil {
		return nil, refusal
	}
	if e := j.label(emailsKey); e != "" && e != "none" {
		if e != "all" && e != "onfinish" && e != "onfailure" {
			return nil, &objects.Refusal{Reason: "bad-label", Message: fmt.Sprintf("its label %s is %q", emailsKey, e)}
		}
		spec["emails"] = e
	}
	j.mount(spec, built)
	if refusal := j.resources(spec); refusal != nil {
		return nil, refusal
	}
	j.unstored()
	if objects.At(j.object, "metadata", "deletionTimestamp") != nil {
		j.note("terminating", report.Warning, "it is being deleted: the stored job would begin it again")
	}
	switch j.jobType {
	case "continuous":
		j.continuous(spec)
		return spec, nil
	case "scheduled":
		return spec, j.scheduled(spec)
	}
	return spec, j.retry(spec, "spec", "backoffLimit")
}

// usual are the fields of a workload, its pods and their container that are read, or that
// the API or the server writes; with the value that they have then, nil = any.
var usual = map[string]any{
	"jobTemplate": nil, "replicas": nil, "schedule": nil, "template": nil,
	"activeDeadlineSeconds": nil, "backoffLimit": nil, "completionMode": "NonIndexed", "completions": 1, "concurrencyPolicy": "Forbid",
	"failedJobsHistoryLimit": nil, "manualSelector": nil, "parallelism": 1, "podReplacementPolicy": nil, "progressDeadlineSeconds": nil, "revisionHistoryLimit": nil,
	"selector": nil, "startingDeadlineSeconds": nil, "strategy": nil, "successfulJobsHistoryLimit": nil, "ttlSecondsAfterFinished": nil,
	"containers": nil, "dnsPolicy": "ClusterFirst", "restartPolicy": nil, "schedulerName": "default-scheduler", "securityContext": nil, "terminationGracePeriodSeconds": nil,
	"args": nil, "command": nil, "env": nil, "image": nil, "imagePullPolicy": nil, "name": nil, "resources": nil, "workingDir": nil,
	"terminationMessagePath": nil, "terminationMessagePolicy": nil,
}

// unstored names the fields that have no place in a stored job. The API writes none of
// them: someone edited the object, and loses that with the next restart.
func (j *job) unstored() {
	var names []string
	work := objects.Map(j.object, "spec")
	for _, o := range []objects.Object{work, objects.Map(work, "jobTemplate", "spec"), objects.Map(template(j.shape, j.object), "spec"), j.container()} {
		for _, key := range slices.Sorted(maps.Keys(o)) {
			value, known := usual[key]
			if text := fmt.Sprint(o[key]); (!known || value != nil && text != fmt.Sprint(value)) && !slices.Contains([]string{"<nil>", "false", "", "[]", "map[]"}, text) && !j.checks(key) {
				names = append(names, key)
			}
		}
	}
	for _, part := range []string{"limits", "requests"} {
		for _, name := range slices.Sorted(maps.Keys(objects.Map(j.container(), "resources", part))) {
			if name != "cpu" && name != "memory" {
				names = append(names, "resources."+part+"."+name)
			}
		}
	}
	for _, v := range objects.List(j.container(), "env") {
		// The two that the API sets by the mounts of a job.
		if m, _ := v.(map[string]any); m["name"] != "HOME" && m["name"] != "NO_HOME" {
			names = append(names, "env "+objects.Text(m, "name"))
		}
	}
	if wrapped(texts(objects.List(j.container(), "command"))) && len(objects.List(j.container(), "args")) > 0 {
		names = append(names, "args")
	}
	if len(names) > 0 {
		j.note("not-stored", report.Warning, "a stored job cannot have what it has: %s", strings.Join(names, ", "))
	}
}

// checks says whether a field is one of those that make the health check of a continuous
// job: its port, the probe at the start, and the same probe later.
func (j *job) checks(key string) bool {
	if j.jobType != "continuous" || key != "ports" && key != "startupProbe" && key != "livenessProbe" {
		return false
	}
	start, live := objects.Map(j.container(), "startupProbe"), objects.Map(j.container(), "livenessProbe")
	return key != "livenessProbe" || !slices.ContainsFunc([]string{"exec", "grpc", "httpGet", "tcpSocket"}, func(how string) bool {
		return live[how] != nil && fmt.Sprint(objects.Map(live, how)["command"], objects.Map(live, how)["path"], objects.Map(live, how)["port"]) !=
			fmt.Sprint(objects.Map(start, how)["command"], objects.Map(start, how)["path"], objects.Map(start, how)["port"])
	})
}

// mount is where the storage of the tool is mounted. An image of the build
// service has it nowhere by default, a prebuilt one everywhere.
func (j *job) mount(spec objects.Object, built bool) {
	m, usual := j.label(mountKey), "all"
	if built {
		usual = "none"
	}
	switch m {
	case "":
		severity := report.Note
		if !built {
			severity = report.Warning
		}
		j.note("no-mount", severity, "it has no label %s, which the API reads as none; the stored job says nothing, which is %s for its image", mountKey, usual)
	case usual:
	default:
		spec["mount"] = m
	}
}

// readImage splits a reference the way the jobs API does. Built says that it
// is the tool's own image of the build service.
func readImage(ref string) (image objects.Object, built bool) {
	if ref == "" {
		return nil, false
	}
	path, tag, digest := stack.SplitImage(ref)
	host := ""
	if first, tail, ok := strings.Cut(path, "/"); ok && strings.Contains(first, ".") {
		host, path = first, tail
	}
	built = strings.HasPrefix(path, "tool-") && strings.Contains(path, "/")
	image = objects.Object{"path": path, "host": host, "type": "standard", "short_name": shortName(path, tag, digest)}
	if built {
		image["type"] = "buildservice"
	}
	if tag != "" && tag != "latest" {
		image["tag"] = tag
	}
	if digest != "" {
		image["digest"] = digest
	}
	return image, built
}

var prebuilt = lazyregexp.New(`^toolforge-(.+?)(-sssd)?-(base|web)$`)

// dotted are the languages whose images leave the dot out of the version;
// node20 and jdk17 have none.
var dotted = lazyregexp.New(`^(golang|lua|mono|perl|php|python|ruby|tcl)(\d)(\d+)$`)

// shortName is the name by which the API shows an image. A prebuilt one has the
// name that a user gave for it; the API knows these with the tag latest, and
// without digests. Any other image is called as it was referred to, but for
// its host (jobs-api, tjf/core/images.py, Image.from_short_name_or_url).
func shortName(path, tag, digest string) string {
	if m := prebuilt.FindStringSubmatch(path); m != nil && digest == "" && (tag == "" || tag == "latest") {
		return dotted.ReplaceAllString(m[1], "$1$2.$3")
	}
	if tag != "" {
		path += ":" + tag
	}
	if digest != "" {
		path += "@" + digest
	}
	return path
}

const (
	toOut = "exec 1>>"
	toErr = "exec 2>>"
)

// command takes the user's command out of the shell that the API wraps it in.
func (j *job) command(spec objects.Object, built bool) *objects.Refusal {
	words := texts(objects.List(j.container(), "command"))
	args := texts(objects.List(j.container(), "args"))
	if len(words) == 0 {
		return &objects.Refusal{Reason: "no-command", Message: "its container has no command"}
	}
	last := words[len(words)-1]
	filelog := j.label(filelogKey) == "yes"
	version := cmp.Or(j.label(jobVersion), "1")
	modern := cmp.Or(j.label(formatKey), map[bool]string{true: "no", false: "yes"}[version == "1"]) == "yes"
	cmd := last
	switch {
	case !modern:
		i := strings.LastIndex(last, " 1>")
		if i < 0 {
			return &objects.Refusal{Reason: "bad-command", Message: "its command has no redirection, as those of version 1 have"}
		}
		cmd = last[:i]
		if filelog {
			spec["filelog_stdout"], spec["filelog_stderr"] = j.it.Origin.Name+".out", j.it.Origin.Name+".err"
		}
	case filelog || version == "1":
		parts := strings.SplitN(last, ";", 3)
		if len(parts) < 3 || !strings.HasPrefix(parts[0], toOut) || !strings.HasPrefix(parts[1], toErr) {
			return &objects.Refusal{Reason: "bad-command", Message: "its label says that it logs to files, and its command does not"}
		}
		cmd = parts[2]
		if filelog {
			spec["filelog_stdout"], spec["filelog_stderr"] = parts[0][len(toOut):], parts[1][len(toErr):]
		}
	case !wrapped(words):
		cmd = report.Shell(append(words, args...)...)
	}
	if built {
		cmd = strings.TrimPrefix(cmd, "launcher ")
	}
	if strings.TrimSpace(cmd) == "" {
		return &objects.Refusal{Reason: "no-command", Message: "its command is empty"}
	}
	spec["cmd"] = cmd
	spec["filelog"] = filelog
	return nil
}

func wrapped(words []string) bool {
	return len(words) == 4 && words[0] == "/bin/sh" && words[1] == "-c" && words[2] == "--"
}

func texts(list []any) []string {
	var out []string
	for _, v := range list {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// canonical spells a quantity in its canonical form; what is none stays.
func canonical(v any) any {
	q, err := resource.ParseQuantity(fmt.Sprint(v))
	if err != nil {
		return v
	}
	return q.String()
}

func (j *job) resources(spec objects.Object) *objects.Refusal {
	get := func(part, name, otherwise string) (string, *objects.Refusal) {
		v := objects.At(j.container(), "resources", part, name)
		if v == nil {
			return otherwise, nil
		}
		q, err := resource.ParseQuantity(fmt.Sprint(v))
		if err != nil {
			return "", &objects.Refusal{Reason: "bad-quantity", Message: fmt.Sprintf("resources.%s.%s is %v", part, name, v)}
		}
		return q.String(), nil
	}
	memory, r1 := get("limits", "memory", defaultMemory)
	limit, r2 := get("limits", "cpu", cmp.Or(j.defaultCPU, limitCPU))
	request, r3 := get("requests", "cpu", defaultCPU)
	if r := cmp.Or(r1, r2, r3); r != nil {
		return r
	}
	if memory != defaultMemory {
		spec["memory"] = memory
	}
	standard, _ := canonical(cmp.Or(j.defaultCPU, limitCPU)).(string)
	if limit != standard || request != defaultCPU {
		spec["cpu"] = limit
	}
	return nil
}

func (j *job) continuous(spec objects.Object) {
	if n, ok := objects.Int(j.object, "spec", "replicas"); ok && n != 1 {
		spec["replicas"] = n
	}
	if ports := objects.List(j.container(), "ports"); len(ports) > 0 {
		p, _ := ports[0].(map[string]any)
		if n, ok := objects.Int(p, "containerPort"); ok {
			spec["port"] = n
			if proto := strings.ToLower(objects.Text(p, "protocol")); proto != "" && proto != "tcp" {
				spec["port_protocol"] = proto
			}
		}
		if len(ports) > 1 {
			j.note("ports", report.Warning, "it has %d ports; a job has one: the others are lost", len(ports))
		}
	}
	probe := objects.Map(j.container(), "startupProbe")
	words := texts(objects.List(probe, "exec", "command"))
	switch {
	case len(words) > 1 && words[0] == "launcher":
		spec["health_check"] = objects.Object{"type": "script", "script": report.Shell(words[1:]...)}
	case len(words) == 3 && words[0] == "/bin/sh" && words[1] == "-c":
		spec["health_check"] = objects.Object{"type": "script", "script": words[2]}
	case len(words) > 0:
		spec["health_check"] = objects.Object{"type": "script", "script": report.Shell(words...)}
	case objects.Text(probe, "httpGet", "path") != "":
		spec["health_check"] = objects.Object{"type": "http", "path": objects.Text(probe, "httpGet", "path")}
	}
}

func (j *job) scheduled(spec objects.Object) *objects.Refusal {
	schedule := objects.Text(j.object, "spec", "schedule")
	if schedule == "" {
		return &objects.Refusal{Reason: "no-schedule", Message: "it has no schedule"}
	}
	spec["schedule"] = objects.Object{"text": cmp.Or(objects.Text(j.object, "metadata", "annotations", cronKey), schedule)}
	if fields := strings.Fields(schedule); len(fields) == 5 {
		s := spec["schedule"].(map[string]any)
		for i, name := range []string{"minute", "hour", "day", "month", "day_of_week"} {
			s[name] = fields[i]
		}
	}
	if n, ok := objects.Int(j.object, "spec", "jobTemplate", "spec", "activeDeadlineSeconds"); ok && n != 0 {
		spec["timeout"] = n
	}
	return j.retry(spec, "spec", "jobTemplate", "spec", "backoffLimit")
}

// retry is the number of retries; 0 is the default of the API, 6 that of a
// Job that a user made by hand.
func (j *job) retry(spec objects.Object, path ...string) *objects.Refusal {
	n, ok := objects.Int(j.object, path...)
	switch {
	case !ok || n == 0:
		return nil
	case n < 0 || n > maxRetry:
		return &objects.Refusal{Reason: "bad-retry", Message: "its backoffLimit is " + strconv.FormatInt(n, 10) + "; a job has 0 to 5", Hint: "create the job through the API"}
	}
	spec["retry"] = n
	return nil
}
