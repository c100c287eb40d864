import test from 'node:test';
import assert from 'node:assert/strict';
import { Queue, SLOW, WAITS, WORTH, connect, kept, leftovers, same, windowId } from '../static/js/save.js';

const card = (revision = 0, scores = {}, comment = '', seconds = 0) => ({ revision, scores, comment, seconds });
const value = (sqm, comment = '') => ({ scores: sqm === undefined ? {} : { sqm }, comment });
const clock = () => '12:03';

/** A queue of n fresh cards whose saves are numbered s1, s2 … */
function queue(...cards) {
  let n = 0;
  return new Queue(cards.length ? cards : [card(), card()], () => `s${++n}`);
}

test('a score is sent at once, with the revision it is based on', () => {
  const q = queue(card(3), card());
  q.gain(0, 13.24);
  q.edit(0, value(2), 100);
  assert.deepEqual(q.take(100), [{ index: 0, again: false, body: { revision: 3, save_id: 's1', scores: { sqm: 2 }, comment: '', seconds: 13.2 } }]);
  assert.equal(q.report(clock).text, 'saving…');
  q.answer(0, 200, { revision: 4, saved_at: '2026-11-21T12:03:00Z' }, 110);
  assert.deepEqual(q.report(clock), { state: 'saved', text: 'saved 12:03' });
  assert.ok(q.settled());
  assert.equal(q.cards[0].revision, 4);
});

test('typing waits for a pause', () => {
  const q = queue();
  q.edit(0, value(undefined, 'g'), 600);
  q.edit(0, value(undefined, 'go'), 700);
  assert.deepEqual(q.take(650), []);
  assert.equal(q.wake(), 700);
  assert.equal(q.take(700)[0].body.comment, 'go');
});

test('leaving the field does not wait', () => {
  const q = queue();
  q.edit(0, value(undefined, 'good'), 600);
  q.hurry(10);
  assert.equal(q.take(10).length, 1);
});

test('one request at a time for a card, the newest value next', () => {
  const q = queue();
  q.edit(0, value(1), 0);
  q.take(0);
  q.edit(0, value(2), 1);
  q.edit(0, value(3), 2);
  assert.deepEqual(q.take(3), []);
  q.answer(0, 200, { revision: 1, saved_at: '' }, 5);
  const [r] = q.take(5);
  assert.deepEqual([r.body.revision, r.body.scores, r.body.save_id], [1, { sqm: 3 }, 's2']);
});

test('other cards do not wait for a slow one', () => {
  const q = queue();
  q.edit(0, value(1), 0);
  q.take(0);
  q.edit(1, value(4), 1);
  assert.equal(q.take(1)[0].index, 1);
});

test('without an answer the same request is repeated, then the newer value', () => {
  const q = queue();
  q.edit(0, value(1), 0);
  q.take(0);
  q.answer(0, 0, null, 10);
  assert.equal(q.report(clock).text, 'offline, 1 change kept');
  q.edit(0, value(2), 20);
  q.edit(1, value(3), 20);
  assert.deepEqual(q.take(20).map((r) => r.index), [1], 'the repetition waits its second');
  const [again] = q.take(1010);
  assert.deepEqual([again.again, again.body.save_id, again.body.scores], [true, 's1', { sqm: 1 }]);
  q.answer(0, 200, { revision: 1, saved_at: '' }, 1020);
  assert.deepEqual(q.take(1020)[0].body, { revision: 1, save_id: 's3', scores: { sqm: 2 }, comment: '', seconds: 0 });
});

test('waits grow from one second to thirty', () => {
  const q = queue();
  q.edit(0, value(1), 0);
  let now = 0;
  const waits = [];
  for (let i = 0; i < 8; i++) {
    assert.equal(q.take(now).length, 1);
    q.answer(0, 503, null, now);
    waits.push((q.wake() - now) / 1000);
    now = q.wake();
  }
  assert.deepEqual(waits, [...WAITS, 30, 30]);
  assert.equal(q.report(clock).text, 'trying again, 1 change kept');
  q.hurry(now - 5000);
  assert.equal(q.take(now - 5000).length, 1, 'being online again does not wait');
});

