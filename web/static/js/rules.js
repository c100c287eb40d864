// What a protocol says of the errors on a card: what one of them costs, what is
// still missing, and what follows from a category. The server decides; this says
// the same while the work goes on. See internal/protocol.

import { isolated } from './bidi.js';
import { blank, length } from './codepoints.js';
import { set } from './spans.js';
import { needsAnswer } from './terms.js';

/** @typedef {import('./spans.js').Span} Span */
/** @typedef {import('./save.js').Value} Value */
/** @typedef {import('../../wire').Severity} Severity */
/** @typedef {import('../../wire').Category} Category */
/** @typedef {import('../../wire').Weight} Weight */
/** @typedef {import('../../wire').Marking} Marking */

/** @param {Span} s */
export const isGap = (s) => s.start === s.end;

/** What is said of the category of a span. @param {Marking} m @param {Span} s @returns {{category?: Category, sub?: Category}} */
export function kind(m, s) {
  const category = m.categories?.find((c) => c.name === s.category);
  return { category, sub: category?.sub?.find((c) => c.name === s.subcategory) };
}

/** "Accuracy / Omission"; empty where there is no category. @param {Span} s */
export const kindName = (s) => [s.category, s.subcategory].filter(Boolean).join(' / ');

/** The beginning of some words, as they are named in a message. @param {string} text */
const quote = (text) => `“${isolated(length(text) > 40 ? `${[...text].slice(0, 40).join('')}…` : text)}”`;

/** What an error is called. @param {Span} s */
export const called = (s) => (s.text ? quote(s.text) : s.subcategory || 'the mark without words');

/** What a span still needs; empty: nothing. @param {Marking} m @param {Span} s */
export function wanting(m, s) {
  const { category, sub } = kind(m, s);
  if (!s.severity && !m.terms) return `a severity for ${called(s)}`;
  if (!s.category && m.categories?.length && !m.given) return `a category for ${called(s)}`;
  const answer = needsAnswer(m, s);
  if (answer) return `${answer} for ${called(s)}`;
  if (m.given || !s.category) return '';
  if (category?.sub?.length && !s.subcategory) return `a kind of ${s.category} for ${called(s)}`;
  return (category?.comment || sub?.comment) && blank(s.comment ?? '') ? `a comment that explains ${called(s)}, marked as ${s.category}` : '';
}

/**
 * What a card still needs before it can be submitted, and where: the id of a
 * span or the name of a score; undefined if nothing.
 * Questions are looked at elsewhere.
 * @param {{scores: {name: string, label: string}[], questions?: {name: string}[], marking?: Marking}} rules @param {Value} v
 * @returns {{what: string, span?: string, score?: string}|undefined}
 */
export function missing({ scores, questions, marking }, v) {
  for (const s of v.spans ?? []) {
    const what = marking && wanting(marking, s);
    if (what) return { what, span: s.id };
  }
  const score = scores.find((s) => v.scores[s.name] === undefined && !questions?.some((q) => q.name === s.name));
  if (score) return { what: scores.length > 1 ? `a score for ${score.label}` : 'a score', score: score.name };
  if (!marking || marking.given || scores.length || v.spans?.length || v.no_errors) return undefined;
  return { what: marking.terms ? 'a term, or “no terms”' : 'an error, or “no errors”' };
}

/** What an error costs: of the weights that fit, the most specific. @param {Weight[]} weights @param {Span} s */
function cost(weights, s) {
  let best = -1;
  let found = 0;
  for (const w of weights) {
    const n = (w.severity ? 1 : 0) + (w.category ? 2 : 0) + (w.subcategory ? 4 : 0);
    const fits = ['severity', 'category', 'subcategory'].every((k) => !(/** @type {any} */ (w)[k]) || /** @type {any} */ (w)[k].toLowerCase() === /** @type {any} */ (s)[k]?.toLowerCase());
    if (fits && n > best) [best, found] = [n, w.weight];
  }
  return found;
}

/**
 * The running score and how many errors count towards the limit, in words;
 * empty where the protocol has neither.
 * @param {Marking} m @param {Span[]} spans
 */
export function tally(m, spans) {
  const score = m.derived && spans.reduce((sum, s) => sum + cost(m.derived?.weights ?? [], s), 0);
  const n = spans.filter((s) => kind(m, s).category?.rule !== 'source_error').length;
  const words = [];
  // Weights have few decimals: what lies behind is no part of the sum.
  if (m.derived) words.push(`${m.derived.label} ${Math.round((score ?? 0) * 1e6) / 1e6}`);
  if (m.max_errors) words.push(`${n} of ${m.max_errors} errors`);
  return { text: words.join(' · '), over: m.max_errors ? Math.max(0, n - m.max_errors) : 0 };
}

/**
 * Gives a span its category. A non-translation spans the whole translation, is
 * major and stands alone; an error of the source is marked there.
 * @param {Marking} m @param {Span[]} spans @param {import('./spans.js').Texts} texts @param {string} id
 * @param {string} category @param {string} [subcategory]
 * @returns {{spans: Span[], refused?: string}}
 */
export function categorise(m, spans, texts, id, category, subcategory = '') {
  const s = spans.find((o) => o.id === id);
  const rule = m.categories?.find((c) => c.name === category)?.rule;
  if (!s) return { spans };
  if (rule === 'source_error' && s.side !== 'source') return { spans, refused: 'A source error is marked in the source: mark its words there.' };
  if (rule === 'non_translation') {
    return { spans: [{ ...s, side: 'target', start: 0, end: length(texts.target), text: texts.target, severity: 'major', category, subcategory, link: '' }] };
  }
  return { spans: set(spans, id, { category, subcategory }) };
}

/** Whether a span is all there is to say: no other may stand beside it. @param {Marking} m @param {Span[]} spans */
export const standsAlone = (m, spans) => spans.some((s) => kind(m, s).category?.rule === 'non_translation');
