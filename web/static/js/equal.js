// Cards with the same text: how their judgements differ, and how one card takes over the
// judgement of another. Nothing here changes a value. Each function returns a new one.

import { freshId } from './spans.js';
import { rejected, undecided } from './suggestions.js';

/** @typedef {import('./spans.js').Span} Span */
/** @typedef {import('./save.js').Value} Value */

/** What a value says, in words that two values can be compared by. @type {WeakMap<Value, {scores: string, errors: string, answers: string}>} */
const written = new WeakMap();

/** @param {Value} v */
function words(v) {
  const known = written.get(v);
  if (known) return known;
  const errors = (v.spans ?? []).map((s) => JSON.stringify([s.side, s.start, s.end, s.severity, s.category ?? '', s.subcategory ?? '']));
  const made = { scores: JSON.stringify(Object.entries(v.scores).sort()), errors: errors.sort().join(), answers: JSON.stringify(Object.entries(v.answers ?? {}).sort()) };
  written.set(v, made);
  return made;
}

/**
 * How two judgements of the same text differ: "scores", "errors", "scores and errors", or
 * nothing. Errors are the same if they have the same place, severity and category.
 * Comments and links do not count.
 * @param {Value} a @param {Value} b
 */
export function difference(a, b) {
  const [x, y] = [words(a), words(b)];
  return [x.scores !== y.scores && 'scores', x.answers !== y.answers && 'answers', x.errors !== y.errors && 'errors'].filter(Boolean).join(' and ');
}

/**
 * Pairs of cards that have the same text and different scores or errors.
 * @param {{same?: number[]}[]} cards @param {Value[]} values in the order of the cards
 * @returns {{pair: [number, number], what: string}[]} what: the difference
 */
export const unequal = (cards, values) => cards.flatMap((c, i) => (c.same ?? []).filter((j) => j > i)
  .map((j) => ({ pair: /** @type {[number, number]} */ ([i, j]), what: difference(values[i], values[j]) })).filter(({ what }) => what));

/** Whether a card holds a score, an error, or that it has none. @param {Value} v */
export const isJudged = (v) => Object.keys(v.scores).length > 0 || Object.keys(v.answers ?? {}).length > 0 || !!v.spans?.length || !!v.no_errors;

/**
 * The card whose judgement another one can take over: of those with the same text and
 * another judgement the nearest one before it, else the first one after it.
 * @param {{same?: number[]}[]} cards @param {Value[]} values in the order of the cards @param {number} i
 * @returns {number|undefined}
 */
export function offered(cards, values, i) {
  const other = (cards[i].same ?? []).filter((j) => isJudged(values[j]) &&
    (difference(values[i], values[j]) || !values[i].no_errors !== !values[j].no_errors));
  return other.findLast((j) => j < i) ?? other[0];
}

/** Whether two suggestions are the same one. @param {Span} a @param {Span} b */
const alike = (a, b) => /** @type {const} */ (['side', 'start', 'end', 'severity', 'category', 'subcategory']).every((k) => (a[k] ?? '') === (b[k] ?? ''));

/**
 * What a card holds once it has taken over the judgement of a card with the same text:
 * its scores, its errors under new ids, that it has no errors, and its comment if the card has
 * none of its own. A link to an error of another segment is left out, because it leads to the
 * same system's error. A decision on a suggestion holds for the same suggestion of
 * the card. Other suggestions stay as they are, or wait again.
 * @param {Value} v what the card holds @param {Value} from
 * @param {Span[]} [mine] the suggestions of the card @param {Span[]} [theirs] those of the other card
 * @returns {Value}
 */
export function takeOver(v, from, mine = [], theirs = []) {
  const next = { ...v, scores: { ...from.scores }, ...(from.answers && { answers: { ...from.answers } }), comment: v.comment.trim() ? v.comment : from.comment };
  if (!from.spans) return next;
  const counterpart = (/** @type {string|undefined} */ id) => {
    const of = id && theirs.find((s) => s.id === id);
    return of ? mine.find((s) => alike(s, of))?.id : undefined;
  };
  /** @type {Map<string, string>} */
  const ids = new Map();
  /** @type {Span[]} */
  const fresh = [];
  for (const { suggestion, ...s } of from.spans) {
    const own = counterpart(suggestion);
    const id = freshId([...v.spans ?? [], ...fresh]);
    ids.set(s.id, id);
    fresh.push({ ...s, id, ...(own && { suggestion: own }) });
  }
  const spans = fresh.map((s) => (s.link ? { ...s, link: ids.get(s.link) ?? '' } : s));
  /** @type {Value} */
  const out = { ...next, spans, no_errors: !!from.no_errors, rejected: (v.rejected ?? []).filter((id) => !spans.some((s) => s.suggestion === id)) };
  const gone = (from.rejected ?? []).map(counterpart).filter((id) => id !== undefined);
  return undecided(mine, out).filter((s) => gone.includes(s.id)).reduce((value, s) => rejected(value, s.id), out);
}
