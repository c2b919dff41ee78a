package pipelines

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/objects"
	"github.com/project-codeflare/cfctl/internal/report"
)

// A place is a table whose rows name pipelines and versions by their ids.
type place struct {
	table    string
	columns  []string // that hold an id, or a full name with ids in it
	copied   string   // column whose text repeats the id; empty = none
	metadata bool     // a table of ML metadata, which has a database of its own
}

// places are all such tables. The pipelines' own are not among them: they are
// what is imported. ML metadata name a pipeline by the name in its spec, which
// does not change; an id is there where a step was handed one.
// Sources: kubeflow/pipelines, backend/src/apiserver/model (run.go, job.go,
// pipeline_spec.go, resource_reference.go), of which v1 has no
// PipelineVersionId and v2 writes no more resource references;
// backend/src/v2/metadata; google/ml-metadata, its schema for MySQL.
var places = []place{
	{table: "run_details", columns: pipelineColumns},
	{table: jobsTable, columns: pipelineColumns},
	{table: "resource_references", columns: []string{"ReferenceUUID"}, copied: "Payload"},
	{table: "Context", columns: []string{"name"}, metadata: true},
	{table: "ContextProperty", columns: valueColumn, metadata: true},
	{table: "ExecutionProperty", columns: valueColumn, metadata: true},
	{table: "ArtifactProperty", columns: valueColumn, metadata: true},
}

// jobsTable has the recurring runs, which have patches of their own.
const jobsTable = "jobs"

// nameColumn has a name, or a full name: pipelines/ID.
const nameColumn = "PipelineName"

var (
	pipelineColumns = []string{"PipelineId", "PipelineVersionId", nameColumn}
	valueColumn     = []string{"string_value"}
)

// inDatabases is the condition for tables of the own database and of those of
// ML metadata, which alone have a table MLMDEnv.
const inDatabases = "TABLE_SCHEMA = DATABASE() OR TABLE_SCHEMA IN (SELECT TABLE_SCHEMA FROM information_schema.TABLES WHERE TABLE_NAME = 'MLMDEnv')"

// placesOf are the places that a server shows, under their full names and with
// the columns that they have; metadata says whether ML metadata are among them.
func (d *Database) placesOf(ctx context.Context) (list []place, metadata bool, err error) {
	const columns = "SELECT IF(TABLE_SCHEMA = DATABASE(), '', TABLE_SCHEMA) AS d, TABLE_NAME AS t, COLUMN_NAME AS c FROM information_schema.COLUMNS"
	err = d.rows(ctx, columns+" WHERE "+inDatabases+" ORDER BY d, t, ORDINAL_POSITION", func(r row) error {
		for _, p := range places {
			known := slices.Contains(p.columns, r["c"]) || p.copied == r["c"]
			if !known || !strings.EqualFold(p.table, r["t"]) || r["d"] != "" && !p.metadata {
				continue
			}
			name := r["t"]
			if r["d"] != "" {
				name = identifier(r["d"]) + "." + name
			}
			if len(list) == 0 || list[len(list)-1].table != name {
				list = append(list, place{table: name, metadata: p.metadata})
			}
			at := &list[len(list)-1]
			if p.copied == r["c"] {
				at.copied = r["c"]
			} else {
				at.columns = append(at.columns, r["c"])
			}
			metadata = metadata || p.metadata
		}
		return nil
	})
	list = slices.DeleteFunc(list, func(p place) bool { return len(p.columns) == 0 })
	return list, metadata, err
}

