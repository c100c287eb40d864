// The menu Options: how large and wide texts are, and other choices of how the page looks. This
// browser keeps them. js/first.js puts those that move texts in place before the page is painted.

import { el, storageOf } from './page.js';

const storage = storageOf('localStorage');
const root = document.documentElement;

/** What a choice is set to; empty: nothing was chosen. @param {string} name */
export function chosen(name) {
  try { return storage?.getItem(`annotate/${name}`) ?? ''; } catch { return ''; }
}

/** Keeps a choice. @param {string} name @param {string} value */
function keep(name, value) {
  try { storage?.setItem(`annotate/${name}`, value); } catch { /* full or forbidden */ }
}

/** A check box of the menu. @param {string} name @returns {HTMLInputElement|null} null where the page does not have that choice */
const box = (name) => el(`option-${name}`);

/** Whether a choice that is on or off is on. @param {string} name */
export const isOn = (name) => !!box(name)?.checked;

/** Switches a choice on or off. @param {string} name @param {(text: string) => void} announce */
export function flip(name, announce) {
  const input = box(name);
  if (!input) return;
  input.click();
  announce(`${input.labels?.[0]?.querySelector('.option-name')?.textContent}: ${input.checked ? 'on' : 'off'}`);
}

/**
 * Calls back when the annotator makes a choice.
 * @param {HTMLInputElement|null} input
 * @param {() => void} change
 */
function heard(input, change) {
  input?.addEventListener('change', change);
}

/**
 * Makes the menu work.
 * @param {object} page
 * @param {(change: () => void) => void} [page.around] makes a change that moves texts, and keeps the words in work in their place
 * @param {Record<string, (on: boolean) => void>} [page.switched] is called with a choice that is on or off, by its name, and at first where it is on
 */
export function optionsMenu({ around = (change) => change(), switched = {} } = {}) {
  for (const name of ['text-size', 'text-width']) {
    const steps = /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll(`input[name="option-${name}"]`));
    for (const step of steps) {
      if (step.value === chosen(name)) step.checked = true;
      heard(step, () => {
        keep(name, step.value);
        around(() => root.setAttribute(`data-${name}`, step.value));
      });
    }
  }
  for (const [name, then] of Object.entries(switched)) {
    const input = box(name);
    if (!input) continue;
    input.checked = chosen(name) === 'on';
    if (input.checked) then(true);
    heard(input, () => {
      keep(name, input.checked ? 'on' : 'off');
      then(input.checked);
    });
  }
}
