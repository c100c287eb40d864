package judge

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// readScore100 reads a score from 0 to 100. Marks, fences, quotation marks and brackets around the reply
// do not count. A number is the score if it is the whole reply, the value of "score" in a JSON object,
// what follows the last colon, or is followed by %, /100, "points" or 点. Digits may be of any script. A
// sign, another denominator, a decimal comma or several such numbers make the reply unreadable.
func readScore100(r Reply) (float64, error) {
	var scores []string
	rest, objects := r.Text, 0
	for _, j := range slices.Backward(allJSON(r.Text)) {
		o, ok := asObject(j.value)
		if !ok {
			continue
		}
		objects++
		rest = rest[:j.start] + "\n" + rest[j.end:]
		if score := o.text("score"); score != "" {
			scores = append(scores, score)
		}
	}
	switch {
	case objects == 0:
		return readNumber100(r.Text)
	case len(scores) == 0:
		return 0, errors.New(`the JSON object has no "score" that is a number`)
	case len(scores) > 1:
		return 0, errors.New("several JSON objects have a score")
	}
	if other, err := readNumber100(rest); err == nil {
		return 0, fmt.Errorf("the JSON object has the score %s, but the text beside it has %v", scores[0], other)
	}
	return readNumber100(scores[0])
}

var (
	// amount is a number with what makes it a score, or makes it unreadable: 1 is what stands before
	// it, 2 the number, 3 the denominator, 4 another ending.
	amount = pattern(`(?i)(^|[^0-9.,/])([0-9]+(?:[.,][0-9]+)*)(?:\s*/\s*([0-9]+(?:[.,][0-9]+)*)|\s*(%|points\b|点))?`)
	plain  = pattern(`^[0-9]+(\.[0-9]+)?$`)
	// alone is a whole text that is a number with its ending.
	alone = pattern(`(?i)^([0-9]+(?:\.[0-9]+)?)\s*(?:/\s*100|%|points|点)?\s*[.。]?$`)
)

func readNumber100(text string) (float64, error) {
	s := ascii(bare(text))
	var candidates []string
	if m := alone().FindStringSubmatch(s); m != nil {
		candidates, s = []string{m[1]}, ""
	} else if i := strings.LastIndex(s, ":"); i >= 0 {
		if m := alone().FindStringSubmatch(bare(s[i+1:])); m != nil {
			candidates, s = []string{m[1]}, s[:i]
		}
	}
	for _, m := range amount().FindAllStringSubmatch(s, -1) {
		before, number, denominator, ending := m[1], m[2], m[3], m[4]
		switch {
		case denominator != "" && denominator != "100":
			return 0, fmt.Errorf("%s/%s is not out of 100", number, denominator)
		case denominator == "" && ending == "":
			continue
		case before == "-" || before == "+" || !plain().MatchString(number):
			return 0, fmt.Errorf("%q is no plain number", strings.TrimSpace(m[0]))
		}
		candidates = append(candidates, number)
	}
	switch {
	case len(candidates) == 0:
		return 0, fmt.Errorf("no score from 0 to 100 stands alone in %s", excerpt(text))
	case len(candidates) > 1:
		return 0, fmt.Errorf("%s are several scores", strings.Join(candidates, ", "))
	}
	score, err := strconv.ParseFloat(candidates[0], 64)
	if err != nil || score > 100 {
		return 0, fmt.Errorf("%s is not from 0 to 100", candidates[0])
	}
	return score, nil
}

// excerpt quotes the beginning of a reply for an error.
func excerpt(s string) string {
	const most = 60
	if r := []rune(strings.TrimSpace(s)); len(r) > most {
		return strconv.Quote(string(r[:most]) + "…")
	}
	return strconv.Quote(strings.TrimSpace(s))
}
