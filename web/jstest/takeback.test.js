import test from 'node:test';
import assert from 'node:assert/strict';

/** An element that only keeps what it is given. */
const element = () => ({ setAttribute() {}, append() {}, remove() {}, addEventListener() {}, className: '', textContent: '', dataset: {} });

test('taking a submission back says that there was something to take back, once', async () => {
  const kept = new Map([['annotate/take-back', JSON.stringify({ url: '/take-back', until: Date.now() + 10_000 })]]);
  const asked = [];
  Object.assign(globalThis, {
    sessionStorage: { getItem: (k) => kept.get(k) ?? null, setItem: (k, v) => kept.set(k, v), removeItem: (k) => kept.delete(k) },
    document: { getElementById: () => null, createElement: element, body: element() },
    location: { assign: (to) => asked.push(`go to ${to}`) },
    fetch: async (url) => { asked.push(url); return { ok: true, json: async () => ({ next: '/segment' }) }; },
  });
  const { leaving, takeBack } = await import('../static/js/takeback.js');
  assert.equal(takeBack(), true);
  await new Promise(setImmediate);
  assert.deepEqual(asked, ['/take-back', 'go to /segment']);
  assert.equal(takeBack(), false);
  assert.equal(asked.length, 2);
  leaving('/take-back', 10);
  assert.equal(JSON.parse(kept.get('annotate/take-back')).url, '/take-back');
  leaving('', 10);
  assert.equal(kept.size, 0);
});
