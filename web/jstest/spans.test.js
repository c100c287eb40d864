import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { length, slice, snap } from '../static/js/codepoints.js';
import { add, beginIds, freshId, inOrder, neighbour, nudge, pieces, remove, resize, set } from '../static/js/spans.js';

/** @typedef {import('../static/js/spans.js').Span} Span */

const texts = { source: '我喜欢🍜和👨‍🍳。', target: 'I like 🍜 and the 👨‍🍳.' };

/** Marks parts of the translation, each where it is found first. @param {string} text @param {string[]} parts */
function marked(text, ...parts) {
  /** @type {Span[]} */
  let spans = [];
  for (const part of parts) {
    const start = length(text.slice(0, text.indexOf(part)));
    spans = add(spans, { source: '', target: text }, { side: 'target', start, end: start + length(part), severity: 'minor' });
  }
  return spans;
}

/** What changes a value that is frozen throws. @template T @param {T} v @returns {T} */
function frozen(v) {
  if (v && typeof v === 'object') Object.values(Object.freeze(v)).forEach(frozen);
  return v;
}

test('adding', () => {
  /** @type {Span[]} */
  const none = frozen([]);
  const one = frozen(add(none, texts, { side: 'target', start: 7, end: 8, severity: 'minor' }));
  assert.deepEqual(one, [{ id: 's1', side: 'target', start: 7, end: 8, text: '🍜', severity: 'minor' }]);
  const two = add(one, texts, { side: 'source', start: 6, end: 7, severity: 'major', category: 'Style' });
  assert.equal(two[0], one[0]);
  assert.deepEqual(two[1], { id: 's2', side: 'source', start: 5, end: 8, text: '👨‍🍳', severity: 'major', category: 'Style' }, 'a whole grapheme cluster');
  const all = add(one, texts, { side: 'target', start: -5, end: 99, severity: 'minor' });
  assert.equal(all[1].text, texts.target, 'not outside of the text');
  assert.equal(add(one, texts, { side: 'target', start: 3, end: 3, severity: 'minor' }), one, 'not empty');
  assert.equal(add(one, texts, { side: 'target', start: 5, end: 3, severity: 'minor' }), one, 'not inverted');
  assert.equal(add(one, { source: '', target: '' }, { side: 'target', start: 0, end: 0, severity: 'minor' }), one);
});

test('missing punctuation', () => {
  const [gap] = add([], texts, { side: 'target', start: 6, end: 6, severity: '2', category: 'Grammar', subcategory: 'missing punctuation' }, true);
  assert.deepEqual([gap.start, gap.end, gap.text], [6, 6, '']);
  const [inside] = add([], texts, { side: 'source', start: 6, end: 6, severity: '2' }, true);
  assert.deepEqual([inside.start, inside.end], [5, 5], 'not inside of a cluster');
  const list = frozen([gap]);
  assert.equal(set(list, gap.id, { category: 'Style' }), list, 'an empty mark of another category is not allowed');
  assert.equal(set(list, gap.id, { subcategory: '' }), list);
  assert.equal(set(list, gap.id, { severity: '3', category: 'Style' })[0].severity, '3');
  const moved = nudge(list, texts, gap.id, 'end', 1)[0];
  assert.deepEqual([moved.start, moved.end, moved.text], [7, 7, '']);
  assert.deepEqual(nudge(list, texts, gap.id, 'start', 1).map((s) => [s.start, s.end]), [[7, 7]]);
  assert.deepEqual(resize(list, texts, gap.id, 'start', 99).map((s) => [s.start, s.end]), [[21, 21]]);
});

test('ids begin with what the server gives, and none comes twice', () => {
  beginIds('K3-');
  let spans = marked('one two three', 'one', 'two');
  spans = remove(spans, 'K3-2');
  assert.equal(freshId(spans), 'K3-3', 'K3-2 was another span');
  assert.equal(freshId([{ ...spans[0], id: 'K3-4' }]), 'K3-5', 'K3-4 is taken');
  beginIds('');
});

