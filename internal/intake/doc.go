// Package intake imports files into a campaign, lists the imports, and undoes them. It decides which rows
// fit, and names every problem with its file and line.
//
// The rows of an import stay out of sight until all of them are stored. A campaign has one import under way at
// most. A [stagedImport] is in one of these states:
//
//	state      staged_imports has its row       what readers see
//	staged     with a beat that rises           nothing of the import
//	dead       with a beat that stands still    nothing; the next program that looks ends it
//	dropped    marked as dropped                nothing; its rows are deleted in steps
//	completed  again                            all of it, while its ratings begin to count in steps
//	published  no longer                        all of it
package intake
