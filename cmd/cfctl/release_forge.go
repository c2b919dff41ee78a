package main

import (
	"context"
	"errors"

	"github.com/project-codeflare/cfctl/internal/config"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/release"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// recipe is the release section of the configuration, or the built-in one for
// the built-in stack.
func (v *view) recipe() (*release.Recipe, error) {
	if v.declared != nil && v.declared.Release != nil {
		r := &v.declared.Release.Recipe
		tr, err := v.term.trusted()
		if err == nil {
			err = tr.Check(v.file, v.declared, "release")
		}
		if err != nil {
			return nil, err
		}
		v.given(r)
		return r, r.Complete(config.Name, v.stack)
	}
	if v.custom {
		return nil, hinted{errorf("%s has a section stack and no section release", config.Name), "write the section release: " + docsURL("release")}
	}
	r := release.DefaultRecipe()
	r.Forge = release.Servers{}
	v.given(r)
	return r, r.Forge.Complete(config.Name)
}

// atForge has the repositories of the stack, OWNER/NAME, looked up on the forge that
// is configured (release.forge), with the credential for it.
func (v *view) atForge(ctx context.Context) error {
	r := &release.Recipe{}
	if v.declared != nil && v.declared.Release != nil {
		r.Forge = v.declared.Release.Forge
		tr, err := v.term.trusted()
		if err == nil {
			err = errors.Join(tr.Refuse(v.file, "release.forge.api", r.Forge.API), tr.Refuse(v.file, "release.forge.git", r.Forge.Git))
		}
		if err != nil {
			return err
		}
	}
	v.given(r)
	if err := r.Forge.Complete(config.Name); err != nil {
		return err
	}
	v.stack.SetForge(r.Forge.Git)
	if v.stack.RepositoryURL("owner/name") == stack.RepositoryURL("owner/name") {
		return nil // on GitHub, as git itself is set up for it
	}
	token, err := v.term.token(ctx, r.Forge)
	if err != nil {
		return err
	}
	return git.Authorize(r.Forge.Git, func() string { return token })
}

// given takes the servers that the environment names.
func (v *view) given(r *release.Recipe) {
	for name, value := range map[string]*string{
		"CFCTL_RELEASE_FORGE_KIND": &r.Forge.Kind, "CFCTL_RELEASE_FORGE_API": &r.Forge.API, "CFCTL_RELEASE_FORGE_GIT": &r.Forge.Git, "CFCTL_RELEASE_ANNOUNCE_SMTP": &r.Announce.SMTP,
	} {
		if given := v.term.env[name]; given != "" {
			*value = given
		}
	}
}
