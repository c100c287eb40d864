// Dialogs: <button data-open="id"> opens the dialog of that id, a press beside
// it closes it. The browser itself keeps the focus inside and returns it. What a
// dialog needs of styles, data-style, is loaded when it is first opened.

/** @param {string} id @returns {HTMLDialogElement} */
export const dialog = (id) => /** @type {HTMLDialogElement} */ (document.getElementById(id));

/** Resolves when a dialog has its styles, or can't get them: plain, it can be read too. @param {HTMLDialogElement} d */
const styled = (d) => new Promise((resolve) => {
  const href = d.dataset.style;
  if (!href) return resolve(null);
  const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href, onload: resolve, onerror: resolve });
  link.addEventListener('load', () => delete d.dataset.style);
  link.addEventListener('error', () => link.remove());
  document.head.append(link);
});

/** Opens a dialog, or closes it if it is open. @param {string} id */
export async function toggle(id) {
  const d = dialog(id);
  if (d.open) return d.close();
  await styled(d);
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
