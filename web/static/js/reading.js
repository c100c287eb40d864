// All of the page of a segment that can only be read.

import './asides.js';
import './kept.js';
import './ask.js';
import './announced.js';
import { dialog, toggle } from './dialogs.js';
import { goTo, showDocument } from './document.js';
import { match, table } from './keys.js';
import { isTyping, mac, state, storageOf } from './page.js';
import { takeBack } from './takeback.js';

/** What keys do here, too. @type {Record<string, (of: string) => void>} */
const acts = {
  document: () => showDocument(),
  segment: (of) => goTo(Number(of)),
  guide: () => toggle('guide'),
  ask: () => { if (dialog('ask')) toggle('ask'); },
  undo: () => { takeBack(); },
};
const keys = table(state.scores, state.marking, state.keys, false, state.doc_length > 1, state.questions).filter((k) => acts[k.act]);
let letters = true;
try { letters = storageOf('localStorage')?.getItem('annotate/keys') !== 'off'; } catch { /* no storage */ }

document.addEventListener('keydown', (e) => {
  const key = match(keys, e, { typing: isTyping(/** @type {HTMLElement} */ (e.target)), mac, letters });
  const open = document.querySelector('dialog[open], [popover]:popover-open');
  if (!key || (open && key.act !== open.id)) return;
  e.preventDefault();
  if (!e.repeat) acts[key.act](key.of ?? '');
});
