// The annotate page: joins what is on it with saving, timing, keys and undo.
import { Queue, connect, place, windowId } from './save.js';
import { ActiveTime } from './timing.js';
import { History } from './history.js';
import { Cards, inFewWords } from './cards.js';
import { Painter, inPlace } from './painter.js';
import { Folding } from './fold.js';
import { flip, optionsMenu } from './options.js';
import { Status } from './status.js';
import { Submit } from './submit.js';
import { drawn, match, table } from './keys.js';
import { keyboard } from './keyboard.js';
import { marking } from './marking.js';
import { sameText } from './sametext.js';
import { comparing } from './comparing.js';
import { peerList } from './peerlist.js';
import { toggle } from './dialogs.js';
import { goTo, marksElsewhere, showDocument } from './document.js';
import { takeBack } from './takeback.js';
import { showBlanks } from './blanks.js';
import { visibleSpaces } from './spaces.js';
import { beside } from './beside.js';
import { standBeside } from './source.js';
import { beginIds } from './spans.js';
import { announce, cards, el, element, isTyping, mac, names, state, storageOf } from './page.js';

const now = () => performance.now();
// A preview keeps nothing.
const storage = state.preview ? null : storageOf('localStorage');

const newId = () => crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
const here = windowId(storageOf('sessionStorage'), newId);
const queue = new Queue(state.cards, newId, state);
const saver = connect(queue, { url: state.urls.cards, ids: state.cards.map((c) => c.id), key: place(state), id: here.id, storage, now, change });
const timing = new ActiveTime(state.idle_seconds, now());
/** Acts on several cards, or on texts of cards, which not every page has. @type {Record<string, () => boolean>} */
const NEEDS = { as: () => cards.length > 1, fold: () => cards.length > 1, foldall: () => cards.length > 1, compare: () => !!el('compare'), beside: () => !!document.querySelector('.card-text') };
/** The keys of the page. @param {Record<string, string>} [own] keys that a person has changed */
const keysOf = (own) => table(state.scores, state.marking, own, state.adjudicates, state.doc_length > 1, state.questions).filter((k) => NEEDS[k.act]?.() ?? true);
let keys = keysOf(state.keys);

const anchor = () => peers?.anchor() ?? on.marks?.anchor();
const painter = new Painter(paint, anchor, () => settle());
const ask = () => painter.ask();
const status = new Status(queue, ask);
const tell = (/** @type {string} */ text) => status.tell(text);
/** Whether nothing can be changed now. */
const closed = () => status.closed !== '' || sending.busy;
const on = new Cards({ queue, saver, history: new History(), timing, now, ask, closed, tell, changed: () => status.changed() });
const sending = new Submit({ queue, saver, on, status, now });

/** The key of an act, as it is written. @param {string} act @param {string} [of] @returns {string[]} */
function written(act, of) {
  const key = letters ? keys.find((k) => k.act === act && (!of || k.of === of)) : undefined;
  return key ? drawn(key, mac)[0] : [];
}

let letters = true;
try { letters = storage?.getItem('annotate/keys') !== 'off'; } catch { /* no storage */ }

if (state.marking) {
  beginIds(state.marking.id_prefix ?? '');
  on.marks = marking({
    state, cards, storage, closed, elsewhere: marksElsewhere, ask: (i) => (i === undefined ? ask() : on.stale(i)), announce, refuse: tell,
    enter: (i, value) => on.enter(i, value), value: (i) => queue.cards[i].value, nameOf: (i) => names[i],
    typed: (i, node, value) => on.typed(i, node, value),
    hint: (act, of) => written(act, of).join('+'),
  });
}

const peers = state.adjudicates ? peerList({
  state, cards, closed, announce, refuse: tell, current: () => on.current, value: (i) => queue.cards[i].value,
  enter: (i, value) => on.enter(i, value), hint: (act, of) => written(act, of).join('+'),
}) : null;

const same = sameText({
  state, cards, names, closed, tell, values: () => queue.cards.map((c) => c.value),
  replace: (i, value) => on.replace(i, value), hint: (act) => written(act).join('+'),
});

const comparison = comparing({ cards, announce });
const spaces = visibleSpaces([...document.querySelectorAll('#current > :last-child, .card-text:not(.card-none), [data-candidate=""], [data-reference] > .text')].map((on) => /** @type {HTMLElement} */ (on)));
const sides = beside(() => on.current);
/** Whether another card has become the one in work, which the source is to follow. */
let entered = false;
on.entered = () => {
  entered = true;
  ask();
};

