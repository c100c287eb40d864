// On a page that can only be read: what this browser still keeps of the segment
// and never could save is shown, and goes when that is asked for.
import { inWords } from './inwords.js';
import { leftovers, place } from './save.js';
import { visibleSpaces } from './spaces.js';
import { optionsMenu } from './options.js';

const spaces = visibleSpaces([...document.querySelectorAll('#current > :last-child, .card-text:not(.card-none)')].map((on) => /** @type {HTMLElement} */ (on)));
optionsMenu({ switched: { spaces: (all) => spaces.show(all), 'source-folded': (yes) => { document.documentElement.dataset.sourceFolded = yes ? 'on' : 'off'; } } });

/** @type {import('../../wire').State} */
const state = JSON.parse(document.getElementById('assignment-state')?.textContent ?? '{}');
const band = document.getElementById('kept');
const names = [...document.querySelectorAll('.card-name')].map((c) => c.lastChild?.textContent ?? '');

try {
  const left = leftovers(localStorage, place(state), state.cards);
  for (const { index, entry: { value } } of left) {
    const line = document.createElement('li');
    line.textContent = `${names[index] ?? ''}: ${inWords(state, value)}`;
    band?.querySelector('ul')?.append(line);
  }
  if (band) band.hidden = !left.length;
  band?.querySelector('button')?.addEventListener('click', () => {
    for (const k of left) localStorage.removeItem(k.name);
    band.hidden = true;
  });
} catch { /* no storage: nothing is kept */ }
