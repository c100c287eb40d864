// The annotate page: joins what is on it with saving, timing, keys and undo.
import { Queue, connect, copy, place, same, windowId } from './save.js';
import { ActiveTime } from './timing.js';
import { History } from './history.js';
import { drawn, match, table } from './keys.js';
import { called, kindName, missing as wanting } from './rules.js';
import { isBad, numbers, showNumber } from './scores.js';
import { dialog, toggle } from './dialogs.js';

/** @typedef {import('./save.js').Value} Value */

/** @param {string} id @returns {any} */
const el = (id) => document.getElementById(id);
/** @param {string} tag @param {...(string|Node)} children */
const make = (tag, ...children) => {
  const node = document.createElement(tag);
  node.append(...children);
  return node;
};

const state = JSON.parse(el('assignment-state').textContent);
const mac = /Mac|iP(hone|ad)/.test(navigator.platform);
const cards = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('.card')]);
const names = cards.map((c) => c.querySelector('.card-name')?.lastChild?.textContent ?? '');
const now = () => performance.now();

/** @type {Storage|null} */
let storage = null;
try { storage = window.localStorage; } catch { /* forbidden: the page still works */ }

/** @type {Storage|null} */
let session = null;
try { session = window.sessionStorage; } catch { /* forbidden */ }

const newId = () => crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
const here = windowId(session, newId);
const queue = new Queue(state.cards, newId, state);
const saver = connect(queue, { url: state.urls.cards, ids: state.cards.map((/** @type {any} */ c) => c.id), key: place(state), id: here.id, storage, now, change });
const timing = new ActiveTime(state.idle_seconds, now());
const history = new History();
let keys = table(state.scores, state.marking, state.keys);

/** Where errors are marked. @type {ReturnType<typeof import('./marking.js').marking>|null} */
const marks = state.marking ? (await import('./marking.js')).marking({
  suggestions: state.marking.suggestions ? (await import('./suggestions.js')).suggestions : undefined,
  state, cards, storage, enter, announce: (text) => announce(text), refuse: tell, closed: () => closed,
  value: (i) => queue.cards[i].value,
  typed: (i, node, value) => typed(i, node, () => value(node.value)),
  hint: (act, of) => written(act, of).join('+'),
}) : null;

/** The key of an act, as it is written. @param {string} act @param {string} [of] @returns {string[]} */
function written(act, of) {
  const key = keys.find((k) => k.act === act && (!of || k.of === of));
  return key ? drawn(key, mac)[0] : [];
}

let current = -1;
let submitting = false;
let closed = false;

// ---- what a card shows ----

/** @param {number} i */
const note = (i) => /** @type {HTMLTextAreaElement} */ (cards[i].querySelector('.card-note textarea'));
/** @param {number} i @returns {HTMLInputElement[]} */
const inputs = (i) => [...cards[i].querySelectorAll('input')].filter((x) => x.dataset.score);

/** Writes a card's value into its controls. @param {number} i */
function show(i) {
  const { scores, comment } = queue.cards[i].value;
  for (const x of inputs(i)) {
    const given = scores[x.dataset.score ?? ''];
    if (x.type === 'radio') x.checked = given !== undefined && x.value === String(given);
    else showNumber(x, given, state.scores.find((/** @type {any} */ s) => s.name === x.dataset.score));
  }
  if (note(i).value !== comment) note(i).value = comment;
  if (comment) openNote(i, true);
  marks?.draw(i);
}

/** @param {number} i @param {boolean} open */
function openNote(i, open) {
  const box = /** @type {HTMLElement} */ (cards[i].querySelector('.card-note'));
  box.hidden = !open;
  cards[i].querySelector('[data-comment]')?.setAttribute('aria-expanded', String(open));
}

/** @param {Value} v */
function inWords(v) {
  const scores = state.scores.map((/** @type {any} */ s) => `${s.label} ${v.scores[s.name] ?? '–'}`);
  const errors = v.spans?.map((s) => [called(s), s.severity, kindName(s), s.comment].filter(Boolean).join(', ')) ?? [];
  return [...scores, ...errors, v.no_errors && 'no errors', v.rejected?.length && `suggestions rejected: ${v.rejected.length}`, v.comment && `“${v.comment}”`].filter(Boolean).join(' · ');
}

