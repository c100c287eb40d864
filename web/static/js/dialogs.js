// Dialogs: <button data-open="id"> opens the dialog of that id, a press beside
// it closes it. The browser itself keeps the focus inside and returns it.

/** @param {string} id @returns {HTMLDialogElement} */
export const dialog = (id) => /** @type {HTMLDialogElement} */ (document.getElementById(id));

/** Opens a dialog, or closes it if it is open. @param {string} id */
export function toggle(id) {
  const d = dialog(id);
  if (d.open) return d.close();
  if (!document.querySelector('dialog[open]')) d.showModal();
}

for (const button of document.querySelectorAll('[data-open]')) {
  button.addEventListener('click', () => toggle(/** @type {HTMLElement} */ (button).dataset.open ?? ''));
}
for (const d of document.querySelectorAll('dialog')) {
  d.addEventListener('pointerdown', (e) => {
    const r = d.getBoundingClientRect();
    if (e.target === d && (e.clientX < r.left || e.clientX > r.right || e.clientY < r.top || e.clientY > r.bottom)) d.close();
  });
}
