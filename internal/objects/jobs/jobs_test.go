package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/objects"
)

// A change edits an object.
type change func(objects.Object)

func set(path string, value any) change {
	return func(o objects.Object) {
		keys := strings.Split(path, "/")
		var at any = o
		for _, k := range keys[:len(keys)-1] {
			if l, ok := at.([]any); ok {
				at = l[0]
				continue
			}
			at = at.(map[string]any)[k]
		}
		if value == nil {
			delete(at.(map[string]any), keys[len(keys)-1])
			return
		}
		at.(map[string]any)[keys[len(keys)-1]] = value
	}
}

const containerAt = "spec/template/spec/containers/0/"

func container() objects.Object {
	return objects.Object{"name": "job", "image": "registry.example.org/toolforge-python311-sssd-base:latest", "command": []any{"/bin/sh", "-c", "--", "date"}}
}

func made(kind, part string, spec objects.Object) objects.Object {
	return objects.Object{
		"kind": kind,
		"metadata": objects.Object{"name": "j", "namespace": "tool-x", "uid": "u", "resourceVersion": "1", "labels": objects.Object{
			managedBy: framework, createdBy: "x", component: part, jobVersion: "2",
		}},
		"spec": spec,
	}
}

func pods() objects.Object {
	return objects.Object{"spec": objects.Object{"containers": []any{container()}}}
}

func deployment() objects.Object {
	return made("Deployment", "deployments", objects.Object{"replicas": int64(1), "template": pods()})
}

func cronjob() objects.Object {
	return made("CronJob", "cronjobs", objects.Object{"schedule": "0 * * * *", "jobTemplate": objects.Object{"spec": objects.Object{"template": pods()}}})
}

func oneOff() objects.Object {
	return made("Job", "jobs", objects.Object{"backoffLimit": int64(0), "template": pods()})
}

// one gives a single object.
type one struct{ objects.Object }

func (s one) Objects(_ context.Context, each func(objects.Record) error) error {
	return each(objects.Record{Object: s.Object, Path: "dump.yaml", Line: 1})
}