test('back to the saved value: nothing to send', () => {
  const q = queue(card(2, { sqm: 3 }));
  q.edit(0, value(1), 600);
  q.edit(0, value(3), 600);
  assert.deepEqual(q.take(700), []);
  assert.ok(q.settled());
});

test('changed in another window: nothing is lost, mine can be kept', () => {
  const q = queue(card(1, { sqm: 0 }, '', 10));
  q.gain(0, 2);
  q.edit(0, value(4, 'mine'), 0);
  q.take(0);
  assert.equal(q.answer(0, 409, { code: 'conflict', card: card(5, { sqm: 2 }, 'theirs', 40) }, 1), false);
  assert.deepEqual(q.cards[0].value, value(4, 'mine'));
  assert.equal(q.report(clock).text, 'not saved: changed elsewhere');
  assert.deepEqual(q.take(9999), [], 'nothing is sent until it is decided');
  q.edit(0, value(3, 'mine'), 2);
  q.resolve(0, 'mine', 3);
  const [r] = q.take(3);
  assert.deepEqual([r.body.revision, r.body.scores, r.body.seconds], [5, { sqm: 3 }, 42]);
});

test('changed in another window: theirs can be taken', () => {
  const q = queue(card(1));
  q.edit(0, value(4), 0);
  q.take(0);
  q.answer(0, 409, { code: 'conflict', card: card(5, { sqm: 2 }, 'theirs', 40) }, 1);
  q.resolve(0, 'theirs', 2);
  assert.deepEqual(q.cards[0].value, value(2, 'theirs'));
  assert.ok(q.settled());
});

test('both windows hold the same: no conflict to show', () => {
  const q = queue(card(1));
  q.edit(0, value(4), 0);
  q.take(0);
  q.answer(0, 409, { code: 'conflict', card: card(2, { sqm: 4 }) }, 1);
  assert.equal(q.cards[0].conflict, null);
  assert.ok(q.settled());
});

test('time alone never shows a conflict', () => {
  const q = queue(card(1, { sqm: 1 }, '', 10));
  q.gain(0, WORTH + 1);
  q.sendTime(0, 0);
  assert.equal(q.take(0)[0].body.seconds, 16);
  assert.equal(q.report(clock).state, 'idle');
  const changed = q.answer(0, 409, { code: 'conflict', card: card(4, { sqm: 2 }, '', 30) }, 1);
  assert.ok(changed, 'the page shows what the other window entered');
  assert.deepEqual([q.cards[0].value, q.cards[0].conflict, q.cards[0].seconds], [value(2), null, 36]);
});

test('a little time is not worth a request', () => {
  const q = queue();
  q.gain(0, WORTH - 0.1);
  q.sendTime(0, 0);
  assert.deepEqual(q.take(0), []);
});

test('a failure to save time alone is not worth a word', () => {
  const q = queue();
  q.gain(0, 60);
  q.sendTime(0, 0);
  q.take(0);
  q.answer(0, 0, null, 0);
  assert.equal(q.report(clock).state, 'idle');
});

test('closed: nothing more is sent', () => {
  const q = queue();
  q.edit(0, value(1), 0);
  q.edit(1, value(1), 0);
  q.take(0);
  q.answer(0, 409, { code: 'closed', error: 'the round is decided' }, 1);
  q.answer(1, 0, null, 1);
  assert.equal(q.closed, 'the round is decided');
  assert.equal(q.report(clock).text, 'kept in this browser');
  assert.deepEqual(q.take(1e9), []);
  assert.equal(q.wake(), null);
});

test('refused: said, not repeated, sent again when changed', () => {
  const q = queue();
  q.edit(0, value(1, 'long'), 0);
  q.take(0);
  q.answer(0, 422, { error: 'the comment is too long', field: 'comment' }, 1);
  assert.equal(q.report(clock).text, 'not saved: the comment is too long');
  assert.deepEqual(q.take(1e9), []);
  assert.ok(q.stuck());
  q.edit(0, value(1, 'short'), 2);
  assert.equal(q.take(2)[0].body.comment, 'short');
});

