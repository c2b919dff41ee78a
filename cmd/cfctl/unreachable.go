package main

import (
	"errors"
	"net"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// unresolved is what git says about a host that it cannot reach.
var unresolved = lazyregexp.New(`Could not resolve host(?:name)?:? '?([A-Za-z0-9.-]+)|Failed to connect to ([A-Za-z0-9.-]+) port|connect to host ([A-Za-z0-9.-]+) port`)

// unreachable is the host that no connection could be made to, "" for another error, and
// the text of the error: of a connection it has the cause in plain words, and not the
// address and the lookup.
func unreachable(err error) (host, text string) {
	if failed, ok := errors.AsType[*git.CommandError](err); ok {
		if m := unresolved.FindStringSubmatch(failed.Stderr); m != nil {
			return strings.Join(m[1:], ""), err.Error()
		}
	}
	var raw error
	cause := "no connection"
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" && op.Addr != nil {
		raw, host = op, op.Addr.String()
		switch {
		case op.Timeout():
			cause = "it does not answer"
		case strings.Contains(op.Err.Error(), "refused"):
			cause = "it refuses the connection"
		}
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		if host = dns.Name; raw == nil {
			raw = dns
		}
		if cause = "its name could not be looked up"; dns.IsNotFound {
			cause = "there is no such host"
		}
	}
	if raw == nil {
		return "", err.Error()
	}
	if asked, ok := errors.AsType[*url.Error](err); ok {
		raw = asked
		if u, perr := url.Parse(asked.URL); perr == nil && u.Host != "" {
			host = u.Host
		}
	}
	return host, strings.Replace(err.Error(), raw.Error(), host+" cannot be reached: "+cause, 1)
}

// offlineOf says how a command goes on without a network, where it can.
func offlineOf(cmd *cobra.Command) string {
	if cmd.Flags().Lookup("offline") == nil {
		return ""
	}
	return ", or run without it:  " + cmd.CommandPath() + " --offline"
}