/** Does what waits for hands that rest, before the page is painted. */
function settle() {
  folding.settle();
  if (!entered || !(on.marks?.idle() ?? true)) return;
  entered = false;
  sides.lead();
}

const folding = on.folding = new Folding({
  cards, names, value: (i) => queue.cards[i].value, current: () => on.current, lacks: (i) => on.lacks(i), goTo: (i) => on.choose(i, true),
  idle: () => on.marks?.idle() ?? true, down: () => painter.down, sum: inFewWords, ask, refuse: tell,
});

if (el('go-on')) {
  try { el('go-on').checked = storage?.getItem('annotate/go-on') === 'on'; } catch { /* no storage */ }
  el('go-on').addEventListener('change', () => {
    try { storage?.setItem('annotate/go-on', el('go-on').checked ? 'on' : 'off'); } catch { /* full or forbidden */ }
  });
}

/** The ways through what was done, each with its button. @type {('undo'|'redo')[]} */
const WAYS = ['undo', 'redo'];
for (const way of WAYS) el(way).addEventListener('click', () => on.back(way));

function paint() {
  // A text that is drawn anew has other nodes.
  if (on.paint()) {
    showBlanks(document.querySelectorAll('.card-text'));
    comparison.draw();
    spaces.draw();
  }
  peers?.draw();
  same.draw();
  for (const way of WAYS) el(way).disabled = closed() || !on.history.has(way);
  status.paint(on.missing(), (i) => on.needs(i), (i) => on.visit(i), state.itself ? 'Every question is answered' : on.marks || state.questions ? 'Every card is finished' : 'Every card has its score');
}

/** Is called by saving after everything it does. @param {number|null} index @param {boolean} changed */
function change(index, changed) {
  if (index !== null && changed) on.met(index);
  else if (index !== null) on.stale(index);
  status.saved();
  if (queue.closed && !status.closed) status.close(queue.closed);
  sending.settle();
}

// ---- keys ----

el('keys-on').checked = letters;
el('keys-on').addEventListener('change', () => {
  letters = el('keys-on').checked;
  try { storage?.setItem('annotate/keys', letters ? 'on' : 'off'); } catch { /* no storage */ }
  document.body.classList.toggle('no-letters', !letters);
  showKeys();
});
document.body.classList.toggle('no-letters', !letters);

/** Writes the keys beside what they do. */
function showKeys() {
  for (const chip of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-key]'))) {
    const [act, of] = (chip.dataset.key ?? '').split(':');
    chip.replaceChildren(...written(act, of).map((name) => element('kbd', name)));
  }
  on.marks?.hints();
  peers?.hints();
}
if (mac || !letters || Object.keys(state.keys ?? {}).length) showKeys();

/** Whether the list of keys is written. */
let listed = false;
function listKeys() {
  if (listed) return;
  listed = true;
  keyboard(el('keys-list'), {
    state, mac, keys: () => keys, announce,
    change(own) {
      keys = keysOf(own);
      showKeys();
    },
  });
}
document.querySelector('[data-open=keys]')?.addEventListener('click', listKeys);

/** @type {Record<string, (pressed: string, of: string, e: KeyboardEvent) => void>} */
const acts = {
  ...on.marks?.acts,
  ...peers?.acts,
  score(pressed, of, e) {
    if (on.current < 0 || closed()) return;
    on.score(on.current, of, Number(pressed));
    const name = cards[on.current].querySelector(`input[data-score="${of}"][value="${pressed}"] ~ .scale-name`)?.textContent ?? '';
    announce(`${names[on.current]}: ${pressed} ${name}`);
    if (el('go-on')?.checked) acts.next('', '', e);
  },
  // A card whose terms are all answered is done.
  choose(pressed, of, e) {
    on.marks?.acts.choose(pressed, of, e);
    if (el('go-on')?.checked && on.current >= 0 && !on.needs(on.current)) acts.next('', '', e);
  },
  answer: (pressed) => { if (on.current >= 0 && on.questions?.digit(on.current, Number(pressed))) ask(); },
  question: (_, of) => on.questions?.go(on.current, of),
  next: (pressed) => { if (!on.questions?.step(on.current, 1, pressed === 'Enter')) on.choose(Math.min(on.current + 1, cards.length - 1), true); },
  previous: () => { if (!on.questions?.step(on.current, -1)) on.choose(Math.max(on.current - 1, 0), true); },
  field: (_, of) => on.field(of),
  comment: () => { if (!on.marks?.comment()) on.comment(); },
  as: () => same.take(on.current),
  compare: () => comparison.toggle(),
  spaces: () => flip('spaces', announce),
  beside: () => flip('side-by-side', announce),
  fold: () => folding.fold(on.current),
  foldall: () => flip('fold-done', announce),
  // Before anything is changed here, undo is for what was submitted a moment ago.
  undo: () => { if (on.history.has('undo') || !takeBack()) on.back('undo'); },
  redo: () => on.back('redo'),
  submit: () => sending.submit(),
  guide: () => toggle('guide'),
  ask: () => toggle('ask'),
  problem: () => { if (el('report')) toggle('problem'); },
  document: () => showDocument(),
  segment: (_, of) => goTo(Number(of)),
  keys() {
    listKeys();
    toggle('keys');
  },
  leave() {
    if (on.current < 0) return;
    if (isTyping(document.activeElement)) on.leave();
    else on.marks?.leave();
  },
};

