// Package e2e holds the tests that drive the whole application in a real
// browser, from signing in to the exported file. It has no code of its own.
package e2e
