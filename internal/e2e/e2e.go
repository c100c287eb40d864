// Package e2e holds the tests that drive the whole application in a real browser, from signing in to the
// exported file. Its code drives a headless Chromium, for these tests and for the pictures in the
// documentation. The product does not use it.
package e2e
