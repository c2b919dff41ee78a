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

// unreachable is the host that no connection could be made to; "" = the error is
// another one.
func unreachable(err error) string {
	if failed, ok := errors.AsType[*git.CommandError](err); ok {
		if m := unresolved.FindStringSubmatch(failed.Stderr); m != nil {
			return strings.Join(m[1:], "")
		}
	}
	var op *net.OpError
	var dns *net.DNSError
	if !errors.As(err, &dns) && !(errors.As(err, &op) && op.Op == "dial") {
		return ""
	}
	if asked, ok := errors.AsType[*url.Error](err); ok {
		if u, perr := url.Parse(asked.URL); perr == nil && u.Host != "" {
			return u.Host
		}
	}
	if dns != nil {
		return dns.Name
	}
	return op.Addr.String()
}

// plainCause is the text of an error. For a connection that could not be made it
// has the cause in plain words, and not the address and the lookup.
func plainCause(err error) string {
	var asked *url.Error
	var dns *net.DNSError
	var op *net.OpError
	host := unreachable(err)
	raw := ""
	switch {
	case host == "":
	case errors.As(err, &asked):
		raw = asked.Error()
	case errors.As(err, &op):
		raw = op.Error()
	case errors.As(err, &dns):
		raw = dns.Error()
	}
	if raw == "" {
		return err.Error()
	}
	cause := "no connection"
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		cause = "there is no such host"
	case errors.As(err, &dns):
		cause = "its name could not be looked up"
	case errors.As(err, &op) && op.Timeout():
		cause = "it does not answer"
	case errors.As(err, &op) && strings.Contains(op.Err.Error(), "refused"):
		cause = "it refuses the connection"
	}
	return strings.Replace(err.Error(), raw, host+" cannot be reached: "+cause, 1)
}

// offlineOf says how a command goes on without a network, where it can.
func offlineOf(cmd *cobra.Command) string {
	if cmd.Flags().Lookup("offline") == nil {
		return ""
	}
	return ", or run without it:  " + cmd.CommandPath() + " --offline"
}
