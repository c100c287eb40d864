// Runs before the page is painted, so that nothing on it jumps later: what the annotator
// has chosen in the menu Options stands on the root, where css/annotate.css finds it.

for (const name of ['text-size', 'text-width', 'side-by-side', 'source-folded']) {
  try {
    const chosen = localStorage.getItem(`annotate/${name}`);
    if (chosen) document.documentElement.setAttribute(`data-${name}`, chosen);
  } catch { /* no storage: everything is as usual */ }
}