test('signed out: kept and tried again', () => {
  const q = queue();
  q.edit(0, value(1), 0);
  q.take(0);
  q.answer(0, 401, { error: 'sign in' }, 1);
  assert.equal(q.report(clock).text, 'signed out, 1 change kept');
  assert.equal(q.take(2000)[0].again, true);
});

test('too many requests, or none that is read in time: kept and tried again', () => {
  for (const status of [408, 429, 500, 503]) {
    const q = queue();
    q.edit(0, value(1), 0);
    q.take(0);
    q.answer(0, status, { error: 'later' }, 1);
    assert.equal(q.report(clock).text, 'trying again, 1 change kept', `${status}`);
    assert.equal(q.take(2000)[0].again, true, `${status}`);
  }
});

test('after a reload, kept changes are sent', () => {
  const q = queue(card(1));
  q.edit(0, value(4, 'kept'), 600);
  const kept = JSON.parse(JSON.stringify(q.keep(0, 1)));
  const again = queue(card(1));
  assert.ok(again.restore(0, [kept], 0));
  assert.deepEqual(again.cards[0].value, value(4, 'kept'));
  assert.equal(again.take(0)[0].body.revision, 1);
});

test('after a reload, an unanswered save that arrived is recognised', () => {
  const q = queue(card(1));
  q.edit(0, value(2), 0);
  q.take(0); // arrives, but its answer does not
  q.edit(0, value(3), 1);
  const kept = q.keep(0, 1);
  const again = queue(card(2, { sqm: 2 }));
  again.restore(0, [kept], 0);
  assert.equal(again.cards[0].conflict, null);
  assert.deepEqual([again.take(0)[0].body.revision, again.cards[0].value], [2, value(3)]);
});

test('after a reload, a change from elsewhere is a conflict, after another reload too', () => {
  const q = queue(card(1));
  q.edit(0, value(3), 0);
  let kept = q.keep(0, 1);
  for (let visit = 0; visit < 2; visit++) {
    const again = queue(card(7, { sqm: 0 }));
    again.restore(0, [kept], 0);
    assert.deepEqual([again.cards[0].conflict?.scores, again.cards[0].value], [{ sqm: 0 }, value(3)], `visit ${visit}`);
    assert.deepEqual(again.take(0), []);
    kept = again.keep(0, 1);
  }
});

test('after a reload, what the server already has is not kept', () => {
  const q = queue(card(1));
  q.edit(0, value(3), 0);
  const again = queue(card(2, { sqm: 3 }));
  assert.equal(again.restore(0, [q.keep(0, 1)], 0), false);
  assert.equal(again.keep(0, 1), null);
});

test('same compares what people entered', () => {
  assert.ok(same(value(1, 'a'), value(1, 'a')));
  assert.ok(!same(value(1), value(2)));
  assert.ok(!same(value(0), value()), 'no score is not a zero');
  assert.ok(!same({ scores: { a: 1 }, comment: '' }, { scores: { b: 1 }, comment: '' }));
});

// ---- several windows, and the browser's storage ----

/** A Storage, as browsers have it. */
class Store {
  /** @type {Map<string, string>} */
  map = new Map();
  get length() { return this.map.size; }
  key(n) { return [...this.map.keys()][n] ?? null; }
  getItem(name) { return this.map.get(name) ?? null; }
  setItem(name, text) { this.map.set(name, String(text)); }
  removeItem(name) { this.map.delete(name); }
}

// Repetitions that still wait must not keep the tests from ending.
const later = setTimeout;
globalThis.setTimeout = /** @type {any} */ ((go, wait) => later(go, wait).unref());
const pause = (wait = 5) => new Promise((go) => later(go, wait));

const IDS = ['card-p', 'card-q'];

