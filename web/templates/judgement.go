package templates

// errorKind joins the severity, the category and the subcategory of an error with commas. It leaves out
// those that are empty.
func errorKind(severity, category, subcategory string) string {
	kind := severity
	for _, more := range []string{category, subcategory} {
		switch {
		case more == "":
		case kind == "":
			kind = more
		default:
			kind += ", " + more
		}
	}
	return kind
}
