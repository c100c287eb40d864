// What the annotate page has from the start: its data block, its cards, the browser's
// storage.

/** @param {string} id @returns {any} */
export const el = (id) => document.getElementById(id);

/** @param {string} tag @param {...(string|Node)} children */
export function element(tag, ...children) {
  const node = document.createElement(tag);
  node.append(...children);
  return node;
}

/** @type {import('../../wire').State} */
export const state = JSON.parse(el('assignment-state').textContent);
export const mac = /Mac|iP(hone|ad)/.test(navigator.platform);
export const cards = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('.card')]);
/** "A", "B", … in the order of the cards. */
export const names = cards.map((c) => c.querySelector('.card-name')?.lastChild?.textContent ?? '');

/** @param {'localStorage'|'sessionStorage'} kind @returns {Storage|null} null where the browser forbids it: the page works without */
export function storageOf(kind) {
  try { return window[kind]; } catch { return null; }
}

/** Has a screen reader say something. @param {string} text */
export function announce(text) {
  el('announce').textContent = text;
}

/** @param {EventTarget|null} t */
export const isTyping = (t) => t instanceof HTMLTextAreaElement || t instanceof HTMLSelectElement ||
  (t instanceof HTMLInputElement && !['radio', 'checkbox', 'button', 'range'].includes(t.type)) ||
  (t instanceof HTMLElement && t.isContentEditable);
