import test from 'node:test';
import assert from 'node:assert/strict';
import { inWords } from '../static/js/inwords.js';

const plain = (text) => text.replace(/[\u2066-\u2069]/g, '');

test('all that a card holds is said: answers and edited texts, scores, marks and comment', () => {
  const questions = [
    { name: 'difficulty', label: 'Difficulty', kind: 'number' }, { name: 'best', label: 'Best', kind: 'candidate', none: 'None' },
    { name: 'edited', label: 'Text', kind: 'text', begin: 'best' }, { name: 'keep', label: 'Keep?', kind: 'choice', options: [{ value: 'yes', label: 'Keep' }] },
  ];
  const state = { scores: [{ name: 'difficulty', label: 'Difficulty' }], questions, cards: [{ candidates: [{ id: 'c1', text: 'A ferry' }] }] };
  const value = { scores: {}, comment: 'why', answers: { best: ['c1'], edited: ['عبّارة'], keep: ['yes'] } };
  assert.equal(plain(inWords(state, value)), 'Difficulty – · Best “A ferry” · Text “عبّارة” · Keep? Keep · “why”');
  assert.equal(plain(inWords(state, { ...value, scores: { difficulty: 3 }, answers: { best: [''] }, comment: '' })), 'Difficulty 3 · Best None');

  const marked = { scores: [{ name: 'score', label: 'Score' }], cards: [{}] };
  assert.equal(plain(inWords(marked, { scores: {}, comment: '', spans: [{ text: 'cat', severity: 'minor', category: 'style' }] })), 'Score – · “cat”, minor, style');
  assert.equal(inWords(marked, { scores: { score: 50 }, comment: '', spans: [], no_errors: true }), 'Score 50 · no errors');

  const terms = { scores: [], cards: [{}], marking: { terms: true, questions: [{ name: 'explication', label: 'Explication', kind: 'text' }] } };
  const term = { side: 'source', text: 'Schultüte', category: 'Material', answers: { explication: 'A paper cone.' } };
  assert.equal(plain(inWords(terms, { scores: {}, comment: '', spans: [term] })), '“Schultüte”, Material, Explication A paper cone.');
  assert.equal(inWords(terms, { scores: {}, comment: '', spans: [], no_errors: true }), 'no terms');
});
