package pipelines

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/project-codeflare/cfctl/internal/wire"
)

// A Database is the MySQL or MariaDB database of a Kubeflow Pipelines server.
type Database struct {
	db   *sql.DB
	tx   *sql.Tx // once something was asked
	name string  // host/database, for places

	sleep func(context.Context, time.Duration) error
}

// Open prepares the connection of mysql://user@host:port/database?tls=true;
// nothing is sent. The password comes from its own argument and goes into no
// message. Everything is read in one read-only transaction, so that it fits together.
func Open(dsn, password string) (*Database, error) {
	u, err := url.Parse(dsn)
	if err != nil || u.Scheme != "mysql" || u.Host == "" || strings.Trim(u.Path, "/") == "" {
		return nil, errors.New("a database is named as mysql://USER@HOST:PORT/DATABASE")
	}
	if _, inURL := u.User.Password(); inURL {
		return nil, errors.New("a URL with a password in it is not taken; use CFCTL_IMPORT_PASSWORD")
	}
	c := mysql.NewConfig()
	c.Net, c.Addr, c.User, c.Passwd = "tcp", u.Host, u.User.Username(), password
	if u.Port() == "" {
		c.Addr += ":3306"
	}
	c.DBName = strings.Trim(u.Path, "/")
	c.TLSConfig = u.Query().Get("tls")
	c.Timeout, c.ReadTimeout = 10*time.Second, 5*time.Minute
	c.Logger = silent{}
	if err := c.Apply(mysql.Charset("utf8mb4", "")); err != nil {
		return nil, err
	}
	connector, err := mysql.NewConnector(c)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	return &Database{db: db, name: u.Host + "/" + c.DBName, sleep: wire.Sleep}, nil
}

// silent keeps the driver from writing to standard error.
type silent struct{}

func (silent) Print(...any) {}

// Close ends the transaction and the connection.
func (d *Database) Close() error {
	if d.tx != nil {
		_ = d.tx.Rollback() // it only read
	}
	return d.db.Close()
}

// query asks within the one transaction.
func (d *Database) query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if d.tx == nil {
		tx, err := d.begin(ctx)
		if err != nil {
			return nil, d.explain(err)
		}
		d.tx = tx
	}
	rows, err := d.tx.QueryContext(ctx, query, args...)
	return rows, d.explain(err)
}

