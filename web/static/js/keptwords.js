// What a browser still keeps of a card, in words.
import { isolated } from './bidi.js';
import { answersInWords } from './questions.js';

/** @typedef {import('./save.js').Value} Value */

/** A value as a line of text: scores, answers, marks and comment. @param {import('../../wire').State} state @param {Value} value @returns {string} */
export function keptInWords(state, value) {
  const candidates = state.cards.flatMap((c) => c.candidates ?? []);
  const scores = state.scores.filter((s) => !state.questions || value.scores[s.name] !== undefined).map((s) => `${s.label} ${value.scores[s.name] ?? '–'}`);
  const answers = answersInWords(state.questions ?? [], value, (id) => `“${isolated(candidates.find((c) => c.id === id)?.text ?? '')}”`);
  const errors = value.spans?.map(({ text, severity, category, comment }) => [isolated(text ?? ''), severity, category, isolated(comment ?? '')].filter(Boolean).join(', ')) ?? [];
  return [...scores, ...answers, ...errors, ...(value.no_errors ? ['no errors'] : []), ...(value.comment ? [`“${isolated(value.comment)}”`] : [])].join(' · ');
}
