// Package sqlstate reads the error codes of the database.
package sqlstate

import "errors"

// coded is implemented by the errors of Nakama's database driver, pgconn.PgError. The plugin does not import the driver, because
// it would be compiled for the plugin only to name this type.
type coded interface {
	error
	SQLState() string // five characters
}

// Class returns the first two characters of the SQLSTATE of an error, or an empty text for an error that is not from the database.
func Class(err error) string {
	var database coded
	if !errors.As(err, &database) || len(database.SQLState()) < 2 {
		return ""
	}
	return database.SQLState()[:2]
}
