package campaign

import (
	"fmt"
	"strconv"
)

// arrays are the engines that start one worker for each shard, by the variables
// that say which it is and how many there are.
var arrays = []struct {
	engine, index, total string
	first                int // of the index
}{
	{"Kubernetes Indexed Job", "JOB_COMPLETION_INDEX", "", 0},
	{"Buildkite", "BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT", 0},
	{"GitLab", "CI_NODE_INDEX", "CI_NODE_TOTAL", 1},
	{"AWS Batch", "AWS_BATCH_JOB_ARRAY_INDEX", "AWS_BATCH_JOB_ARRAY_SIZE", 0},
	{"Slurm", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", 0},
}

// ShardOf is which shard a worker has, and of how many, by the environment of
// the engine that started it. of is what the worker was told, 0 for nothing; an
// engine that says another number is an error. Without an engine it is the one
// shard that there is.
func ShardOf(env map[string]string, of int) (index, total int, err error) {
	for _, a := range arrays {
		text := env[a.index]
		if text == "" {
			continue
		}
		if index, err = strconv.Atoi(text); err != nil {
			return 0, 0, fmt.Errorf("%s: %q is not a number", a.index, text)
		}
		first := a.first
		if low := env["SLURM_ARRAY_TASK_MIN"]; a.engine == "Slurm" && low != "" {
			if first, err = strconv.Atoi(low); err != nil {
				return 0, 0, fmt.Errorf("SLURM_ARRAY_TASK_MIN: %q is not a number", low)
			}
		}
		total = of
		if said := env[a.total]; a.total != "" && said != "" {
			n, err := strconv.Atoi(said)
			if err != nil {
				return 0, 0, fmt.Errorf("%s: %q is not a number", a.total, said)
			}
			if of != 0 && of != n {
				return 0, 0, fmt.Errorf("%s is %d, but the worker was started with %d shards", a.total, n, of)
			}
			total = n
		}
		if total == 0 {
			return 0, 0, fmt.Errorf("%s says shard %d, and nothing says of how many", a.index, index-first)
		}
		return index - first, total, nil
	}
	if of > 1 {
		return 0, 0, fmt.Errorf("nothing says which of %d shards this is", of)
	}
	return 0, 1, nil
}
