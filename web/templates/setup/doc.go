// Package setup has the pages by which leads set up a campaign and move its data: the form of a new campaign, settings,
// members, copying and deleting, judges, import, export and the audit log.
package setup