test('ids are unique in the card', () => {
  assert.equal(freshId([]), 's1');
  let spans = marked('one two three', 'one', 'two', 'three');
  assert.deepEqual(spans.map((s) => s.id), ['s1', 's2', 's3']);
  spans = remove(spans, 's1');
  assert.equal(freshId(spans), 's4', 's3 is taken');
  spans = add(spans, { source: '', target: 'one' }, { id: 'x7', side: 'target', start: 0, end: 1, severity: 'minor' });
  assert.equal(spans.at(-1)?.id, 'x7', 'an id may be given');
  for (let i = 0; i < 50; i++) {
    spans = i % 3 ? marked('a', 'a').concat(spans.filter((s) => s.id !== 's1')) : remove(spans, spans[i % spans.length].id);
    spans = [...spans, { ...spans[0], id: freshId(spans) }];
    assert.equal(new Set(spans.map((s) => s.id)).size, spans.length);
  }
});

test('removing, and the links that pointed there', () => {
  let spans = marked('one two three', 'one', 'two', 'three');
  spans = set(spans, 's1', { link: 's2' });
  spans = frozen(set(spans, 's3', { link: 's1' }));
  const left = remove(spans, 's2');
  assert.deepEqual(left.map((s) => [s.id, s.link]), [['s1', ''], ['s3', 's1']]);
  assert.equal(left[1], spans[2], 'what is not touched stays the same value');
  assert.equal(remove(spans, 'nobody'), spans);
});

test('what is said of a span', () => {
  const spans = frozen(set(marked('one two', 'one', 'two'), 's1', { category: 'Fluency', subcategory: 'Grammar' }));
  assert.deepEqual([spans[0].category, spans[0].subcategory], ['Fluency', 'Grammar']);
  assert.equal(set(spans, 's1', { severity: 'major' })[0].severity, 'major');
  assert.equal(set(spans, 's1', { comment: 'why' })[0].comment, 'why');
  assert.deepEqual(set(spans, 's1', { category: 'Style' })[0].subcategory, '', 'a subcategory of another category');
  assert.deepEqual(set(spans, 's1', { category: 'Style', subcategory: 'Awkward' })[0].subcategory, 'Awkward');
  assert.equal(set(spans, 's1', { category: 'Fluency' })[0].subcategory, 'Grammar', 'the same category');
  assert.equal(set(spans, 's1', { severity: 'minor', comment: '' }), spans, 'nothing changed');
  assert.equal(set(spans, 'nobody', { severity: 'major' }), spans);
  assert.equal(set(spans, 's1', { link: 's2' })[0].link, 's2');
  assert.equal(set(spans, 's1', { link: 's1' }), spans, 'not to itself');
  assert.equal(set(spans, 's1', { link: 's9' }), spans, 'not to nowhere');
  assert.equal(set(set(spans, 's1', { link: 's2' }), 's1', { link: '' })[0].link, '');
});

test('bounds moved to a point', () => {
  const text = 'The black cat';
  const t = { source: '', target: text };
  const spans = frozen(marked(text, 'black'));
  /** @param {'start'|'end'} edge @param {number} to */
  const to = (edge, to) => resize(spans, t, 's1', edge, to)[0].text;
  assert.equal(to('end', 13), 'black cat');
  assert.equal(to('end', 99), 'black cat');
  assert.equal(to('end', 6), 'bl');
  assert.equal(to('end', 2), 'b', 'not past the start');
  assert.equal(to('start', 0), 'The black');
  assert.equal(to('start', -3), 'The black');
  assert.equal(to('start', 12), 'k', 'not past the end');
  assert.equal(resize(spans, t, 's1', 'end', 9), spans);
  const cook = marked(texts.target, 'the');
  assert.equal(resize(cook, texts, 's1', 'end', 18)[0].text, 'the 👨‍🍳', 'a whole cluster');
  const only = marked(texts.target, '👨‍🍳');
  assert.equal(resize(only, texts, 's1', 'end', 0), only);
  assert.equal(resize(only, texts, 's1', 'start', 99), only);
});

