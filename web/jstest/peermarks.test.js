import test from 'node:test';
import assert from 'node:assert/strict';
import { drop, has, majority, merge, overlapping, sameSpan, start, take, takeAll } from '../static/js/peermarks.js';
import { same } from '../static/js/save.js';
import { clash, table } from '../static/js/keys.js';

const text = 'The old ferry do not go today at all.';
const texts = { source: 'Die Fähre fährt heute nicht.', target: text };
/** A span over words of the translation. */
const on = (words, severity = 'minor', more = {}) => {
  const begin = text.indexOf(words);
  return { id: words, side: 'target', start: begin, end: begin + words.length, text: words, severity, ...more };
};
const empty = { scores: {}, comment: '', spans: [], no_errors: false };
const words = (v) => v.spans.map((s) => s.text);
/** Annotators A, B, … who marked these spans. */
const by = (...lists) => lists.map((spans, i) => ({ letter: 'ABC'[i], scores: {}, spans }));

test('two spans are the same where what they share is at least half of each, on the same side', () => {
  assert.ok(sameSpan(on('do not'), on('do not go')));
  assert.ok(sameSpan(on('do not', 'major'), on('do not', 'minor')));
  assert.ok(sameSpan(on('not go'), on('do not')), 'three of six characters');
  assert.ok(!sameSpan(on('not go today'), on('do not')), 'three of twelve');
  assert.ok(!sameSpan(on('do not go today'), on('do')));
  assert.ok(!sameSpan(on('do not'), on('go today')));
  assert.ok(!sameSpan(on('do not'), { ...on('do not'), side: 'source' }));
  const gap = { ...on('do'), end: on('do').start, text: '' };
  assert.ok(sameSpan(gap, { ...gap, id: 'other' }));
  assert.ok(!sameSpan(gap, on('do not')), 'a gap counts as one character');
});

test('one span is taken, changed by taking another one of its place, and dropped', () => {
  const one = take(empty, [on('do not', 'major', { comment: 'does', suggestion: '4' })]);
  assert.deepEqual(one.spans, [{ ...on('do not', 'major', { comment: 'does' }), id: 's1' }]);
  assert.ok(has(one, on('do not', 'major')));
  assert.ok(!has(one, on('do not', 'minor')));
  const other = take(one, [on('do not', 'minor')]);
  assert.deepEqual(other.spans, [{ ...on('do not', 'minor'), id: 's1' }]);
  assert.deepEqual(drop(other, on('do not', 'major')).spans, []);
  assert.equal(drop(empty, on('do not')), empty);
  assert.equal(take(empty, []), empty);
  assert.equal(take({ ...empty, no_errors: true }, [on('do')]).no_errors, false);
  assert.deepEqual(empty.spans, []);
});

test('a link is taken once both of its spans are', () => {
  const a = [on('ferry', 'minor', { link: 'today' }), on('today')];
  const first = take(empty, [a[0]], a);
  assert.equal(first.spans[0].link, undefined);
  const both = take(first, [a[1]], a);
  assert.equal(both.spans[0].link, both.spans[1].id);
  assert.deepEqual(take(empty, a), both);
});

test('all of an annotator comes beside what the card has', () => {
  const a = { letter: 'A', scores: { score: 30 }, spans: [on('ferry'), on('do not')] };
  const all = takeAll({ ...empty, scores: { score: 90 }, comment: 'mine', spans: [{ ...on('today'), id: 's1' }] }, a);
  assert.deepEqual(words(all), ['today', 'ferry', 'do not']);
  assert.deepEqual(all.scores, { score: 30 });
  assert.equal(all.comment, 'mine');
  assert.ok(same(takeAll(all, a), all), 'a second time nothing is new');
  assert.equal(takeAll(empty, { letter: 'B', scores: {}, spans: [] }).no_errors, true);
  assert.equal(takeAll(all, { letter: 'B', scores: {}, spans: [] }).no_errors, false);
  assert.deepEqual(takeAll({ scores: {}, comment: '' }, { letter: 'A', scores: { sqm: 3 } }), { scores: { sqm: 3 }, comment: '' });
});

test('a span is merged with the marks of the card that overlap it, which keep what they say', () => {
  const peers = by([on('do not', 'major', { category: 'Fluency', subcategory: 'Grammar' })], [on('not go', 'minor', { comment: 'goes' })], [on('go today')]);
  const mine = take(empty, peers[0].spans);
  const one = merge(mine, texts, peers, peers[1].spans[0]);
  assert.deepEqual(one.spans, [{ ...on('do not go', 'major'), category: 'Fluency', subcategory: 'Grammar', comment: 'goes', id: 's1' }]);
  assert.ok(same(merge(one, texts, peers, peers[1].spans[0]), one), 'what it covers already adds nothing');
  // Two marks of the card that a span joins become one.
  const two = take(empty, [on('do'), on('go')]);
  const joined = merge(two, texts, peers, on('do not go'));
  assert.deepEqual(words(joined), ['do not go']);
  assert.equal(joined.spans[0].id, 's1');
});

