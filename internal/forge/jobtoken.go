package forge

import "context"

// A JobTokenReader is a forge that runs jobs with tokens of their own.
type JobTokenReader interface {
	// JobToken says whether the token is the one that a job was given by
	// itself; it is asked where there is no Account of a user. One that
	// cannot be determined is not.
	JobToken(ctx context.Context) (bool, error)
}