/** Acts that go on while their key is held. */
const REPEATED = ['next', 'previous', 'undo', 'redo', 'caret', 'start', 'end', 'pick', 'peer'];

document.addEventListener('keydown', (e) => {
  const t = /** @type {HTMLElement} */ (e.target);
  const open = document.querySelector('dialog[open], [popover]:popover-open');
  const typing = isTyping(t);
  // An open list takes all digits and letters.
  if (!open && !typing && !e.ctrlKey && !e.metaKey && !e.altKey && /^[\p{L}\p{N}]$/u.test(e.key) && on.marks?.find()) return;
  const key = match(keys, e, { typing, mac, letters });
  if (!key) return;
  if (open && key.act !== open.id) return; // Esc closes a dialog by itself
  if (key.pressed === 'Enter' && !key.mod && t.closest('button, a, summary, label, [type=checkbox]')) return;
  if (key.act === 'leave' && !typing && !on.marks) return;
  // A slider, the bar and what scrolls have arrows of their own.
  if (key.act === 'caret' && t.matches('input, [role=toolbar] *, #source, .card-scroll')) return;
  e.preventDefault();
  if (sending.busy || (e.repeat && !REPEATED.includes(key.act))) return;
  acts[key.act](key.pressed, key.of ?? '', e);
});

// ---- the page's own life ----

const attended = () => timing.attend(document.visibilityState === 'visible' && document.hasFocus(), now());
for (const type of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchmove', 'scroll']) {
  addEventListener(type, () => timing.touch(now()), { passive: true, capture: true });
}
addEventListener('focus', () => { attended(); saver.flush(); });
addEventListener('blur', attended);
addEventListener('online', () => { saver.flush(); sending.settle(); });
document.addEventListener('visibilitychange', () => { attended(); if (document.hidden) leave(); else saver.flush(); });
addEventListener('pagehide', () => { leave(); here.leave(); });
addEventListener('pageshow', (e) => { if (e.persisted && !state.preview) location.reload(); });
addEventListener('beforeunload', (e) => {
  if (saver.atRisk()) e.preventDefault();
  saver.leave();
});

function leave() {
  if (sending.left) return;
  on.count();
  if (on.current >= 0) queue.sendTime(on.current, now());
  saver.flush(true);
}

attended();
for (const i of saver.restore()) on.stale(i);
/** Makes a change that moves texts, in which what is in work keeps its place. @param {() => void} change */
function around(change) {
  inPlace(anchor() ?? folding.anchor(), change);
  on.marks?.laidOut();
}

on.choose(Math.max(0, on.missing()[0] ?? 0), false);
optionsMenu({
  around,
  switched: {
    'fold-done': (all) => folding.setAll(all),
    spaces: (all) => spaces.show(all),
    'source-folded': (yes) => around(() => { document.documentElement.dataset.sourceFolded = yes ? 'on' : 'off'; }),
    'side-by-side': (yes) => around(() => {
      document.documentElement.dataset.sideBySide = yes ? 'on' : 'off';
      sides.show(yes);
    }),
  },
});
paint();
// Work taken up again goes on where it was left.
if (cards[on.current]?.getBoundingClientRect().top > innerHeight * 0.6) cards[on.current].scrollIntoView({ block: 'center' });

standBeside(el('source'), el('current'));

// The guide opens by itself until the annotator has closed it once.
const guide = el('guide');
if (guide.dataset.opens) {
  guide.addEventListener('close', () => {
    // Without an answer of the server the guide opens on the next page again.
    fetch(guide.dataset.opens, { method: 'POST', keepalive: true }).catch(() => {});
    cards[Math.max(on.current, 0)]?.focus({ preventScroll: true });
  }, { once: true });
  toggle('guide');
}

// From here on keys and buttons are heard; the browser tests wait for it.
document.documentElement.dataset.ready = 'annotate';