/** A window on an assignment, with cards p and q unless others are named; fetch is what the server answers to a save. */
function open(t, storage, id, cards, fetch = async () => { throw new Error('offline'); }, ids = IDS) {
  t.mock.method(globalThis, 'fetch', fetch);
  const q = queue(...cards);
  const saver = connect(q, { url: '/cards/', ids, key: 'annotate/lin/a1/', id, storage, now: () => 0, change() {} });
  return { q, saver, shown: saver.restore() };
}

const saves = async (_, { body }) => ({ status: 200, json: async () => ({ revision: JSON.parse(body).revision + 1, saved_at: '2026-11-21T12:03:00Z' }) });

test('two windows do not overwrite what the other keeps', async (t) => {
  const storage = new Store();
  const a = open(t, storage, 'A', [card(1)]);
  const b = open(t, storage, 'B', [card(1)]);
  a.saver.edit(0, value(4, 'from A'), 600);
  await pause();
  b.saver.edit(0, value(1, 'from B'), 600);
  assert.deepEqual(kept(storage, 'annotate/lin/a1/', IDS).map((k) => [k.index, k.entry.value.comment]), [[0, 'from A'], [0, 'from B']]);

  // Both are closed; the newest is shown, the other is asked about.
  const c = open(t, storage, 'C', [card(1)], saves);
  assert.deepEqual(c.shown, [0]);
  assert.deepEqual(c.q.cards[0].value, value(1, 'from B'));
  assert.equal(c.q.cards[0].conflict?.comment, 'from A');
  c.saver.resolve(0, 'theirs');
  await pause();
  assert.deepEqual([c.q.cards[0].base, c.q.cards[0].revision], [value(4, 'from A'), 2], 'what only the browser had is sent');
  assert.equal(storage.length, 0, 'nothing is kept once it is saved');
});

test('a change stays with its card when the segment is given another translation', async (t) => {
  const storage = new Store();
  open(t, storage, 'A', [card(1), card(1)]).saver.edit(1, value(4, 'on q'), 600);
  await pause();
  /** @type {string[]} */
  const urls = [];
  const record = async (/** @type {string} */ url, /** @type {any} */ request) => { urls.push(url); return saves(url, request); };
  const b = open(t, storage, 'B', [card(1), card(0), card(1)], record, ['card-q', 'card-new', 'card-p']);
  await pause();
  assert.deepEqual([b.shown, b.q.cards.map((c) => c.value.comment), urls], [[0], ['on q', '', ''], ['/cards/card-q']]);
});

test('a change that an earlier version kept under a place is asked about', async (t) => {
  const storage = new Store();
  storage.setItem('annotate/lin/a1/1/A', JSON.stringify({ revision: 1, value: value(4), seconds: 2, sent: null, at: 1 }));
  const b = open(t, storage, 'B', [card(1), card(1, { sqm: 2 })], saves);
  assert.deepEqual([b.shown, b.q.cards[1].value, b.q.cards[1].conflict?.scores], [[1], value(4), { sqm: 2 }]);
  await pause();
  assert.notEqual(b.q.cards[1].conflict, null, 'nothing is sent until it is decided');
  b.saver.resolve(1, 'mine');
  await pause();
  assert.deepEqual([b.q.cards[1].base, storage.length], [value(4), 0]);
});

test('what another window goes on to keep stays', async (t) => {
  const storage = new Store();
  const b = open(t, storage, 'B', [card(1)]);
  b.saver.edit(0, value(1), 600);
  const a = open(t, storage, 'A', [card(1)], saves);
  b.saver.edit(0, value(2), 600);
  await pause();
  assert.equal(a.q.cards[0].revision, 2);
  a.saver.forget();
  assert.deepEqual(kept(storage, 'annotate/lin/a1/', IDS).map((k) => k.entry.value), [value(2)]);
});

test('forgetting spares what the server has not got', async (t) => {
  const storage = new Store();
  const a = open(t, storage, 'A', [card(1), card(1)]);
  a.saver.edit(0, value(3), 600);
  storage.setItem('annotate/lin/a1/card-q/B', JSON.stringify({ revision: 0, value: value(), seconds: 0, sent: null, at: 1 }));
  a.saver.forget();
  assert.deepEqual(kept(storage, 'annotate/lin/a1/', IDS).map((k) => [k.index, k.entry.value]), [[0, value(3)]]);
});

