// Package kfptest is a server with the shapes of the v2beta1 REST API of
// Kubeflow Pipelines, for tests, with the faults that a client must live with.
// It proves how a client behaves, not how a real server does.
package kfptest

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A Pipeline is what the server has of one pipeline.
type Pipeline struct {
	ID          string            `json:"pipeline_id"`
	Namespace   string            `json:"namespace,omitempty"` // empty = shared
	Name        string            `json:"name"`
	DisplayName string            `json:"display_name"`
	Description string            `json:"description,omitempty"`
	Tags        map[string]string `json:"tags,omitempty"`
	Created     time.Time         `json:"created_at"`
	Versions    []Version         `json:"-"`
}

// A Version is what the server has of one version. A version with an Error is
// answered as its id and the error alone.
type Version struct {
	ID          string            `json:"pipeline_version_id"`
	Name        string            `json:"name,omitempty"`
	DisplayName string            `json:"display_name,omitempty"`
	Description string            `json:"description,omitempty"`
	CodeURL     string            `json:"code_source_url,omitempty"`
	Tags        map[string]string `json:"tags,omitempty"`
	Created     time.Time         `json:"created_at,omitzero"`
	Spec        any               `json:"pipeline_spec,omitempty"` // empty = the object store has it
	Error       *Status           `json:"error,omitempty"`
}

// A Status is why a version cannot be read.
type Status struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Faults are what is wrong with a server.
type Faults struct {
	Token       string // asked for as bearer token; else 401
	Once500     bool   // the second list is answered 500, once
	EscapeToken bool   // page tokens hold + / = and &
	RepeatToken bool   // the second page of pipelines names itself as the next one
	Truncate    bool   // the second list ends in the middle, each time
}

// A Server serves Pipelines. Change nothing after Start.
type Server struct {
	Pipelines []Pipeline
	MultiUser bool
	Faults    Faults

	mu    sync.Mutex
	lists int
}

// Start serves until the test ends and returns the URL.
func (s *Server) Start(t testing.TB) string {
	t.Helper()
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	return web.URL
}

// A failure is an answer in the shape of the gateway.
type failure struct {
	status  int
	message string
}

func (f failure) Error() string { return f.message }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	answer, err := s.answer(r)
	if err != nil {
		f := failure{http.StatusInternalServerError, err.Error()}
		_ = errors.As(err, &f)
		w.WriteHeader(f.status)
		answer = map[string]any{"error": f.message, "code": 13, "message": f.message, "details": []any{}}
	}
	data, err := json.Marshal(answer)
	if err != nil {
		panic(err)
	}
	if list, ok := answer.(page); ok && list.truncated {
		data = data[:len(data)/2]
	}
	_, _ = w.Write(data)
}

func (s *Server) answer(r *http.Request) (any, error) {
	if s.Faults.Token != "" && r.Header.Get("Authorization") != "Bearer "+s.Faults.Token {
		return nil, failure{http.StatusUnauthorized, "Request header error: there is no valid user identity"}
	}
	path, found := strings.CutPrefix(r.URL.Path, "/apis/v2beta1/")
	parts := strings.Split(path, "/")
	switch {
	case !found || r.Method != http.MethodGet:
		return nil, failure{http.StatusNotFound, "Not Found"}
	case path == "healthz":
		return map[string]any{"multi_user": s.MultiUser}, nil
	case path == "pipelines":
		return s.pipelines(r)
	case parts[0] != "pipelines" || len(parts) < 2:
		return nil, failure{http.StatusNotFound, "Not Found"}
	}
	i := slices.IndexFunc(s.Pipelines, func(p Pipeline) bool { return p.ID == parts[1] })
	if i < 0 {
		return nil, failure{http.StatusNotFound, "Pipeline " + parts[1] + " not found."}
	}
	p := s.Pipelines[i]
	switch {
	case len(parts) == 2:
		return p, nil
	case len(parts) == 3 && parts[2] == "versions":
		return cut(s, "pipeline_versions", p.Versions, func(v Version) time.Time { return v.Created }, r, false)
	case len(parts) == 4 && parts[2] == "versions":
		if j := slices.IndexFunc(p.Versions, func(v Version) bool { return v.ID == parts[3] }); j >= 0 {
			return p.Versions[j], nil
		}
	}
	return nil, failure{http.StatusNotFound, "Not Found"}
}

func (s *Server) pipelines(r *http.Request) (any, error) {
	list := s.Pipelines
	if s.MultiUser {
		namespace := r.URL.Query().Get("namespace")
		list = slices.DeleteFunc(slices.Clone(list), func(p Pipeline) bool { return p.Namespace != namespace })
	}
	return cut(s, "pipelines", list, func(p Pipeline) time.Time { return p.Created }, r, s.Faults.RepeatToken)
}

// A page is one page of a list.
type page struct {
	key       string
	items     any
	total     int
	next      string
	truncated bool
}

// MarshalJSON implements json.Marshaler.
func (p page) MarshalJSON() ([]byte, error) {
	m := map[string]any{p.key: p.items, "total_size": p.total}
	if p.next != "" {
		m["next_page_token"] = p.next
	}
	return json.Marshal(m)
}

// page says where one page of a list is: 20 items unless asked otherwise, at most
// 200, oldest first. A token is bound to its list and is the server's own.
func (s *Server) page(key string, total int, r *http.Request, loops bool) (from, to int, p page, err error) {
	s.mu.Lock()
	s.lists++
	count := s.lists
	s.mu.Unlock()
	if s.Faults.Once500 && count == 2 {
		return 0, 0, p, failure{http.StatusInternalServerError, "Internal error, try again"}
	}
	query := r.URL.Query()
	size, _ := strconv.Atoi(cmp.Or(query.Get("page_size"), "20"))
	size = min(max(size, 1), 200)
	if token := query.Get("page_token"); token != "" {
		for from = 0; from <= total && s.token(from) != token; from++ {
		}
		if from > total {
			return 0, 0, p, failure{http.StatusBadRequest, "Invalid page token."}
		}
	}
	to = min(from+size, total)
	p = page{key: key, total: total, truncated: s.Faults.Truncate && count >= 2}
	if to < total {
		p.next = s.token(to)
		if loops && from > 0 {
			p.next = s.token(from)
		}
	}
	return from, to, p, nil
}

func (s *Server) token(offset int) string {
	if s.Faults.EscapeToken {
		return "+/=&? " + strconv.Itoa(offset)
	}
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"o":%d}`, offset))
}

// cut is one page of a list, oldest first.
func cut[T any](s *Server, key string, list []T, created func(T) time.Time, r *http.Request, loops bool) (any, error) {
	from, to, p, err := s.page(key, len(list), r, loops)
	if err != nil {
		return nil, err
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b T) int { return created(a).Compare(created(b)) })
	p.items = list[from:to]
	return p, nil
}
