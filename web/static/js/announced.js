// Announcements of the lead cover a part of the page of work until the annotator confirms them.

for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll('[data-read]'))) {
  button.addEventListener('click', () => {
    // If the request fails, the next page shows the announcement again.
    fetch(button.dataset.read ?? '', { method: 'POST', headers: { Accept: 'application/json' }, keepalive: true }).catch(() => {});
    button.parentElement?.remove();
    const box = document.getElementById('announcements');
    if (box?.childElementCount === 0) box.remove();
  });
}