test('three versions are asked about one after the other', () => {
  const q = queue(card(7, { sqm: 0 }));
  const entry = (sqm, revision, at) => ({ revision, value: value(sqm), seconds: 0, sent: null, at });
  q.restore(0, [entry(1, 3, 10), entry(2, 3, 20), entry(1, 4, 5)], 0);
  assert.deepEqual([q.cards[0].value, q.cards[0].conflict?.scores], [value(2), { sqm: 0 }], 'the server first');
  q.resolve(0, 'mine', 0);
  assert.deepEqual([q.cards[0].value, q.cards[0].conflict?.scores], [value(2), { sqm: 1 }]);
  assert.deepEqual(q.take(0), [], 'nothing is sent until it is decided');
  q.resolve(0, 'mine', 0);
  assert.equal(q.cards[0].conflict, null);
  assert.deepEqual([q.take(0)[0].body.revision, q.cards[0].value], [7, value(2)]);
});

test('a reload keeps the id of the window, a copy of the window gets its own', () => {
  let n = 0;
  const newId = () => `w${++n}`;
  const session = new Store();
  const first = windowId(session, newId);
  const copied = new Store();
  copied.map = new Map(session.map);
  assert.equal(windowId(copied, newId).id, 'w2');
  first.leave();
  assert.equal(windowId(session, newId).id, first.id);
  copied.map = new Map(session.map); // a copy of the window after the reload
  assert.equal(windowId(copied, newId).id, 'w3');
  assert.ok(windowId(null, newId).id);
});

test('a request sent on leaving does not hang a page that lives on', async (t) => {
  t.mock.method(globalThis, 'fetch', (_, { signal }) => new Promise((_, fail) => {
    signal?.addEventListener('abort', () => fail(signal.reason));
  }));
  const q = queue(card(1));
  const saver = connect(q, { url: '/cards/', ids: IDS, key: 'k/', id: 'A', storage: null, now: () => 0, change() {}, timeout: 10 });
  saver.edit(0, value(3), 600);
  saver.flush(true);
  assert.equal(q.report(clock).text, 'saving…');
  await pause(50);
  assert.equal(q.report(clock).text, 'offline, 1 change kept');
});

test('a save that is confirmed while the next page loads is not missing there', async (t) => {
  const storage = new Store();
  const a = open(t, storage, 'A', [card(1), card(1)], saves);
  a.saver.leave(); // the server writes the next page now
  a.saver.edit(0, value(3));
  await pause();
  assert.deepEqual([a.q.cards[0].base, a.q.dirty(0)], [value(3), false]);
  // The page shows the card as it was, or as it is. The save is repeated under its id, or needs no repetition.
  const before = open(t, storage, 'A', [card(1), card(1)]);
  assert.deepEqual([before.shown, before.q.cards[0].value, before.q.cards[0].sending?.revision], [[0], value(3), 1]);
  const after = open(t, storage, 'A', [card(2, { sqm: 3 }), card(1)]);
  assert.deepEqual([after.shown, after.q.settled(), storage.length], [[], true, 0]);
});

test('a page that is older than what the browser keeps takes its revision', () => {
  const q = queue(card(1));
  q.restore(0, [{ revision: 2, value: value(3), seconds: 0, sent: null, at: 1 }], 0);
  assert.deepEqual([q.cards[0].conflict, q.cards[0].value, q.take(0)[0].body.revision], [null, value(3), 2]);
  // The change went back to what the older page shows.
  const back = queue(card(1));
  back.restore(0, [{ revision: 2, value: value(), seconds: 0, sent: null, at: 1 }], 0);
  assert.deepEqual([back.take(0)[0].body.revision, back.cards[0].value], [2, value()]);
});

