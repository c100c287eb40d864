// What a card holds, in words: on the page on which it is judged, and where a browser still keeps what it could not save.
import { isolated } from './bidi.js';
import { answersInWords, isAsked } from './questions.js';
import { called, kindName } from './rules.js';
import { termInWords } from './terms.js';

/** @typedef {import('./save.js').Value} Value */
/** @typedef {import('../../wire').State} State */

/** The answers of a card. @param {State} state @param {Value} v */
export function answersOf(state, v) {
  const candidates = state.cards.flatMap((c) => c.candidates ?? []);
  return answersInWords(state.questions ?? [], v, (id) => `“${isolated(candidates.find((c) => c.id === id)?.text ?? '')}”`);
}

/** A value as a line of text: scores, answers, marks and comment. @param {State} state @param {Value} v @returns {string} */
export function inWords(state, v) {
  const asked = (/** @type {string} */ name) => { const q = state.questions?.find((o) => o.name === name); return !q || isAsked(state.questions ?? [], q, v); };
  const scores = state.scores.filter((s) => asked(s.name)).map((s) => `${s.label} ${v.scores[s.name] ?? '–'}`);
  const marks = v.spans?.map((s) => [called(s), s.severity, kindName(s), ...(state.marking ? termInWords(state.marking, s) : []), isolated(s.comment ?? '')].filter(Boolean).join(', ')) ?? [];
  return [...scores, ...answersOf(state, v), ...marks, v.no_errors && (state.marking?.terms ? 'no terms' : 'no errors'), v.rejected?.length && `suggestions rejected: ${v.rejected.length}`, v.comment && `“${isolated(v.comment)}”`].filter(Boolean).join(' · ');
}