/** The trouble of one card, if it has any. @param {number} i */
function showTrouble(i) {
  const c = queue.cards[i];
  const line = /** @type {HTMLElement} */ (cards[i].querySelector('.card-trouble'));
  line.hidden = !c.refused;
  line.textContent = c.refused && `Not saved: ${c.refused}`;
  const box = cards[i].querySelector('.conflict');
  if (!c.conflict) {
    box?.remove();
  } else if (!box) {
    const fresh = el('conflict-template').content.cloneNode(true);
    fresh.querySelector('[data-theirs]').textContent = inWords(c.conflict);
    for (const button of fresh.querySelectorAll('[data-keep]')) {
      button.addEventListener('click', () => {
        saver.resolve(i, button.dataset.keep);
        if (button.dataset.keep === 'theirs') history.forget(i);
        cards[i].querySelector('.conflict')?.remove();
        show(i);
        showTrouble(i);
        showMissing();
        choose(i, true);
      });
    }
    fresh.querySelector('[data-mine]').textContent = inWords(c.value);
    cards[i].querySelector('.card-body')?.append(fresh);
  } else {
    const mine = box.querySelector('[data-mine]');
    if (mine) mine.textContent = inWords(c.value);
  }
}

// ---- what the page says ----

/** @param {string} text */
const announce = (text) => { el('announce').textContent = text; };

/** @param {string} at */
const clock = (at) => new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', hour12: false });

let said = '';
/** Called by saving after everything it does. @param {number|null} index @param {boolean} changed */
function change(index, changed) {
  if (index !== null) {
    if (changed) {
      history.forget(index);
      show(index);
      showMissing();
    }
    showTrouble(index);
  }
  const { state: how, text } = queue.report(clock);
  const line = el('saved-text');
  if (line.textContent !== text) line.textContent = text;
  el('saved').dataset.state = how;
  el('saved').title = text;
  if (how === 'kept' || how === 'lost') {
    // Once for each kind of trouble, not for each change that is kept.
    const kind = text.replace(/\d+/g, '');
    if (kind !== said) announce(text);
    said = kind;
  } else if (how === 'saved') {
    said = '';
  }
  signIn(how === 'lost' && ['signed out', 'not allowed', 'not found'].includes(queue.trouble));
  if (queue.closed && !closed) close(queue.closed);
  settle();
}

/** Offers the way back in. @param {boolean} needed */
function signIn(needed) {
  const there = el('sign-in');
  if (!needed) there?.remove();
  else if (!there) {
    const link = /** @type {HTMLAnchorElement} */ (make('a', 'Sign in'));
    Object.assign(link, { id: 'sign-in', href: '/sign-in', target: '_blank', rel: 'opener' });
    el('saved').append(' ', link);
  }
}

/** Nothing can be saved any more. @param {string} reason */
function close(reason) {
  closed = true;
  const band = el('closed');
  band.textContent = `${reason[0].toUpperCase()}${reason.slice(1).replace(/\.$/, '')}. What you entered is kept in this browser; reload the page to see whether you can go on.`;
  band.hidden = false;
  document.body.classList.add('closed');
  marks?.close();
  for (const x of document.querySelectorAll('.card input, .card button')) /** @type {HTMLInputElement} */ (x).disabled = true;
  for (const x of document.querySelectorAll('.card textarea')) /** @type {HTMLTextAreaElement} */ (x).readOnly = true;
  el('submit').hidden = true;
  if (el('report')) el('report').hidden = true;
  showMissing();
}

/** What a card still needs; field: where what stands is no score. @returns {{what: string, span?: string, field?: HTMLInputElement}|undefined} */
const needs = (/** @type {number} */ i) => {
  const field = inputs(i).find(isBad);
  return field ? { what: 'another score', field } : marks?.undecided?.(i) ?? wanting(state, queue.cards[i].value);
};
/** Cards that are not finished, by index. */
const missing = () => cards.map((_, i) => i).filter(needs);