// begin opens the transaction. A server that is starting, or has no connection
// free, is asked four times in all, with pauses of 1, 2 and 4 s. A transaction
// that broke is not begun anew: what was read would not fit to the rest.
func (d *Database) begin(ctx context.Context) (tx *sql.Tx, err error) {
	p := wire.Patience{Tries: 4, First: time.Second, Sleep: d.sleep}
	err = p.Try(ctx, func() (bool, time.Duration, error) {
		tx, err = d.db.BeginTx(context.WithoutCancel(ctx), &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
		return passes(err), 0, err
	})
	return tx, err
}

// passes says whether trouble with a connection may be over in a moment:
// nothing listens, the connection broke, or 1040 and 1203 (too many
// connections, of all and of this user).
func passes(err error) bool {
	var dial *net.OpError
	if errors.As(err, &dial) || errors.Is(err, driver.ErrBadConn) || errors.Is(err, mysql.ErrInvalidConn) {
		return true
	}
	var said *mysql.MySQLError
	return errors.As(err, &said) && (said.Number == 1040 || said.Number == 1203)
}

// A row is the columns of a row by their name; NULL is absent. Versions of the
// server differ in their columns.
type row map[string]string

// Pipelines implements Store.
func (d *Database) Pipelines(ctx context.Context, each func(*Pipeline) error) error {
	tagsOf, err := d.tags(ctx, "pipeline_tags", "PipelineId")
	if err != nil {
		return err
	}
	versionTags, err := d.tags(ctx, "pipeline_version_tags", "PipelineVersionId")
	if err != nil {
		return err
	}
	var list []*Pipeline
	byID := map[string]*Pipeline{}
	err = d.rows(ctx, "SELECT * FROM pipelines ORDER BY CreatedAtInSec, UUID", func(r row) error {
		p := &Pipeline{
			id: r["UUID"], namespace: r["Namespace"], name: r["Name"], displayName: r["DisplayName"], describes: r["Description"],
			tags: tagsOf[r["UUID"]], path: d.name + "/pipelines/" + r["UUID"],
		}
		list = append(list, p)
		byID[p.id] = p
		return nil
	})
	if err != nil {
		return err
	}
	columns, err := d.columns(ctx, "pipeline_versions")
	if err != nil {
		return err
	}
	columns = slices.DeleteFunc(columns, func(c string) bool { return c == "PipelineSpec" || c == "Parameters" })
	query := "SELECT `" + strings.Join(columns, "`, `") + "` FROM pipeline_versions ORDER BY CreatedAtInSec, UUID"
	err = d.rows(ctx, query, func(r row) error {
		p := byID[r["PipelineId"]]
		if p == nil { // its pipeline was deleted: nothing can show it
			p = &Pipeline{id: orphan + r["PipelineId"], name: r["PipelineId"], path: d.name + "/pipelines/" + r["PipelineId"]}
			byID[r["PipelineId"]] = p
			list = append(list, p)
		}
		p.versions = append(p.versions, &Version{
			id: r["UUID"], name: r["Name"], displayName: r["DisplayName"], describes: r["Description"], codeURL: r["CodeSourceUrl"],
			specURI: r["PipelineSpecURI"], tags: versionTags[r["UUID"]], created: number(r["CreatedAtInSec"]), path: d.name + "/pipeline_versions/" + r["UUID"],
		})
		return nil
	})
	if err != nil {
		return err
	}
	for _, p := range list {
		if err := each(p); err != nil {
			return err
		}
	}
	return nil
}

func number(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// explain names the database in what the driver says.
func (d *Database) explain(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", d.name, err)
}

func (d *Database) columns(ctx context.Context, table string) ([]string, error) {
	rows, err := d.query(ctx, "SELECT * FROM "+table+" LIMIT 0")
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // Err says what happened
	names, err := rows.Columns()
	return names, d.explain(errors.Join(err, rows.Err()))
}

func (d *Database) rows(ctx context.Context, query string, each func(row) error, args ...any) error {
	rows, err := d.query(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // Err says what happened
	names, err := rows.Columns()
	if err != nil {
		return d.explain(err)
	}
	values := make([]sql.NullString, len(names))
	into := make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return d.explain(err)
		}
		r := make(row, len(names))
		for i, name := range names {
			if values[i].Valid {
				r[name] = values[i].String
			}
		}
		if err := each(r); err != nil {
			return err
		}
	}
	return d.explain(rows.Err())
}

// orphan begins the ID of a pipeline whose row is gone.
const orphan = "orphan:"

// noTable is the number of MySQL's error for a table that is not there.
const noTable = 1146

// tags reads a table of tags; an older server has none.
func (d *Database) tags(ctx context.Context, table, key string) (map[string]map[string]string, error) {
	tags := map[string]map[string]string{}
	err := d.rows(ctx, "SELECT * FROM "+table, func(r row) error {
		if tags[r[key]] == nil {
			tags[r[key]] = map[string]string{}
		}
		tags[r[key]][r["TagKey"]] = r["TagValue"]
		return nil
	})
	if answer, ok := errors.AsType[*mysql.MySQLError](err); ok && answer.Number == noTable {
		return tags, nil
	}
	return tags, err
}

// Spec implements Store.
func (d *Database) Spec(ctx context.Context, _ *Pipeline, v *Version) ([]byte, error) {
	text, found := "", false
	err := d.rows(ctx, "SELECT PipelineSpec FROM pipeline_versions WHERE UUID = ?", func(r row) error {
		text, found = r["PipelineSpec"], true
		return nil
	}, v.id)
	if err == nil && !found {
		return nil, refuse("unreadable", "its row is not there any more")
	}
	return []byte(text), err
}