test('bounds moved by keys', () => {
  const text = 'The black 👨‍🍳, sat.';
  const t = { source: '', target: text };
  const spans = frozen(marked(text, 'black'));
  /** @param {Span[]} list @param {['start'|'end', 1|-1][]} keys */
  const press = (list, ...keys) => keys.reduce((l, [edge, by]) => nudge(l, t, 's1', edge, by), list)[0].text;
  assert.equal(press(spans, ['end', 1]), 'black 👨‍🍳', 'over the blank');
  assert.equal(press(spans, ['end', 1], ['end', 1]), 'black 👨‍🍳,');
  assert.equal(press(spans, ['end', 1], ['end', -1]), 'black', 'and back');
  assert.equal(press(spans, ['start', -1]), 'e black');
  assert.equal(press(spans, ['start', -1], ['start', 1]), 'black');
  assert.equal(press(spans, ['start', 1], ['end', -1]), 'lac');
  const last = { source: '', target: 'one  two \n' };
  const two = marked(last.target, 'two');
  assert.equal(nudge(two, last, 's1', 'end', 1), two, 'only blanks are left');
  const blanks = marked(last.target, '  ');
  assert.equal(nudge(blanks, last, 's1', 'end', -1)[0].text, ' ', 'a mark of blanks alone');
  const one = marked(text, 'b');
  assert.equal(nudge(one, t, 's1', 'end', -1), one);
  assert.equal(nudge(one, t, 's1', 'start', 1), one);
  assert.equal(nudge(spans, t, 'nobody', 'start', 1), spans);
});

test('in the order of reading', () => {
  const text = 'one two three';
  let spans = marked(text, 'three', 'two', 'two three', 'one', 'two');
  spans = frozen(add(spans, { source: 'eins', target: text }, { side: 'source', start: 0, end: 4, severity: 'minor' }));
  assert.deepEqual(inOrder(spans).map((s) => s.text), ['eins', 'one', 'two three', 'two', 'two', 'three']);
  const ids = inOrder(spans).map((s) => s.id);
  for (const [i, id] of ids.entries()) {
    assert.equal(neighbour(spans, id, 1)?.id, ids[(i + 1) % ids.length]);
    assert.equal(neighbour(spans, ids[(i + 1) % ids.length], -1)?.id, id);
  }
  assert.equal(neighbour(spans, null, 1)?.id, ids[0]);
  assert.equal(neighbour(spans, null, -1)?.id, ids.at(-1));
  assert.equal(neighbour([], null, 1), undefined);
  assert.equal(neighbour([], 's1', -1), undefined);
});

/** Pieces on one line each. @param {string} text @param {Span[]} spans */
const drawn = (text, spans) => pieces(text, spans, 'target').map((p) => `${p.text || '^'}${p.marks.map((m) => ` ${m.id}/${m.lane}`).join('')}`);

test('pieces of nested and overlapping spans', () => {
  const text = 'one two three four';
  assert.deepEqual(drawn(text, []), [text]);
  assert.deepEqual(drawn('', []), []);
  assert.deepEqual(drawn(text, marked(text, 'two')), ['one ', 'two s1/0', ' three four']);
  assert.deepEqual(drawn(text, marked(text, 'two', 'one two three')), ['one  s2/0', 'two s2/0 s1/1', ' three s2/0', ' four'], 'nested, marked first');
  assert.deepEqual(drawn(text, marked(text, 'one two', 'two three', 'three four')),
    ['one  s1/0', 'two s1/0 s2/1', '  s2/1', 'three s2/1 s3/0', ' four s3/0'], 'a chain needs two lanes');
  assert.deepEqual(drawn(text, marked(text, 'two', 'two')), ['one ', 'two s1/0 s2/1', ' three four'], 'the same words twice');
  assert.deepEqual(drawn(text, marked(text, 'one ', 'two')), ['one  s1/0', 'two s2/0', ' three four'], 'neighbours share a lane');
});

test('pieces of gaps', () => {
  const text = 'one two';
  const t = { source: '', target: text };
  /** @param {Span[]} spans @param {number} at */
  const gap = (spans, at) => add(spans, t, { side: 'target', start: at, end: at, severity: '2' }, true);
  assert.deepEqual(drawn(text, gap([], 3)), ['one', '^ s1/0', ' two']);
  assert.deepEqual(drawn(text, gap([], 0)), ['^ s1/0', 'one two']);
  assert.deepEqual(drawn(text, gap([], 7)), ['one two', '^ s1/0']);
  assert.deepEqual(drawn('', gap([], 0)), ['^ s1/0']);
  assert.deepEqual(drawn(text, gap(marked(text, 'one'), 3)), ['one s1/0', '^ s2/0', ' two'], 'at the end of a span');
  assert.deepEqual(drawn(text, gap(marked(text, 'two'), 4)), ['one ', '^ s2/0', 'two s1/0'], 'at its start');
  assert.deepEqual(drawn(text, gap(marked(text, 'one two'), 3)), ['one s1/0', '^ s1/0 s2/1', ' two s1/0'], 'inside');
  assert.deepEqual(drawn(text, gap(gap([], 3), 3)), ['one', '^ s1/0 s2/1', ' two'], 'two at one place');
});