// read is the item of an object, or nil when it is passed over.
func read(t *testing.T, o objects.Object, k *Kind) *objects.Item {
	t.Helper()
	var got *objects.Item
	k.Source = one{o}
	err := k.Items(context.Background(), func(it *objects.Item) error {
		got = it
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestNotStored: what someone added by hand and a stored job cannot say is named; what
// the API and the server write by themselves is not.
func TestNotStored(t *testing.T) {
	usual := func(o objects.Object) {
		pod := template(shapes[slices.IndexFunc(shapes, func(s shape) bool { return s.kind == o["kind"] })], o)
		maps.Copy(objects.Map(pod, "spec"), objects.Object{"restartPolicy": "Always", "dnsPolicy": "ClusterFirst", "schedulerName": "default-scheduler", "securityContext": objects.Object{"runAsUser": int64(5)}})
		maps.Copy(objects.List(pod, "spec", "containers")[0].(map[string]any), objects.Object{
			"workingDir": "/data/project/x", "imagePullPolicy": "Always", "terminationMessagePath": "/dev/termination-log", "env": []any{objects.Object{"name": "HOME", "value": "/x"}},
		})
	}
	probe := func(path string, extra int64) objects.Object {
		return objects.Object{"httpGet": objects.Object{"path": path, "port": int64(80)}, "failureThreshold": extra}
	}
	tests := []struct {
		want    string
		object  objects.Object
		changes []change
	}{
		{"", deployment(), []change{set(containerAt+"startupProbe", probe("/", 120)), set(containerAt+"livenessProbe", probe("/", 3)), set("spec/strategy", objects.Object{"type": "RollingUpdate"})}},
		{"", cronjob(), []change{set("spec/suspend", false), set("spec/concurrencyPolicy", "Forbid"), set("spec/jobTemplate/spec/ttlSecondsAfterFinished", int64(30))}},
		{"terminating", deployment(), []change{set("metadata/deletionTimestamp", "2026-01-01T00:00:00Z")}},
		{"paused, initContainers, volumes, readinessProbe, volumeMounts, env A, args", deployment(), []change{
			set("spec/paused", true), set("spec/template/spec/initContainers", []any{objects.Object{"name": "i"}}), set("spec/template/spec/volumes", []any{objects.Object{"name": "v"}}),
			set(containerAt+"env", []any{objects.Object{"name": "HOME", "value": "/x"}, objects.Object{"name": "A"}}), set(containerAt+"args", []any{"x"}),
			set(containerAt+"readinessProbe", objects.Object{"exec": objects.Object{"command": []any{"x"}}}), set(containerAt+"volumeMounts", []any{objects.Object{"name": "v"}}),
		}},
		{"livenessProbe, resources.limits.nvidia.com/gpu", deployment(), []change{set(containerAt+"livenessProbe", probe("/other", 3)), set(containerAt+"resources", objects.Object{"limits": objects.Object{"cpu": "1", "nvidia.com/gpu": "1"}})}},
		{"concurrencyPolicy, suspend, timeZone, parallelism", cronjob(), []change{set("spec/suspend", true), set("spec/timeZone", "Europe/Berlin"), set("spec/concurrencyPolicy", "Allow"), set("spec/jobTemplate/spec/parallelism", int64(3))}},
	}
	for _, test := range tests {
		usual(test.object)
		for _, c := range test.changes {
			c(test.object)
		}
		got := ""
		for _, n := range read(t, test.object, &Kind{}).Notes {
			switch n.Rule {
			case "terminating":
				got = n.Rule
			case "not-stored":
				got = strings.TrimPrefix(n.Message, n.Message[:strings.LastIndex(n.Message, ": ")+2])
			}
		}
		if got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

// TestClasses: what the API did not make is refused with its class.
func TestClasses(t *testing.T) {
	label := func(key string, value any) change {
		return func(o objects.Object) { objects.Map(o, "metadata", "labels")[key] = value }
	}
	tests := []struct {
		name   string
		object objects.Object
		change change
		want   string // reason, kind of the stored job, or "" for passed over
	}{
		{"a deployment", deployment(), nil, "ContinuousJob"},
		{"a cron job", cronjob(), nil, "ScheduledJob"},
		{"a job", oneOff(), nil, "OneOffJob"},
		{"no labels", deployment(), set("metadata/labels", nil), "hand-made"},
		{"another manager", deployment(), label(managedBy, "Helm"), "other-manager"},
		{"another component", deployment(), label(component, "cronjobs"), "other-component"},
		{"a later version", deployment(), label(jobVersion, "3"), "unknown-version"},
		{"a version that is no text", deployment(), label(jobVersion, int64(2)), "unknown-version"},
		{"two containers", deployment(), set("spec/template/spec/containers", []any{container(), container()}), "containers"},
		{"no container", deployment(), set("spec/template/spec/containers", []any{}), "containers"},
		{"a container that is no mapping", deployment(), set("spec/template/spec/containers", []any{"x"}), "no-image"},
		{"not a tool", deployment(), set("metadata/namespace", "default"), "no-tool"},
		{"no name", deployment(), set("metadata/name", nil), "no-identity"},
		{"no image", deployment(), set(containerAt+"image", nil), "no-image"},
		{"no command", deployment(), set(containerAt+"command", nil), "no-command"},
		{"an odd amount", deployment(), set(containerAt+"resources", objects.Object{"limits": objects.Object{"memory": "lots"}}), "bad-quantity"},
		{"an odd mail", deployment(), label(emailsKey, "sometimes"), "bad-label"},
		{"made by kubectl", oneOff(), set("spec/backoffLimit", int64(6)), "bad-retry"},
		{"a schedule is missing", cronjob(), set("spec/schedule", nil), "no-schedule"},
		{"started by a cron job", oneOff(), set("metadata/ownerReferences", []any{objects.Object{"kind": "CronJob", "name": "c"}}), ""},
		{"a pod", deployment(), set("kind", "Pod"), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.change != nil {
				tt.change(tt.object)
			}
			it, got := read(t, tt.object, &Kind{OneOff: true}), ""
			switch {
			case it == nil:
			case it.Refused != nil:
				got = it.Refused.Reason
			default:
				got = objects.RefOf(it.Want).Kind
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	if it := read(t, oneOff(), &Kind{}); it != nil {
		t.Error("a one-off job was not asked for")
	}
}

// TestSpec: labels, annotations and the pod become the fields of the job; what
// equals a default is not stored.
func TestSpec(t *testing.T) {
	label := func(key, value string) change {
		return func(o objects.Object) { objects.Map(o, "metadata", "labels")[key] = value }
	}
	command := func(words ...any) change { return set(containerAt+"command", words) }
	shell := func(text string) change { return command("/bin/sh", "-c", "--", text) }
	tests := []struct {
		name    string
		object  objects.Object
		changes []change
		want    string // JSON of fields, next to those that every job has
	}{
		{"nothing but defaults", deployment(), nil, `{"cmd":"date","filelog":false}`},
		{"explicit defaults", deployment(), []change{set(containerAt+"resources", objects.Object{"limits": objects.Object{"memory": "512Mi", "cpu": "0.5"}, "requests": objects.Object{"cpu": "100m"}}), label(emailsKey, "none"), label(mountKey, "all")}, `{"cmd":"date","filelog":false}`},
		{"more of everything", deployment(), []change{set(containerAt+"resources", objects.Object{"limits": objects.Object{"memory": "1024Mi", "cpu": "2"}}), set("spec/replicas", int64(3)), label(emailsKey, "all"), label(mountKey, "none")},
			`{"cmd":"date","filelog":false,"memory":"1Gi","cpu":"2","replicas":3,"emails":"all","mount":"none"}`},
		{"logs to files", deployment(), []change{label(filelogKey, "yes"), shell("exec 1>>/data/a.out;exec 2>>/data/a.err;date; date")},
			`{"cmd":"date; date","filelog":true,"filelog_stdout":"/data/a.out","filelog_stderr":"/data/a.err"}`},
		{"version 1", deployment(), []change{label(jobVersion, "1"), shell("date 1>/dev/null 2>/dev/null")}, `{"cmd":"date","filelog":false}`},
		{"words without a shell", deployment(), []change{command("python3", "it's me.py"), set(containerAt+"args", []any{"-v"})}, `{"cmd":"python3 'it'\"'\"'s me.py' -v","filelog":false}`},
		{"a port and a probe", deployment(), []change{
			set(containerAt+"ports", []any{objects.Object{"containerPort": int64(80), "protocol": "UDP"}}),
			set(containerAt+"startupProbe", objects.Object{"exec": objects.Object{"command": []any{"/bin/sh", "-c", "true"}}}),
		}, `{"cmd":"date","filelog":false,"port":80,"port_protocol":"udp","health_check":{"type":"script","script":"true"}}`},
		{"retries", oneOff(), []change{set("spec/backoffLimit", int64(5))}, `{"cmd":"date","filelog":false,"retry":5}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, c := range tt.changes {
				c(tt.object)
			}
			it := read(t, tt.object, &Kind{OneOff: true})
			if it.Refused != nil {
				t.Fatal(it.Refused)
			}
			spec := maps.Clone(objects.Map(it.Want, "spec"))
			for _, always := range []string{"job_name", "tool_name", "job_type", "image"} {
				delete(spec, always)
			}
			var want any
			if err := json.Unmarshal([]byte(tt.want), &want); err != nil {
				t.Fatal(err)
			}
			if objects.Digest(spec) != objects.Digest(want) {
				t.Errorf("got %v, want %s", spec, tt.want)
			}
		})
	}
}

func TestImages(t *testing.T) {
	for ref, want := range map[string]string{
		"registry.example.org/toolforge-python311-sssd-base:latest": `{"host":"registry.example.org","path":"toolforge-python311-sssd-base","short_name":"python3.11","type":"standard"}`,
		"toolforge-node20-sssd-web":                                 `{"host":"","path":"toolforge-node20-sssd-web","short_name":"node20","type":"standard"}`,
		"harbor.example.org/tool-x/web:v2@sha256:ab":                `{"digest":"sha256:ab","host":"harbor.example.org","path":"tool-x/web","short_name":"tool-x/web:v2@sha256:ab","tag":"v2","type":"buildservice"}`,
		"harbor.example.org/tool-x/web:latest":                      `{"host":"harbor.example.org","path":"tool-x/web","short_name":"tool-x/web:latest","type":"buildservice"}`,
		"harbor.example.org/tool-x/web@sha256:ab":                   `{"digest":"sha256:ab","host":"harbor.example.org","path":"tool-x/web","short_name":"tool-x/web@sha256:ab","type":"buildservice"}`,
		"registry.example.org/toolforge-python311-sssd-base:v3":     `{"host":"registry.example.org","path":"toolforge-python311-sssd-base","short_name":"toolforge-python311-sssd-base:v3","tag":"v3","type":"standard"}`,
		"registry.example.org/toolforge-php82-sssd-web@sha256:ab":   `{"digest":"sha256:ab","host":"registry.example.org","path":"toolforge-php82-sssd-web","short_name":"toolforge-php82-sssd-web@sha256:ab","type":"standard"}`,
		"registry.example.org/team/other:v1":                        `{"host":"registry.example.org","path":"team/other","short_name":"team/other:v1","tag":"v1","type":"standard"}`,
		"localhost.example:5000/other":                              `{"host":"localhost.example:5000","path":"other","short_name":"other","type":"standard"}`,
	} {
		image, _ := readImage(ref)
		if got, _ := json.Marshal(image); string(got) != want {
			t.Errorf("%s: got %s", ref, got)
		}
	}
}

// many gives several objects.
type many []objects.Object

func (m many) Objects(ctx context.Context, each func(objects.Record) error) error {
	for _, o := range m {
		if err := (one{o}).Objects(ctx, each); err != nil {
			return err
		}
	}
	return nil
}

// TestPassedOver: what is no job of the import is counted, with the reason.
func TestPassedOver(t *testing.T) {
	pod := objects.Object{"apiVersion": "v1", "kind": "Pod"}
	child := oneOff()
	objects.Map(child, "metadata")["ownerReferences"] = []any{objects.Object{"kind": "CronJob"}}
	k := &Kind{Source: many{pod, oneOff(), child, pod, deployment()}}
	emitted := 0
	for range 2 { // a second reading counts anew
		emitted = 0
		err := k.Items(context.Background(), func(*objects.Item) error {
			emitted++
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, f := range k.PassedOver() {
		got = append(got, f.Message)
	}
	want := []string{"Job: 1 passed over: one-off jobs are imported with --one-off", "Job: 1 passed over: started by a CronJob", "Pod: 2 passed over: no kind of a job"}
	if emitted != 1 || !slices.Equal(got, want) {
		t.Errorf("%d emitted, %q", emitted, got)
	}
}

// TestMount: a label that is missing is said, with what the job has then.
func TestMount(t *testing.T) {
	label := func(o objects.Object, value any) objects.Object {
		if value != nil {
			objects.Map(o, "metadata", "labels")[mountKey] = value
		}
		return o
	}
	built := func() objects.Object {
		o := deployment()
		set(containerAt+"image", "harbor.example.org/tool-x/web:latest")(o)
		return o
	}
	for name, tt := range map[string]struct {
		object objects.Object
		mount  any
		said   string
	}{
		"all of a prebuilt image":  {label(deployment(), "all"), nil, ""},
		"none of a prebuilt image": {label(deployment(), "none"), "none", ""},
		"missing, prebuilt":        {deployment(), nil, "all for its image"},
		"all of a built image":     {label(built(), "all"), "all", ""},
		"none of a built image":    {label(built(), "none"), nil, ""},
		"missing, built":           {built(), nil, "none for its image"},
	} {
		it := read(t, tt.object, &Kind{})
		if it.Want == nil {
			t.Fatalf("%s: %s", name, it.Refused.Message)
		}
		said := ""
		for _, n := range it.Notes {
			if n.Rule == "no-mount" {
				said = n.Message
			}
		}
		if got := objects.At(it.Want, "spec", "mount"); got != tt.mount || (said == "") != (tt.said == "") || !strings.HasSuffix(said, tt.said) {
			t.Errorf("%s: mount %v, said %q", name, got, said)
		}
	}
}

// TestCosmetic: what means the same has the same mark, and another raw digest.
func TestCosmetic(t *testing.T) {
	base := read(t, deployment(), &Kind{})
	for name, c := range map[string]struct {
		change
		same bool
	}{
		"an annotation of a tool": {set("metadata/annotations", objects.Object{"deployment.kubernetes.io/revision": "7"}), true},
		"the same amount":         {set(containerAt+"resources", objects.Object{"limits": objects.Object{"memory": "0.5Gi"}}), false},
		"a label":                 {func(o objects.Object) { objects.Map(o, "metadata", "labels")["mine"] = "1" }, false},
		"the status":              {set("status", objects.Object{"replicas": int64(1)}), true},
	} {
		o := deployment()
		c.change(o)
		it := read(t, o, &Kind{})
		if same := objects.Digest(it.Mark) == objects.Digest(base.Mark); same != c.same {
			t.Errorf("%s: the same meaning is %t", name, same)
		}
	}
	a, b := deployment(), deployment()
	set(containerAt+"resources", objects.Object{"limits": objects.Object{"memory": "1Gi"}})(a)
	set(containerAt+"resources", objects.Object{"limits": objects.Object{"memory": "1024Mi"}})(b)
	x, y := read(t, a, &Kind{}), read(t, b, &Kind{})
	if objects.Digest(x.Mark) != objects.Digest(y.Mark) || x.Raw == y.Raw {
		t.Error("1Gi and 1024Mi are one amount in two spellings")
	}
}

// broken puts something else in a random place of a value.
func broken(r *rand.Rand, v any) any {
	if r.IntN(6) == 0 {
		return []any{nil, "x", "", int64(-1), 1.5, true, objects.Object{}, []any{}, []any{nil}, objects.Object{"": nil}}[r.IntN(10)]
	}
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			return nil
		}
		keys := slices.Sorted(maps.Keys(v))
		k := keys[r.IntN(len(keys))]
		v[k] = broken(r, v[k])
	case []any:
		if len(v) > 0 {
			i := r.IntN(len(v))
			v[i] = broken(r, v[i])
		}
	}
	return v
}

// TestNeverPanics: whatever an object holds, it is a job, refused, or passed
// over; and it is so in the engine, too.
func TestNeverPanics(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for i := range 20_000 {
		o := []func() objects.Object{deployment, cronjob, oneOff}[i%3]()
		for range 1 + r.IntN(4) {
			o, _ = broken(r, any(o)).(map[string]any)
		}
		if o != nil {
			neverPanics(t, o)
		}
	}
}

func neverPanics(t *testing.T, o objects.Object) (class string) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			text, _ := json.Marshal(o)
			t.Fatalf("%v: %s", p, text)
		}
	}()
	switch it := read(t, o, &Kind{OneOff: true}); {
	case it == nil:
		return "passed over"
	case it.Refused != nil:
		return "refused: " + it.Refused.Reason
	default:
		return objects.RefOf(it.Want).Kind
	}
}

// TestUpstreamFixtures classifies every object among the test fixtures of
// Toolforge's jobs-api.
func TestUpstreamFixtures(t *testing.T) {
	mirrors := os.Getenv("CFCTL_MIRRORS")
	if mirrors == "" {
		t.Skip("CFCTL_MIRRORS is not set")
	}
	repo := filepath.Join(mirrors, "DamianZaremba+toolforge-jobs-api", "repo")
	git := func(args ...string) []byte {
		out, err := exec.Command("git", append([]string{"-C", repo}, args...)...).Output()
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			t.Fatalf("git %v: %s", args, failed.Stderr)
		}
		return out
	}
	classes, files := map[string]int{}, 0
	for _, path := range strings.Fields(string(git("ls-tree", "-r", "--name-only", "HEAD", "tests/"))) {
		if filepath.Ext(path) != ".json" {
			continue
		}
		files++
		source := &objects.Files{Path: "-", Stdin: strings.NewReader(string(git("show", "HEAD:"+path)))}
		err := source.Objects(context.Background(), func(r objects.Record) error {
			if r.Err == nil {
				classes[neverPanics(t, r.Object)]++
			}
			return r.Err
		})
		if err != nil {
			t.Logf("%s: %v", path, err)
		}
	}
	for class, n := range classes {
		t.Logf("%4d %s", n, class)
	}
	if files == 0 || classes["ContinuousJob"] == 0 || classes["ScheduledJob"] == 0 || classes["OneOffJob"] == 0 {
		t.Error(fmt.Sprint("not every kind of job was met in ", files, " files"))
	}
}

// TestToolIsAFileName: a namespace that is no tool's, or no safe name, is "".
func TestToolIsAFileName(t *testing.T) {
	for namespace, want := range map[string]string{"tool-web": "web", "default": "", "tool-": "", "tool-../x": "", "tool-a/b": "", "tool-A": "", "": ""} {
		if got := (&Kind{}).Tool(namespace); got != want {
			t.Errorf("%q is tool %q", namespace, got)
		}
	}
}

// TestCheckWithoutCluster has nothing to check.
func TestCheckWithoutCluster(t *testing.T) {
	if found, err := (&Kind{}).Check(context.Background()); found != nil || err != nil {
		t.Errorf("got %v, %v", found, err)
	}
}
