import test from 'node:test';
import assert from 'node:assert/strict';
import { answered, answersInWords, answerTo, beginning, isAsked, unanswered, unedited } from '../static/js/questions.js';
import { copy, same } from '../static/js/save.js';
import { match, table } from '../static/js/keys.js';

const questions = [
  { name: 'keep', label: 'Keep?', kind: 'choice', required: true, options: [{ value: 'yes', label: 'Yes' }, { value: 'no', label: 'No', comment: true }] },
  { name: 'hard', label: 'Difficulty', kind: 'number', min: 1, max: 5, required: true, when: { question: 'keep', is: ['yes'] } },
  { name: 'why', label: 'Why', kind: 'choice', several: true, options: [{ value: 'pun', label: 'Pun' }], when: { question: 'hard', is: ['4', '5'] } },
  { name: 'best', label: 'Best', kind: 'candidate', none: 'None of them' },
  { name: 'text', label: 'Text', kind: 'text', begin: 'best', required: true, when: { question: 'keep', is: ['yes'] } },
];
const value = (answers, scores = {}, comment = '') => ({ scores, comment, answers });
const candidates = [{ id: 'x', text: 'One.' }];

test('a question is asked if another has the answer, and that one is asked itself', () => {
  const asked = (v) => questions.filter((q) => isAsked(questions, q, v)).map((q) => q.name).join();
  assert.equal(asked(value({})), 'keep,best');
  assert.equal(asked(value({ keep: ['yes'] })), 'keep,hard,best,text');
  assert.equal(asked(value({ keep: ['yes'] }, { hard: 4 })), 'keep,hard,why,best,text');
  assert.equal(asked(value({ keep: ['no'] }, { hard: 4 })), 'keep,best');
  assert.deepEqual(answerTo(questions[1], value({}, { hard: 0 })), ['0']);
});

test('what is missing', () => {
  const missing = (v) => unanswered(questions, v, (q) => beginning(q, v, { source: 'source' }, candidates))?.what;
  assert.equal(missing(value({})), 'an answer to “Keep?”');
  assert.equal(missing(value({ keep: ['no'] })), 'a comment that explains “No”');
  assert.equal(missing(value({ keep: ['no'] }, {}, 'noise')), undefined);
  assert.equal(missing(value({ keep: ['yes'] })), 'a score for Difficulty');
  assert.equal(missing(value({ keep: ['yes'] }, { hard: 1 })), 'an answer to “Text”');
  assert.equal(missing(value({ keep: ['yes'], best: ['x'] }, { hard: 1 })), undefined); // the text is as it began
  assert.equal(missing(value({ keep: ['yes'], best: ['x'], text: [' '] }, { hard: 1 })), 'an answer to “Text”');
  assert.equal(missing(value({ keep: ['yes'], best: ['x'], text: ['\u200f\u200e\u00a0\u200d\u200b\ufeff\u2066\u2069'] }, { hard: 1 })), 'an answer to “Text”');
  assert.equal(missing(value({ keep: ['no'] }, {}, '\u200f\u00a0')), 'a comment that explains “No”');
});

test('a text that is written from right to left is kept apart in the words of an answer', () => {
  assert.deepEqual(answersInWords(questions, value({ keep: ['yes'], text: ['(خطأ)'] }), String), ['Keep? Yes', 'Text “\u2068(خطأ)\u2069”']);
});

test('an edit of the reference that changes nothing', () => {
  const review = [
    { name: 'verdict', label: 'Verdict', kind: 'choice', options: [{ value: 'accept', label: 'Accept' }, { value: 'edit', label: 'Edit' }] },
    { name: 'edited', label: 'Edited', kind: 'text', begin: 'reference', when: { question: 'verdict', is: ['edit'] } },
    { name: 'cleaned', label: 'Cleaned', kind: 'text', begin: 'source', when: { question: 'verdict', is: ['edit'] } },
  ];
  const found = (answers) => unedited(review, value(answers), (q) => beginning(q, value(answers), { source: 's', reference: 'A pun.' }, []))?.name;
  assert.equal(found({ verdict: ['edit'] }), 'edited');
  assert.equal(found({ verdict: ['edit'], edited: ['A pun.'] }), 'edited');
  assert.equal(found({ verdict: ['edit'], edited: ['A pun. \n'] }), 'edited');
  assert.equal(found({ verdict: ['edit'], edited: ['A joke.'] }), undefined);
  assert.equal(found({ verdict: ['accept'] }), undefined);
});

test('an answer is given and taken back, and values tell it', () => {
  const before = value({ keep: ['yes'] });
  const after = answered(before, 'why', ['pun']);
  assert.deepEqual(before.answers, { keep: ['yes'] });
  assert.ok(!same(before, after));
  assert.ok(same(answered(after, 'why', undefined), before));
  assert.ok(same(answered(after, 'why', []), copy(before)));
  assert.ok(same({ scores: {}, comment: '' }, value({})));
  assert.deepEqual(answersInWords(questions, value({ keep: ['no'], why: ['pun'], best: [''], text: ['t'] }), () => '?'), ['Keep? No', 'Best None of them'], 'not what is not asked');
  assert.deepEqual(answersInWords(questions, value({ keep: ['yes'], why: ['pun'], best: [''], text: ['t'] }, { hard: 4 }), () => '?'), ['Keep? Yes', 'Why Pun', 'Best None of them', 'Text “t”']);
});

test('digits answer and letters lead to questions, unless errors are marked', () => {
  const press = (key) => ({ key, code: '', shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, isComposing: false });
  const on = { typing: false, mac: false, letters: true };
  const keys = table([{ name: 'hard', label: 'Difficulty', min: 1, max: 5 }], undefined, {}, true, true, questions);
  assert.equal(match(keys, press('1'), on)?.act, 'answer');
  assert.deepEqual(['e', 'r', 'y', 'u', 'b'].map((k) => match(keys, press(k), on)?.of), questions.map((q) => q.name));
  for (const k of keys) {
    const clashes = keys.filter((o) => o !== k && o.keys.some((x) => k.keys.includes(x)) && !o.mod === !k.mod && !o.shift === !k.shift);
    assert.deepEqual(clashes.map((o) => o.act), [], k.does);
  }
});