/** Goes to what a card still needs. @param {number} i */
function goTo(i) {
  choose(i, true);
  const need = needs(i);
  if (need?.field) type(need.field);
  else if (need?.span) marks?.pick(need.span);
}

/** Says which cards are not finished, as links. */
function showMissing() {
  const left = missing();
  const line = el('missing');
  for (const i of cards.keys()) {
    cards[i].classList.toggle('done', !left.includes(i));
    if (!left.includes(i)) cards[i].classList.remove('wanting');
    const lacks = cards[i].querySelector('.card-lacks');
    if (lacks) lacks.textContent = cards[i].classList.contains('wanting') ? `Still needs ${needs(i)?.what}` : '';
  }
  if (closed) return line.replaceChildren();
  if (!left.length) return line.replaceChildren(marks ? 'Every card is finished' : 'Every card has its score');
  const parts = left.slice(0, 8).flatMap((i, k) => {
    const link = /** @type {HTMLAnchorElement} */ (make('a', names[i]));
    link.href = `#${cards[i].id}`;
    link.title = needs(i)?.what ?? '';
    link.addEventListener('click', (e) => { e.preventDefault(); goTo(i); });
    return k ? [', ', link] : [link];
  });
  const what = left.every((i) => needs(i)?.what === 'a score') ? 'a score' : left.length > 1 ? 'something' : needs(left[0])?.what;
  line.replaceChildren(left.length === 1 ? `1 card still needs ${what}: ` : `${left.length} cards still need ${what}: `, ...parts, left.length > 8 ? ' …' : '');
}

// ---- the card in work ----

/** Makes a card the one in work. @param {number} i @param {boolean} go also moves the focus and the view there */
function choose(i, go) {
  if (i < 0 || i >= cards.length) return;
  if (i !== current) {
    count();
    if (current >= 0) {
      cards[current].removeAttribute('aria-current');
      saver.time(current);
    }
    current = i;
    cards[i].setAttribute('aria-current', 'true');
    marks?.enter(i);
  }
  if (go) {
    cards[i].focus({ preventScroll: true });
    cards[i].scrollIntoView({ block: 'nearest' });
    // A card taller than the window begins at its beginning.
    if (cards[i].offsetHeight > window.innerHeight - 160) cards[i].scrollIntoView({ block: 'start' });
  }
}

/** Books the time since the last call on the card in work. */
function count() {
  const seconds = timing.take(now());
  if (current >= 0) queue.gain(current, seconds);
}

/** Gives a card another value, to be undone. @param {number} i @param {Value} value */
function enter(i, value) {
  const before = copy(queue.cards[i].value);
  if (closed || same(before, value)) return;
  history.push({ index: i, before, after: copy(value) });
  put(i, value);
}

/** @param {number} i @param {Value} value @param {number} [wait] */
function put(i, value, wait = 0) {
  count();
  saver.edit(i, value, wait);
  show(i);
  showMissing();
}

/** @param {number} i @param {string} name @param {number} x */
function score(i, name, x) {
  const v = queue.cards[i].value;
  enter(i, { ...v, scores: { ...v.scores, [name]: x } });
}

/** @param {'undo'|'redo'} way */
function back(way) {
  if (closed) return;
  const step = history[way]();
  if (!step) return tell(`Nothing to ${way} since the page was opened`);
  choose(step.index, true);
  put(step.index, way === 'undo' ? step.before : step.after);
  announce(`${way}: translation ${names[step.index]}, ${inWords(queue.cards[step.index].value)}`);
}

/** Goes to a field, to type another value. @param {HTMLInputElement|undefined} x */
function type(x) {
  x?.focus({ preventScroll: true });
  if (x?.type === 'number') x.select();
  x?.scrollIntoView({ block: 'nearest' });
}

