// Announcements of the lead lie over the page of work until the annotator confirms them.

for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll('[data-read]'))) {
  button.addEventListener('click', () => {
    // Without an answer of the server the announcement is shown again on the next page.
    fetch(button.dataset.read ?? '', { method: 'POST', headers: { Accept: 'application/json' }, keepalive: true }).catch(() => {});
    button.parentElement?.remove();
    const box = document.getElementById('announcements');
    if (box?.childElementCount === 0) box.remove();
  });
}
