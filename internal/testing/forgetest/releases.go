package forgetest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// A Release is a release.
type Release struct {
	Repo      string     `json:"-"` // OWNER/NAME
	ID        int64      `json:"id"`
	Tag       string     `json:"tag_name"`
	Target    string     `json:"target_commitish"`
	Name      string     `json:"name"`
	Body      string     `json:"body"`
	Draft     bool       `json:"draft"`
	Pre       bool       `json:"prerelease"`
	Latest    string     `json:"make_latest,omitempty"`
	URL       string     `json:"html_url"`
	Published *time.Time `json:"published_at"`
}

func (s *Server) routeReleases() {
	const releases = "/repos/{o}/{r}/releases"
	s.route("GET "+releases, s.listReleases)
	s.route("GET "+releases+"/latest", s.latestRelease)
	s.route("POST "+releases, s.createRelease)
	s.route("PATCH "+releases+"/{id}", s.editRelease)
	s.route("DELETE "+releases+"/{id}", s.deleteRelease)
}

func of(r *http.Request) string { return r.PathValue("o") + "/" + r.PathValue("r") }

func (s *Server) listReleases(r *http.Request) (int, any) {
	list := []any{}
	for _, x := range s.Releases[:len(s.Releases)-s.hidden(len(s.Releases))] {
		if x.Repo == of(r) {
			list = append(list, x)
		}
	}
	return 200, list
}

func (s *Server) createRelease(r *http.Request) (int, any) {
	x := &Release{Repo: of(r), ID: int64(len(s.Releases) + 1)}
	if err := json.NewDecoder(r.Body).Decode(x); err != nil {
		return 400, map[string]any{"message": "Problems parsing JSON"}
	}
	if !s.makes() {
		return limited()
	}
	x.URL = "https://forge.invalid/" + x.Repo + "/releases/tag/" + x.Tag
	s.Releases, s.Unseen = append(s.Releases, x), s.Late
	return 201, x
}

func (s *Server) release(r *http.Request) *Release {
	for _, x := range s.Releases {
		if strconv.FormatInt(x.ID, 10) == r.PathValue("id") {
			return x
		}
	}
	return nil
}

func (s *Server) editRelease(r *http.Request) (int, any) {
	x := s.release(r)
	if x == nil {
		return missing()
	}
	draft := x.Draft
	if err := json.NewDecoder(r.Body).Decode(x); err != nil {
		return 400, map[string]any{"message": "Problems parsing JSON"}
	}
	switch {
	case !x.Draft && !x.Pre && x.Latest != "false":
		s.Latest[x.Repo] = x.ID
	case s.Latest[x.Repo] == x.ID:
		delete(s.Latest, x.Repo)
	}
	if draft && !x.Draft {
		at := s.Now()
		x.Published = &at
	}
	return 200, x
}

// latestRelease tells the latest as GitHub does: the one that was made it last,
// else the newest one that was not said to be none.
func (s *Server) latestRelease(r *http.Request) (int, any) {
	for _, x := range slices.Backward(s.Releases) {
		id := s.Latest[of(r)]
		if x.Repo == of(r) && !x.Draft && !x.Pre && (id == x.ID || id == 0 && x.Latest != "false") {
			return 200, x
		}
	}
	return missing()
}

func (s *Server) deleteRelease(r *http.Request) (int, any) {
	s.Releases = slices.DeleteFunc(s.Releases, func(x *Release) bool { return strconv.FormatInt(x.ID, 10) == r.PathValue("id") })
	return http.StatusNoContent, nil
}
