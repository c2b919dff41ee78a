package campaign

import (
	"strings"
)

// The texts of the manifests. A word in braces means a value: a flow mapping of YAML has more than one word in its own.
const (
	// workText is the spec of a Job of work, once and again.
	workText = `completionMode: Indexed
completions: {shards}
parallelism: {parallelism}
backoffLimitPerIndex: 3
maxFailedIndexes: {shards} # one shard never stops the others
podReplacementPolicy: Failed
podFailurePolicy:
  rules:
  - action: Ignore
    onPodConditions: [{type: DisruptionTarget}]
ttlSecondsAfterFinished: 604800
template:
  spec:
    restartPolicy: Never
    automountServiceAccountToken: false
    securityContext: {runAsNonRoot: true, runAsUser: 65532, runAsGroup: 65532, fsGroup: 65532, seccompProfile: {type: RuntimeDefault}}
    containers:
    - name: work
      image: "{image}"
      args: [campaign, work, --of, "{shards}", --store, "{store}", --campaign, "{id}"]
      env:
      - {name: CFCTL_TOKEN_FILE, value: /run/cfctl/token} # read again at each use
      - {name: HOME, value: /tmp}{servers}
      securityContext: {allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}}
      resources: {requests: {cpu: 500m, memory: 512Mi, ephemeral-storage: 4Gi}, limits: {memory: 2Gi, ephemeral-storage: 8Gi}}
      volumeMounts: [{name: token, mountPath: /run/cfctl, readOnly: true}, {name: tmp, mountPath: /tmp}]
    volumes: [{name: token, secret: {secretName: "{readSecret}"}}, {name: tmp, emptyDir: {sizeLimit: 8Gi}}]`

	// jobText evaluates the plan.
	jobText = `# Secrets {readSecret} and {writeSecret} have a token each, under the key "token". The first can read the
# repositories and push to the store; the second can push and open pull requests.
#
# A Job runs work for this plan now. Another plan, image or number of shards is another Job. That of an earlier plan may be
# deleted.
apiVersion: batch/v1
kind: Job
metadata:
  name: {job}{queue}
spec:
{work}`

	// againText evaluates it again.
	againText = `# Work for repositories that changed since. A pull request with conflicts waits for it.
apiVersion: batch/v1
kind: CronJob
metadata:
  name: {id}-work
spec:
  schedule: "{again}"
  concurrencyPolicy: Forbid
  jobTemplate:{queue}
    spec:
{work}`

	// cronText opens, or follows.
	cronText = `apiVersion: batch/v1
kind: CronJob
metadata:
  name: {id}-{name}
spec:
  schedule: "{schedule}"
  concurrencyPolicy: Forbid
  jobTemplate:
    spec:
      backoffLimit: 0 # the next run resumes
      template:
        spec:
          restartPolicy: Never
          automountServiceAccountToken: false
          securityContext: {runAsNonRoot: true, runAsUser: 65532, runAsGroup: 65532, fsGroup: 65532, seccompProfile: {type: RuntimeDefault}}
          containers:
          - name: {name}
            image: "{image}"
            args: [campaign, {name}, --store, "{store}", --campaign, "{id}"{args}]
            env:
            - {name: CFCTL_TOKEN_FILE, value: /run/cfctl/token}
            - {name: HOME, value: /tmp}{servers}
            securityContext: {allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}}
            resources: {requests: {cpu: 100m, memory: 256Mi}, limits: {memory: 1Gi}}
            volumeMounts: [{name: token, mountPath: /run/cfctl, readOnly: true}, {name: tmp, mountPath: /tmp}]
          volumes: [{name: token, secret: {secretName: "{secret}"}}, {name: tmp, emptyDir: {sizeLimit: 2Gi}}]`

	// serversText and queueText are lines of them, after what is before: a line break and spaces.
	serversText = `{before}- {name: GITHUB_API_URL, value: "{api}"}{before}- {name: GITHUB_SERVER_URL, value: "{git}"}`
	queueText   = `{before}labels: {kueue.x-k8s.io/queue-name: "{queue}"}`
)

// fill puts values into a text, each for the word before it: "image", "cfctl:1".
func fill(text string, values ...string) string {
	var pairs []string
	for i := 0; i < len(values); i += 2 {
		pairs = append(pairs, "{"+values[i]+"}", values[i+1])
	}
	return strings.NewReplacer(pairs...).Replace(text)
}
