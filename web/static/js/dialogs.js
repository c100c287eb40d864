// Dialogs: <button data-open="id"> opens the dialog of that id, a press beside
// it closes it. The browser itself keeps the focus inside and returns it.

/** @param {string} id @returns {HTMLDialogElement} */
export const dialog = (id) => /** @type {HTMLDialogElement} */ (document.getElementById(id));

/**
 * Closes a dialog. The browser returns the focus to the element that had it before. If none had it, the browser
 * leaves the focus in the hidden dialog until the next frame, and a key pressed in that time would be lost.
 * @param {HTMLDialogElement} d
 */
export function close(d) {
  d.close();
  const focused = document.activeElement;
  if (focused instanceof HTMLElement && d.contains(focused)) focused.blur();
}

/** Opens a dialog, or closes it if it is open. @param {string} id */
export function toggle(id) {
  const d = dialog(id);
  if (d.open) return close(d);
  if (!document.querySelector('dialog[open]')) d.showModal();
}

/** Sends a form by the key that submits a segment. @param {HTMLFormElement} form */
export function sentByKey(form) {
  form.addEventListener('keydown', (e) => {
    if (e.key !== 'Enter' || !(e.ctrlKey || e.metaKey) || e.isComposing) return;
    e.preventDefault();
    e.stopPropagation();
    form.requestSubmit();
  });
}

for (const button of document.querySelectorAll('[data-open]')) {
  button.addEventListener('click', () => toggle(/** @type {HTMLElement} */ (button).dataset.open ?? ''));
}
for (const d of document.querySelectorAll('dialog')) {
  d.addEventListener('pointerdown', (e) => {
    const r = d.getBoundingClientRect();
    if (e.target === d && (e.clientX < r.left || e.clientX > r.right || e.clientY < r.top || e.clientY > r.bottom)) close(d);
  });
}