test('pieces of the source are apart', () => {
  const spans = add(marked(texts.target, 'like'), texts, { side: 'source', start: 1, end: 3, severity: 'major' });
  const [before, mark, after] = pieces(texts.source, spans, 'source');
  assert.deepEqual([before.text, mark.text, after.text], ['我', '喜欢', '🍜和👨‍🍳。']);
  assert.equal(mark.marks[0].severity, 'major', 'marks are the spans, with a lane');
  assert.deepEqual(drawn(texts.target, spans), ['I ', 'like s1/0', ' 🍜 and the 👨‍🍳.']);
});

/** Numbers in [0, n), the same in every run. @param {number} seed */
const random = (seed) => (/** @type {number} */ n) => {
  seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
  return Math.floor(seed / 2 ** 32 * n);
};

test('whatever is done, spans fit their texts and are drawn whole', () => {
  const cases = JSON.parse(readFileSync(new URL('../../internal/codepoint/testdata/offsets.json', import.meta.url), 'utf8'));
  const r = random(7);
  for (const c of cases) {
    const t = { source: 'The source 🚀', target: c.text };
    /** @type {Span[]} */
    let spans = [];
    for (let i = 0; i < 60; i++) {
      const n = c.code_points;
      const id = spans[r(spans.length + 1)]?.id ?? 'nobody';
      const edge = r(2) ? 'start' : 'end';
      const by = r(2) ? 1 : -1;
      frozen(spans);
      if (i % 6 < 2) spans = add(spans, t, { side: r(4) ? 'target' : 'source', start: r(n + 4) - 2, end: r(n + 4) - 2, severity: 'minor', link: id === 'nobody' ? '' : id }, r(5) === 0);
      else if (i % 6 === 2) spans = resize(spans, t, id, edge, r(n + 6) - 3);
      else if (i % 6 === 3) spans = nudge(spans, t, id, edge, by, r(2) === 0, 'th');
      else if (i % 6 === 4) spans = set(spans, id, { severity: 'major', link: spans[r(spans.length + 1)]?.id ?? '' });
      else if (r(3) === 0) spans = remove(spans, id);

      const ids = new Set(spans.map((s) => s.id));
      assert.equal(ids.size, spans.length);
      for (const s of spans) {
        const text = t[s.side];
        const where = `${c.name}: ${JSON.stringify(s)}`;
        assert.ok(s.start >= 0 && s.start <= s.end && s.end <= length(text), where);
        assert.equal(s.text, slice(text, s.start, s.end), where);
        assert.deepEqual(snap(text, s.start, s.end), [s.start, s.end], where);
        assert.ok(!s.link || ids.has(s.link), where);
      }
    }
    const drawn = pieces(c.text, spans, 'target');
    assert.equal(drawn.map((p) => p.text).join(''), c.text, c.name);
    /** @type {Map<string, {lane: number, text: string, from: number, to: number}>} */
    const seen = new Map();
    for (const [i, p] of drawn.entries()) {
      assert.equal(p.start, i ? drawn[i - 1].end : 0, c.name);
      assert.equal(p.text, slice(c.text, p.start, p.end), c.name);
      assert.equal(new Set(p.marks.map((m) => m.lane)).size, p.marks.length, `${c.name}: two marks in a lane`);
      for (const m of p.marks) {
        const s = seen.get(m.id) ?? { lane: m.lane, text: '', from: p.start, to: p.start };
        assert.equal(s.lane, m.lane, `${c.name}: a lane changes`);
        assert.equal(s.to, p.start, `${c.name}: a mark is interrupted`);
        seen.set(m.id, { ...s, text: s.text + p.text, to: p.end });
      }
    }
    const there = spans.filter((s) => s.side === 'target');
    assert.equal(seen.size, there.length, c.name);
    for (const s of there) assert.deepEqual(seen.get(s.id), { lane: seen.get(s.id)?.lane, text: s.text, from: s.start, to: s.end }, c.name);
  }
});
