package main

// A variable is one of the environment that cfctl reads, beside those of the
// keys of the configuration.
type variable struct{ name, doc string }

// variables are for docs/config.md; a test holds the list to the code.
var variables = []variable{
	{"CFCTL_TRUST_CONFIG", "as `--trust-config`: believe the tree's `.cfctl.yaml` as a flag ([security.md](security.md))"},
	{"CFCTL_IMPORT_PASSWORD", "password of the database of `cfctl import pipelines`"},
	{"CFCTL_IMPORT_TOKEN", "token of the API of `cfctl import pipelines`"},
	{"CFCTL_SLACK_WEBHOOK", "webhook that a release is announced to"},
	{"CFCTL_SMTP_USER", "user of the mail server that a release is announced with"},
	{"CFCTL_SMTP_PASSWORD", "its password"},
	{"CFCTL_JOURNAL_KEY", "secret that the journal of a release is sealed with, for CI jobs that hand it on"},
	{"GITHUB_TOKEN", "token for github.com; without it and `GH_TOKEN`, that of `gh auth token` ([security.md](security.md))"},
	{"GH_TOKEN", "token for github.com, when there is no `GITHUB_TOKEN`"},
	{"GH_ENTERPRISE_TOKEN", "token for `GH_HOST`"},
	{"GITHUB_ENTERPRISE_TOKEN", "the same, when there is no `GH_ENTERPRISE_TOKEN`"},
	{"GH_HOST", "a forge of one's own"},
	{"GITEA_SERVER_URL", "the Gitea or Forgejo that `GITEA_TOKEN` is for, `https://HOST`"},
	{"GITEA_TOKEN", "token for the server of `GITEA_SERVER_URL`"},
	{"GITHUB_API_URL", "forge of a CI job: its API may get the token"},
	{"GITHUB_SERVER_URL", "forge of a CI job: git there may get the token"},
	{"CFCTL_READ_TOKEN_FILE", "file with a second token of a campaign, for all but what opens pull requests"},
	{"CFCTL_TOKEN_FILE", "file with the token of a campaign, read again at each use; for the hosts of `GITHUB_TOKEN`"},
	{"SLURM_ARRAY_TASK_MIN", "first task of an array of Slurm: which shard of a campaign a worker has"},
	{"GITHUB_ACTOR", "who runs cfctl, for the journal of a release; else `USER`"},
	{"USER", "who runs cfctl, for the journal of a release"},
	{"GITHUB_STEP_SUMMARY", "file that gets the summary of a job, with `-o github` and of releases"},
	{"NO_COLOR", "not empty: no colours (no-color.org)"},
	{"FORCE_COLOR", "not empty and not 0: colours though it is no terminal"},
	{"TERM", "`dumb`: neither colours nor a live line"},
	{"CI", "not empty: no live line; a release's journal is on a ref, and waiting is no failure ([release.md](release.md#in-a-ci-job))"},
	{"GITHUB_ACTIONS", "the same of a release, as `CI`"},
	{"GITLAB_CI", "the same"},
	{"JENKINS_URL", "the same"},
	{"PROW_JOB_ID", "the same"},
	{"TF_BUILD", "the same"},
	{"SOURCE_DATE_EPOCH", "seconds: the date in what is made, so that it can be made again"},
	{"KUBECONFIG", "of `cfctl import`, without `--kubeconfig`"},
	{"GOMEMLIMIT", "memory above which garbage is collected at once; `cfctl import` and `cfctl campaign` have 100 MiB by themselves"},
	{"XDG_CONFIG_HOME", "`cfctl/config.yaml` in it is a person's own configuration: whom they trust"},
	{"XDG_CACHE_HOME", "`cfctl/` in it holds clones of components"},
	{"XDG_STATE_HOME", "`cfctl/` in it holds what `cfctl migrate undo` needs, outside of git"},
}
