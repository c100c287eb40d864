import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { called, categorise, kindName, missing, standsAlone, tally } from '../static/js/rules.js';

/** @param {string} id the protocol's file, which has all that the page's data block has */
function protocol(id) {
  const p = JSON.parse(readFileSync(new URL(`../../internal/protocol/builtin/${id}.json`, import.meta.url), 'utf8'));
  const { label, weights } = p.derived[0];
  return { scores: p.scores ?? [], marking: { ...p.spans, max_errors: p.spans.limited ? 5 : undefined, derived: p.scores ? undefined : { label, weights } } };
}
const [esa, mqm, rate] = ['esa', 'mqm', 'rate'].map(protocol);
const span = (more) => ({ id: 's1', side: 'target', start: 0, end: 3, text: 'abc', severity: 'minor', ...more });
const value = (spans, more) => ({ scores: {}, comment: '', spans, no_errors: false, ...more });

test('what a card still needs', () => {
  const all = { accuracy: 1, fluency: 1 };
  const cases = [
    ['a score', esa, value([span({})])],
    [undefined, esa, value([], { scores: { score: 0 } })],
    ['an error, or “no errors”', mqm, value([])],
    [undefined, mqm, value([], { no_errors: true })],
    ['a severity for “abc”', mqm, value([span({ severity: '' })])],
    ['a category for “abc”', mqm, value([span({})])],
    ['a kind of Accuracy for “abc”', mqm, value([span({ category: 'Accuracy' })])],
    [undefined, mqm, value([span({ category: 'Accuracy', subcategory: 'Omission' })])],
    [undefined, mqm, value([span({ category: 'Other' })])],
    ['a score for Accuracy', rate, value([])],
    ['a score for Fluency', rate, value([], { scores: { accuracy: 3 } })],
    ['a comment that explains “abc”, marked as Other', rate, value([span({ category: 'Other', comment: '  ' })], { scores: all })],
    [undefined, rate, value([span({ category: 'Other', comment: 'why' })], { scores: all })],
    [undefined, rate, value([span({ text: '', end: 0, category: 'Grammar', subcategory: 'missing punctuation' })], { scores: all })],
    [undefined, mqm, value([span({ category: 'Came with an import' })])],
  ];
  for (const [want, rules, v] of cases) assert.equal(missing(rules, v)?.what, want);
  assert.equal(missing(mqm, value([span({ category: 'Other' }), span({ id: 's7' })]))?.span, 's7');
});

test('the running score and the limit', () => {
  const of = (...marks) => tally(mqm.marking, marks.map((m, i) => span({ id: `s${i}`, ...m })));
  const comma = { category: 'Fluency', subcategory: 'Punctuation' };
  assert.deepEqual(of(), { text: 'MQM 0 · 0 of 5 errors', over: 0 });
  assert.equal(of(comma, comma, comma).text, 'MQM 0.3 · 3 of 5 errors');
  assert.equal(of({ severity: 'major', ...comma }, { category: 'Style', subcategory: 'Awkward' }).text, 'MQM 6 · 2 of 5 errors');
  assert.equal(of({ severity: 'major', category: 'Non-translation' }).text, 'MQM 25 · 1 of 5 errors');
  assert.deepEqual(of(...Array(6).fill({ severity: 'neutral' })), { text: 'MQM 0 · 6 of 5 errors', over: 1 });
  assert.deepEqual(of(...Array(6).fill({ severity: 'major', side: 'source', category: 'Source error' })), { text: 'MQM 0 · 0 of 5 errors', over: 0 });
  assert.equal(tally(esa.marking, [span({})]).text, '', 'nothing runs along with a score that is entered');
});

test('what follows from a category', () => {
  const texts = { source: 'Quelle', target: 'a 👨‍👩‍👧 b' };
  const spans = [span({}), span({ id: 's2', side: 'source', start: 1, end: 2, text: 'u', link: 's1' })];
  const plain = categorise(mqm.marking, spans, texts, 's1', 'Accuracy', 'Omission').spans;
  assert.deepEqual([plain[0].category, plain[0].subcategory, plain[1]], ['Accuracy', 'Omission', spans[1]]);
  const alone = categorise(mqm.marking, spans, texts, 's2', 'Non-translation').spans;
  assert.deepEqual(alone, [{ id: 's2', side: 'target', start: 0, end: 9, text: texts.target, severity: 'major', category: 'Non-translation', subcategory: '', link: '' }]);
  assert.ok(standsAlone(mqm.marking, alone));
  assert.ok(!standsAlone(mqm.marking, plain));
  assert.match(categorise(mqm.marking, spans, texts, 's1', 'Source error').refused ?? '', /in the source/);
  assert.equal(categorise(mqm.marking, spans, texts, 's2', 'Source error').spans[1].category, 'Source error');
  assert.deepEqual(categorise(mqm.marking, spans, texts, 'gone', 'Other'), { spans });
});

test('names', () => {
  assert.equal(kindName(span({ category: 'Style', subcategory: 'Awkward' })), 'Style / Awkward');
  assert.equal(called(span({ text: '🍜'.repeat(50) })), `“${'🍜'.repeat(40)}…”`);
  assert.equal(called(span({ text: '', subcategory: 'missing punctuation' })), 'missing punctuation');
});
