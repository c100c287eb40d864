// What was answered of terms, and what is still missing. The server decides; this says the same while the work goes on.

import { isAsked, unanswered } from './questions.js';

/** @typedef {import('./spans.js').Span} Span */
/** @typedef {import('./save.js').Value} Value */
/** @typedef {import('../../wire').Question} Question */
/** @typedef {import('../../wire').Marking} Marking */

/** What was answered of a term, in the form in which a card has its answers. @param {Span} s @returns {Value} */
const asValue = (s) => ({ scores: {}, comment: s.comment ?? '', answers: Object.fromEntries(Object.entries(s.answers ?? {}).map(([name, text]) => [name, [text]])) });

/** The questions that are asked of a term. @param {Marking} m @param {Span} s @returns {Question[]} */
export const askedOf = (m, s) => (s.side === 'source' && m.questions ? m.questions.filter((q) => isAsked(m.questions ?? [], q, asValue(s))) : []);

/** What a term still needs an answer to; empty: nothing. @param {Marking} m @param {Span} s */
export const needsAnswer = (m, s) => (s.side === 'source' && m.questions && unanswered(m.questions, asValue(s), () => '')?.what) || '';

/** Spans in which a term has another answer; without a text it has none. @param {Span[]} spans @param {string} id @param {string} name @param {string} text @returns {Span[]} */
export const answerTerm = (spans, id, name, text) => spans.map((s) => {
  if (s.id !== id) return s;
  const { [name]: _, ...rest } = s.answers ?? {};
  return { ...s, answers: text ? { ...rest, [name]: text } : rest };
});

/** The answers of a term in words. @param {Marking} m @param {Span} s @returns {string[]} */
export const termInWords = (m, s) => askedOf(m, s).filter((q) => s.answers?.[q.name]).map((q) => {
  const text = s.answers?.[q.name] ?? '';
  return `${q.label} ${q.options?.find((o) => o.value === text)?.label ?? text}`;
});