test('on an empty card a span is merged with those of all annotators that overlap it', () => {
  const peers = by([on('do not', 'major')], [on('not go', 'major')], [on('go today', 'minor'), on('ferry')]);
  assert.deepEqual(overlapping(empty, peers, peers[1].spans[0]).all.map((s) => s.text), ['do not', 'not go', 'go today']);
  const one = merge(empty, texts, peers, peers[1].spans[0]);
  assert.deepEqual(words(one), ['do not go today']);
  assert.equal(one.spans[0].severity, 'major', 'two of three say so');
  assert.equal(merge(empty, texts, by([on('do not', 'major')], [on('not go', 'minor')]), on('do not')).spans[0].severity, '', 'nobody is outvoted by one of two');
  assert.equal(merge(empty, texts, peers, peers[2].spans[1]), empty, 'the ferry stands alone');
});

test('the majority is more than half of the annotators', () => {
  const three = by([on('do not', 'major'), on('ferry')], [on('do not go', 'major')], [on('not go', 'minor'), on('today')]);
  assert.deepEqual(majority(three).map((s) => [s.text, s.severity]), [['do not go', 'major']]);
  assert.deepEqual(majority(three.slice(0, 2)).map((s) => s.text), ['do not go'], 'of two that share as much the first by reading');
  assert.deepEqual(majority(by([on('ferry')], [on('today')])), []);
  assert.deepEqual(majority(by([on('ferry')])).map((s) => s.text), ['ferry']);
  // One annotator has one vote, however many marks they made at a place.
  assert.deepEqual(majority(by([on('do not'), { ...on('do not go'), id: 'x' }], [], [])), []);
  // What they do not agree on is left open.
  const kinds = by([on('ferry', 'major', { category: 'Accuracy' })], [on('ferry', 'minor', { category: 'Style' })]);
  assert.deepEqual(majority(kinds).map(({ severity, category }) => [severity, category]), [['', '']]);
});

test('a start by majority adds what the card lacks, and says no errors where most found none', () => {
  const peers = by([on('ferry'), on('do not')], [on('ferry'), on('do not go')]);
  const first = start(empty, peers);
  assert.deepEqual(words(first), ['ferry', 'do not go']);
  assert.equal(start(first, peers), first);
  assert.deepEqual(words(start(take(empty, [on('not go')]), peers)), ['not go', 'ferry'], 'a mark of the card that is the same stays as it is');
  assert.equal(start(empty, by([], [], [on('do')])).no_errors, true);
  assert.equal(start(empty, by([], [on('do')])), empty);
});

test('the keys of an adjudication are free under every protocol', () => {
  const severities = ['neutral', 'minor', 'major', 'critical'].map((id) => ({ id, name: id, style: '' }));
  for (const marking of [undefined, { severities, categories: [{ name: 'x', text: '' }], links: true, missing_punctuation: {}, suggestions: true }]) {
    const keys = table([{ name: 'sqm', label: 'SQM', min: 0, max: 4 }], marking, {}, true);
    assert.deepEqual(keys.filter((k) => keys.some((o) => clash(k, o))), []);
    assert.equal(keys.filter((k) => ['take', 'peer'].includes(k.act)).length, 3);
  }
  assert.ok(!table([], undefined).some((k) => k.act === 'take'));
});

test('an annotator who says something else of the same term is not taken with it', () => {
  const term = (answers, more = {}) => ({ ...on('ferry', ''), category: 'Material', answers, ...more });
  const [a, b, c] = [term({ explication: 'a boat' }), term({ explication: 'a ship' }), term({ explication: 'a boat', equivalent: 'ferry' })];
  const one = take(empty, [a]);
  assert.ok(has(one, a));
  assert.ok(!has(one, b) && !has(one, c));
  assert.deepEqual(take(one, [b]).spans[0].answers, { explication: 'a ship' });
  assert.deepEqual(start(empty, by([a], [b])).spans[0].answers, {}, 'no answer has a majority');
  assert.deepEqual(start(empty, by([a], [b], [c])).spans[0].answers, { explication: 'a boat' });
  assert.deepEqual(merge(empty, texts, by([a], [term({ explication: 'a boat' })]), a).spans[0].answers, { explication: 'a boat' });
  assert.deepEqual(drop(one, a).spans, []);
  assert.deepEqual(drop(one, a, true).spans[0].answers, {}, 'a given term stays');
});
