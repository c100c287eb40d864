// On a page that can only be read: what this browser still keeps of the segment
// and never could save is shown, and goes when that is asked for.
import { isolated } from './bidi.js';
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
    const scores = state.scores.map((s) => `${s.label} ${value.scores[s.name] ?? '–'}`);
    const line = document.createElement('li');
    const errors = value.spans?.map(({ text, severity, category, comment }) => [isolated(text ?? ''), severity, category, isolated(comment ?? '')].filter(Boolean).join(', ')) ?? [];
    line.textContent = [`${names[index] ?? ''}: ${[...scores, ...errors, ...(value.no_errors ? ['no errors'] : [])].join(' · ')}`, value.comment && `“${isolated(value.comment)}”`].filter(Boolean).join(' · ');
    band?.querySelector('ul')?.append(line);
  }
  if (band) band.hidden = !left.length;
  band?.querySelector('button')?.addEventListener('click', () => {
    for (const k of left) localStorage.removeItem(k.name);
    band.hidden = true;
  });
} catch { /* no storage: nothing is kept */ }