// identifier spells the name of a database in SQL.
func identifier(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// idsAtOnce is how many ids one statement names: a server takes no statement of any length.
const idsAtOnce = 1000

// mentions hands out the rows of a place that may name one of the ids, in groups
// of those that do it in the same way: their columns, and as n how many. A row of several
// columns is in one group, whichever of the ids it names.
func (d *Database) mentions(ctx context.Context, p place, ids []string, each func(row) error) error {
	columns := strings.Join(p.columns, ", ")
	ask := func(where string) error {
		return d.rows(ctx, "SELECT "+columns+", COUNT(*) AS n FROM "+p.table+where+" GROUP BY "+columns, each)
	}
	if len(p.columns) > 1 {
		return ask("")
	}
	for some := range slices.Chunk(ids, idsAtOnce) {
		quoted := lists.Of(some, literal)
		if err := ask(" WHERE " + columns + " IN (" + strings.Join(quoted, ", ") + ")"); err != nil {
			return err
		}
	}
	return nil
}

// References counts the rows that name each pipeline, or a version of it, by id.
func (k *Kind) References(ctx context.Context) (list []objects.Reference, notes []report.Finding, err error) {
	uncounted := func(message, hint string) {
		notes = append(notes, report.Finding{Rule: "not-counted", Severity: report.Note, Message: message, Hint: hint})
	}
	d, ok := k.Store.(*Database)
	if _, rest := k.Store.(*REST); rest {
		uncounted("runs and ML metadata that name a pipeline by its id are not counted: the REST API cannot select runs by pipeline", "name the database of the server: --from mysql://USER@HOST:PORT/DATABASE")
	}
	if !ok || len(k.owners) == 0 {
		return nil, notes, nil
	}
	found, metadata, err := d.placesOf(ctx)
	if err != nil {
		return nil, notes, err
	}
	if !metadata {
		uncounted("ML metadata that name a pipeline by its id are not counted: "+d.name+" shows no database of them", "use an account that may read the database of ML metadata")
	}
	counts := map[*Pipeline]map[string]int64{}
	ids := slices.Sorted(maps.Keys(k.owners))
	for _, p := range found {
		err := d.mentions(ctx, p, ids, func(r row) error {
			for pl := range k.named(p, r) {
				if counts[pl] == nil {
					counts[pl] = map[string]int64{}
				}
				counts[pl][strings.ReplaceAll(p.table, "`", "")] += number(r["n"])
			}
			return nil
		})
		if err != nil {
			return nil, notes, err
		}
	}
	for _, id := range ids {
		if pl := k.owners[id]; pl.id == id && counts[pl] != nil {
			list = append(list, objects.Reference{Old: pl.origin(), Rows: counts[pl]})
		}
	}
	return list, notes, nil
}

// named are the pipelines that the columns of a row name.
func (k *Kind) named(p place, r row) map[*Pipeline]bool {
	set := map[*Pipeline]bool{}
	for _, c := range p.columns {
		ids := []string{r[c]}
		if c == nameColumn {
			ids = strings.Split(r[c], "/")[1:]
		}
		for _, id := range ids {
			if pl := k.owners[id]; pl != nil {
				set[pl] = true
			}
		}
	}
	return set
}

// Rows writes the statements that let the rows of a database name the imported
// pipelines by their new ids, and counts the rows of each table. Those of
// recurring runs are left to their own patches.
func (f *Follower) Rows(ctx context.Context, d *Database) (statements string, counts map[string]int64, err error) {
	found, _, err := d.placesOf(ctx)
	if err != nil || len(f.ids) == 0 {
		return "", nil, err
	}
	counts, changes := map[string]int64{}, map[string]bool{}
	for _, p := range found {
		if p.table == jobsTable {
			continue
		}
		err := d.mentions(ctx, p, slices.Sorted(maps.Keys(f.ids)), func(r row) error {
			changed := false
			for _, c := range p.columns {
				old, now := r[c], f.ids[r[c]].UID
				if c == nameColumn {
					now = f.rename(old)
				}
				if now == "" || now == old {
					continue
				}
				changed = true
				set := c + " = " + literal(now)
				if p.copied != "" {
					set += fmt.Sprintf(", %[1]s = REPLACE(%[1]s, %s, %s)", p.copied, literal(old), literal(now))
				}
				changes[fmt.Sprintf("UPDATE %s SET %s WHERE %s = %s;\n", p.table, set, c, literal(old))] = true
			}
			if changed {
				counts[strings.ReplaceAll(p.table, "`", "")] += number(r["n"])
			}
			return nil
		})
		if err != nil {
			return "", nil, err
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(changes)), ""), counts, nil
}