/** Saves what is typed in a box as it is typed; all of it is one step to undo. @param {number} i @param {HTMLTextAreaElement} area @param {() => Value} value */
function typed(i, area, value) {
  /** @type {Value|null} what the card held before */
  let before = null;
  area.addEventListener('input', () => {
    before ??= copy(queue.cards[i].value);
    count();
    saver.edit(i, value(), 600);
  });
  area.addEventListener('blur', () => {
    const after = copy(queue.cards[i].value);
    if (before && !same(before, after)) history.push({ index: i, before, after });
    before = null;
    showMissing();
    saver.flush();
  });
}

cards.forEach((card, i) => {
  card.addEventListener('focusin', () => choose(i, false));
  card.addEventListener('pointerdown', () => choose(i, false));
  for (const x of inputs(i)) if (x.type === 'radio') x.addEventListener('change', () => score(i, x.dataset.score ?? '', Number(x.value)));
  /** @type {Value|null} what the card held before a number was typed or dragged */
  let before = null;
  numbers(card, state.scores, {
    draft(name, x) {
      before ??= copy(queue.cards[i].value);
      const v = queue.cards[i].value;
      put(i, { ...v, scores: { ...v.scores, [name]: x } }, 600);
    },
    give(name, x) {
      if (before) history.push({ index: i, before, after: { ...copy(queue.cards[i].value), scores: { ...queue.cards[i].value.scores, [name]: x } } });
      if (before) put(i, { ...queue.cards[i].value, scores: { ...queue.cards[i].value.scores, [name]: x } });
      else score(i, name, x);
      before = null;
    },
    drop() {
      if (before) put(i, before);
    },
    refuse() {
      if (before) put(i, before);
      before = null;
      show(i);
      showMissing(); // which is read out
    },
    next(from) {
      const rest = inputs(i).filter((x) => x.type === 'number');
      const x = rest[rest.indexOf(from) + 1];
      if (x) type(x);
      else choose(Math.min(i + 1, cards.length - 1), true);
    },
  });
  const area = note(i);
  typed(i, area, () => ({ ...queue.cards[i].value, comment: area.value }));
  card.querySelector('[data-comment]')?.addEventListener('click', () => {
    const open = area.closest('.card-note')?.hasAttribute('hidden') ?? false;
    openNote(i, open || area.value !== '');
    if (open || area.value !== '') area.focus();
  });
});

// ---- submit ----

/** @type {(() => void)[]} */
let waiting = [];
const settle = () => {
  if (queue.settled() || queue.stuck()) {
    for (const go of waiting.splice(0)) go();
  }
};
/** Resolves when everything is saved, or can't be for now. */
const allSaved = () => new Promise((resolve) => {
  waiting.push(() => resolve(queue.settled()));
  saver.flush();
});

/** @param {string} url @param {object} body @returns {Promise<{status: number, json: any}>} */
async function post(url, body) {
  try {
    const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } });
    return { status: answer.status, json: await answer.json().catch(() => null) };
  } catch {
    return { status: 0, json: null };
  }
}

/** @param {number} status @param {any} json */
const reason = (status, json) => status === 0 ? 'no connection; what you entered is kept, try again in a moment'
  : status === 401 ? 'you are signed out; sign in in another tab, then try again'
  : json?.error ?? `the server answered ${status}`;

/** Whether a second look may go as it came. */
let sure = state.round < 2 || state.submitted;