test('a page that lives on after it was to be left keeps nothing that is saved', async (t) => {
  const storage = new Store();
  t.mock.method(globalThis, 'fetch', saves);
  const q = queue(card(1));
  const saver = connect(q, { url: '/cards/', ids: IDS, key: 'k/', id: 'A', storage, now: () => 0, change() {}, timeout: 10 });
  saver.leave();
  saver.edit(0, value(3));
  await pause();
  assert.equal(storage.length, 1);
  await pause(50);
  assert.equal(storage.length, 0);
});

test('somebody else is signed in: kept, said and tried again, slowly', () => {
  for (const [status, text] of [[403, 'not allowed to save, 1 change kept'], [404, 'not found for this sign-in, 1 change kept']]) {
    const q = queue();
    q.edit(0, value(1), 0);
    q.take(0);
    q.answer(0, status, { error: 'no' }, 0);
    assert.deepEqual(q.report(clock), { state: 'lost', text });
    assert.equal(q.wake(), SLOW * 1000);
    q.hurry(10); // the window has the focus again
    const [again] = q.take(10);
    assert.deepEqual([again.again, again.body.save_id], [true, 's1']);
    q.answer(0, 200, { revision: 1, saved_at: '' }, 20);
    assert.ok(q.settled());
  }
});

test('finished work that is changed says that it was not submitted again', () => {
  const save = (q, v, at) => {
    q.edit(0, v, at);
    q.take(at);
    q.answer(0, 200, { revision: at, saved_at: 'x' }, at);
    return q.report(clock).text;
  };
  const q = new Queue([card(1, { sqm: 2 })], () => 'id', { submitted: true });
  assert.equal(q.report(clock).text, 'changes save themselves');
  assert.equal(save(q, value(3), 2), 'saved 12:03, not submitted again');
  assert.equal(save(q, value(2), 3), 'saved 12:03', 'as it was submitted');
  const again = new Queue([card(1, { sqm: 2 })], () => 'id', { submitted: true, changed: true });
  assert.equal(again.report(clock).text, 'changes not submitted again');
  assert.equal(save(again, value(3), 2), 'saved 12:03, not submitted again');
  assert.equal(save(queue(), value(3), 1), 'saved 12:03', 'work under way');
});

test('of work that can only be read, what was never saved is left over', () => {
  const storage = new Store();
  const put = (name, v) => storage.setItem(name, JSON.stringify({ revision: 1, value: v, seconds: 0, sent: null, at: 1 }));
  put('annotate/lin/a1/card-p/A', value(3));
  put('annotate/lin/a1/card-q/A', value(3, 'never saved'));
  put('annotate/lin/a2/card-p/A', value(3));
  const left = leftovers(storage, 'annotate/lin/a1/', [{ ...card(1, { sqm: 3 }), id: 'card-p' }, { ...card(1, { sqm: 3 }), id: 'card-q' }]);
  assert.deepEqual(left.map((k) => k.name), ['annotate/lin/a1/card-q/A']);
  assert.deepEqual([...storage.map.keys()], ['annotate/lin/a1/card-q/A', 'annotate/lin/a2/card-p/A'], 'other work is left alone');
});

test('marks are part of a value', () => {
  const span = { id: 's1', side: 'target', start: 0, end: 1, text: 'a', severity: 'minor' };
  const marked = (/** @type {any[]} */ spans, no_errors = false) => ({ scores: {}, comment: '', spans, no_errors });
  assert.ok(same(marked([span]), marked([{ ...span, category: '', link: '' }])), 'empty is none');
  assert.ok(!same(marked([span]), marked([{ ...span, start: 1 }])));
  assert.ok(!same(marked([span]), marked([])));
  assert.ok(!same(marked([]), marked([], true)));
  assert.ok(!same({ scores: { a: 0 }, comment: '' }, { scores: {}, comment: '' }), 'a zero is a score');
  const q = new Queue([{ ...marked([]), revision: 0, seconds: 0 }], () => 'x');
  q.edit(0, marked([span]), 0);
  assert.deepEqual(q.take(0)[0].body, { revision: 0, save_id: 'x', scores: {}, comment: '', spans: [span], no_errors: false, seconds: 0 });
  q.answer(0, 409, { code: 'conflict', card: { id: 'card-p', revision: 4, seconds: 1, ...marked([], true) } }, 0);
  assert.deepEqual([q.cards[0].conflict?.spans, q.cards[0].conflict?.no_errors], [[], true]);
  q.resolve(0, 'theirs', 0);
  assert.deepEqual(q.cards[0].value, marked([], true));
});

