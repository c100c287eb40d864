//go:build !race

package testenv

// Race reports whether the race detector watches. Tests that take long in its presence do
// less then, and figures about memory mean nothing.
const Race = false