async function submit() {
  if (submitting || closed) return;
  const area = document.activeElement;
  if (area instanceof HTMLTextAreaElement || area instanceof HTMLInputElement) area.blur();
  const left = missing();
  if (!left.length && !sure) {
    const text = await import('./again.js').then((m) => m.unchanged(state, queue), () => '');
    sure = true;
    if (text) return tell(text);
  }
  if (left.length) {
    for (const i of left) cards[i].classList.add('wanting');
    showMissing();
    goTo(left[0]);
    return announce(`${names[left[0]]} needs ${needs(left[0])?.what}. ${el('missing').textContent}`);
  }
  busy(true);
  count();
  cards.forEach((_, i) => queue.sendTime(i, now()));
  if (!await allSaved()) {
    busy(false);
    const i = queue.cards.findIndex((c) => c.conflict || c.refused);
    if (i >= 0) choose(i, true);
    return tell(`Not submitted: ${queue.report(clock).text}`);
  }
  const { status, json } = await post(state.urls.submit, { cards: Object.fromEntries(queue.cards.map((c, i) => [state.cards[i].id, c.revision])) });
  if (status === 200 && json?.next) {
    saver.forget();
    location.assign(json.next);
    return;
  }
  busy(false);
  if (status === 409 && json?.code !== 'conflict') return close(reason(status, json));
  /** @param {{id: string}} card */
  const at = (card) => state.cards.findIndex((/** @type {any} */ c) => c.id === card.id);
  if (status === 409 && json.card) {
    const i = at(json.card);
    if (queue.meet(i, json.card)) change(i, true);
    showTrouble(i);
    choose(i, true);
  } else if (status === 422 && json?.cards?.length) {
    for (const c of json.cards) cards[at(c)]?.classList.add('wanting');
    showMissing();
    choose(at(json.cards[0]), true);
    return tell(`Not submitted: ${json.cards.map((/** @type {any} */ c) => `${names[at(c)]} needs ${c.reason}`).join(', ')}`);
  }
  tell(`Not submitted: ${status === 409 ? 'changed in another window; reload the page to see it' : reason(status, json)}`);
}

/** @param {boolean} on */
function busy(on) {
  submitting = on;
  el('submit').setAttribute('aria-busy', String(on));
  el('submit').classList.toggle('busy', on);
}

/** Says something in the line beside the submit button, until the next change. @param {string} text */
function tell(text) {
  el('missing').textContent = text;
}

el('submit').addEventListener('click', submit);

el('problem-form')?.addEventListener('submit', async (/** @type {SubmitEvent} */ e) => {
  e.preventDefault();
  count();
  const failed = await import('./problem.js').then(({ report }) => report(state.urls.problem, el('problem-text').value, {
    saved: async () => (await allSaved() ? '' : queue.report(clock).text), post, reason, gone: () => saver.forget(),
  }), () => 'no connection; what you wrote stays here, try again in a moment');
  el('problem-error').hidden = !failed;
  el('problem-error').textContent = failed && `Not sent: ${failed}`;
});

// ---- keys ----

/** @param {EventTarget|null} t */
const isTyping = (t) => t instanceof HTMLTextAreaElement || t instanceof HTMLSelectElement ||
  (t instanceof HTMLInputElement && !['radio', 'checkbox', 'button', 'range'].includes(t.type)) ||
  (t instanceof HTMLElement && t.isContentEditable);

let letters = true;
try { letters = storage?.getItem('annotate/keys') !== 'off'; } catch { /* no storage */ }
el('keys-on').checked = letters;
el('keys-on').addEventListener('change', () => {
  letters = el('keys-on').checked;
  try { storage?.setItem('annotate/keys', letters ? 'on' : 'off'); } catch { /* no storage */ }
  document.body.classList.toggle('no-letters', !letters);
});
document.body.classList.toggle('no-letters', !letters);

/** Writes the keys beside what they do. */
function showKeys() {
  for (const chip of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-key]'))) {
    const [act, of] = (chip.dataset.key ?? '').split(':');
    chip.replaceChildren(...written(act, of).map((name) => make('kbd', name)));
  }
  marks?.hints();
}
if (mac || Object.keys(state.keys ?? {}).length) showKeys();

/** The list of keys is written when it is first opened. @type {Promise<void>|undefined} */
let listed;
function listKeys() {
  listed ??= import('./keyboard.js').then(({ keyboard }) => keyboard(el('keys-list'), {
    state, mac, keys: () => keys, announce,
    change(own) {
      keys = table(state.scores, state.marking, own);
      showKeys();
    },
  })).catch(() => {
    listed = undefined;
    el('keys-list').textContent = 'The list can’t be loaded: no connection.';
  });
}
document.querySelector('[data-open=keys]')?.addEventListener('click', listKeys);

