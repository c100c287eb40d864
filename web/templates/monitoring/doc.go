// Package monitoring has the pages by which leads and researchers follow campaigns: the list of campaigns, overview,
// agreement, annotators, checks, plan and report.
package monitoring
