import test from 'node:test';
import assert from 'node:assert/strict';
import { keptInWords } from '../static/js/keptwords.js';

const plain = (text) => text.replace(/[\u2066-\u2069]/g, '');

test('all that a browser keeps of a card is said: answers and edited texts, scores, marks and comment', () => {
  const questions = [
    { name: 'difficulty', label: 'Difficulty', kind: 'number' }, { name: 'best', label: 'Best', kind: 'candidate', none: 'None' },
    { name: 'edited', label: 'Text', kind: 'text', begin: 'best' }, { name: 'keep', label: 'Keep?', kind: 'choice', options: [{ value: 'yes', label: 'Keep' }] },
  ];
  const state = { scores: [{ name: 'difficulty', label: 'Difficulty' }], questions, cards: [{ candidates: [{ id: 'c1', text: 'A ferry' }] }] };
  const value = { scores: {}, comment: 'why', answers: { best: ['c1'], edited: ['عبّارة'], keep: ['yes'] } };
  assert.equal(plain(keptInWords(state, value)), 'Best “A ferry” · Text “عبّارة” · Keep? Keep · “why”');
  assert.equal(plain(keptInWords(state, { ...value, scores: { difficulty: 3 }, answers: { best: [''] }, comment: '' })), 'Difficulty 3 · Best None');

  const marked = { scores: [{ name: 'score', label: 'Score' }], cards: [{}] };
  assert.equal(plain(keptInWords(marked, { scores: {}, comment: '', spans: [{ text: 'cat', severity: 'minor', category: 'style' }] })), 'Score – · cat, minor, style');
  assert.equal(keptInWords(marked, { scores: { score: 50 }, comment: '', spans: [], no_errors: true }), 'Score 50 · no errors');
});