test('a reload while a save is under way repeats that save, and what came since goes after it', () => {
  const q = queue();
  q.edit(0, value(1), 0);
  q.take(0);
  const kept = q.keep(0, 1);
  // The server has not got it when it writes the new page, and gets it then.
  const again = new Queue([card()], () => 'new');
  again.restore(0, [kept], 0);
  again.edit(0, value(2), 1);
  const [r] = again.take(1);
  assert.deepEqual([r.again, r.body.save_id, r.body.revision, r.body.scores], [true, 's1', 0, { sqm: 1 }]);
  again.answer(0, 200, { revision: 1, saved_at: '' }, 2);
  const [next] = again.take(2);
  assert.deepEqual([next.body.revision, next.body.scores], [1, { sqm: 2 }]);
  assert.equal(again.cards[0].conflict, null);
});

test('a reload after an undo back to what the server has repeats the save that is under way', () => {
  const q = queue(card(3, { sqm: 1 }));
  q.edit(0, value(2), 0);
  q.take(0);
  q.edit(0, value(1), 10);
  const left = q.keep(0, 20);
  const again = queue(card(3, { sqm: 1 })); // the save has not arrived yet
  assert.equal(again.restore(0, [left], 0), false, 'the card shows what it showed');
  const [first] = again.take(0);
  assert.deepEqual([first.body.save_id, first.body.revision, first.body.scores], ['s1', 3, { sqm: 2 }]);
  again.answer(0, 200, { revision: 4, saved_at: '' }, 5); // it arrived before, and is known
  const [second] = again.take(5);
  assert.deepEqual([second.body.revision, second.body.scores], [4, { sqm: 1 }]);
});

test('what was entered while a save was refused is sent', () => {
  const q = new Queue([{ scores: {}, comment: '', revision: 0, seconds: 0 }], () => 'x');
  q.edit(0, { scores: {}, comment: 'too long' }, 0);
  q.take(0);
  q.edit(0, { scores: {}, comment: 'short' }, 5);
  q.answer(0, 422, { error: 'shorten it' }, 10);
  assert.equal(q.cards[0].refused, '');
  assert.deepEqual(q.take(10).map((r) => /** @type {any} */ (r.body).comment), ['short']);
});

test('an answer that is cut off does not close the segment: the save is sent again', async (t) => {
  for (const status of [200, 409]) {
    t.mock.method(globalThis, 'fetch', async () => ({ status, json: async () => { throw new Error('cut off'); } }));
    const q = queue(card(1));
    const saver = connect(q, { url: '/cards/', ids: IDS, key: 'k/', id: 'A', storage: null, now: () => 0, change() {} });
    saver.edit(0, value(3));
    await pause(10);
    assert.deepEqual([q.closed, q.report(clock).text, q.wake()], ['', 'trying again, 1 change kept', 1000 * WAITS[0]]);
    q.closed = 'over';
    saver.flush(); // forgets the timer
  }
});

test('time that was saved elsewhere is no conflict: the change is sent on top of it', () => {
  const q = queue();
  q.gain(0, 2);
  q.edit(0, value(3), 0);
  q.take(0);
  assert.equal(q.answer(0, 409, { code: 'conflict', card: card(1, {}, '', 5.4) }, 10), false);
  assert.equal(q.cards[0].conflict, null);
  assert.deepEqual(q.take(10).map(({ body }) => body), [{ revision: 1, save_id: 's2', scores: { sqm: 3 }, comment: '', seconds: 7.4 }]);
});
