package judge

import (
	"regexp"
	"sync"
)

// pattern returns a function that compiles a regular expression when it is first called. So a program that judges nothing
// does not compile those of all methods when it starts.
func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