/** @type {Record<string, (pressed: string, of: string, e: KeyboardEvent) => void>} */
const acts = {
  ...marks?.acts,
  score(pressed, of) {
    if (current < 0 || closed) return;
    score(current, of, Number(pressed));
    const name = cards[current].querySelector(`input[data-score="${of}"]:checked ~ .scale-name`)?.textContent ?? '';
    announce(`${names[current]}: ${pressed} ${name}`);
  },
  next: () => choose(Math.min(current + 1, cards.length - 1), true),
  previous: () => choose(Math.max(current - 1, 0), true),
  field: (_, of) => type(inputs(current).find((x) => x.type !== 'range' && x.dataset.score === of)),
  comment() {
    if (current < 0 || marks?.comment()) return;
    openNote(current, true);
    note(current).focus();
  },
  undo: () => back('undo'),
  redo: () => back('redo'),
  submit,
  guide: () => toggle('guide'),
  keys() {
    listKeys();
    toggle('keys');
  },
  leave() {
    const t = document.activeElement;
    if (current < 0 || (!isTyping(t) && marks?.leave())) return;
    if (t === note(current) && note(current).value === '') openNote(current, false);
    if (!isTyping(t)) return;
    cards[current].focus({ preventScroll: true });
    marks?.noted();
  },
};

document.addEventListener('keydown', (e) => {
  const t = /** @type {HTMLElement} */ (e.target);
  // An open list takes what is typed, but for the keys of severity and category.
  const open = document.querySelector('dialog[open]');
  const key = match(keys, e, { typing: isTyping(t), mac, letters });
  if (!/sev|cat/.test(key?.act ?? '') && !open && !isTyping(t) && letters && !e.ctrlKey && !e.metaKey && !e.altKey && /^[\p{L}\p{N}]$/u.test(e.key) && marks?.find()) return;
  if (!key) return;
  if (open && key.act !== open.id) return; // Esc closes a dialog by itself
  if (key.pressed === 'Enter' && !key.mod && t.closest('button, a, summary, label, [type=checkbox]')) return;
  if (key.act === 'leave' && !isTyping(t) && !marks) return;
  if (key.act === 'caret' && t.matches('input, [role=toolbar] *')) return; // the slider's own
  if (e.repeat && !['next', 'previous', 'undo', 'redo', 'caret', 'start', 'end', 'pick'].includes(key.act)) return e.preventDefault();
  e.preventDefault();
  acts[key.act](key.pressed, key.of ?? '', e);
});

// ---- the page's own life ----

const attended = () => timing.attend(document.visibilityState === 'visible' && document.hasFocus(), now());
for (const type of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchmove', 'scroll']) {
  addEventListener(type, () => timing.touch(now()), { passive: true, capture: true });
}
addEventListener('focus', () => { attended(); saver.flush(); });
addEventListener('blur', attended);
addEventListener('online', () => saver.flush());
document.addEventListener('visibilitychange', () => { attended(); if (document.hidden) leave(); else saver.flush(); });
addEventListener('pagehide', () => { leave(); here.leave(); });
addEventListener('pageshow', (e) => { if (e.persisted) location.reload(); });
addEventListener('beforeunload', (e) => { if (saver.atRisk()) e.preventDefault(); });

function leave() {
  count();
  if (current >= 0) queue.sendTime(current, now());
  saver.flush(true);
}

attended();
for (const i of cards.keys()) show(i);
for (const i of saver.restore()) {
  show(i);
  showTrouble(i);
}
showMissing();
choose(Math.max(0, missing()[0] ?? 0), false);
// Work taken up again goes on where it was left.
if (cards[current]?.getBoundingClientRect().top > innerHeight * 0.6) cards[current].scrollIntoView({ block: 'center' });

// The current segment stands in the middle of its document.
const source = el('source');
const segment = el('current');
if (source.scrollHeight > source.clientHeight) {
  source.scrollTop += segment.getBoundingClientRect().top - source.getBoundingClientRect().top - Math.max(56, (source.clientHeight - segment.offsetHeight) / 3);
}

// From here on keys and buttons are heard; the browser tests wait for it.
document.documentElement.dataset.ready = 'annotate';
