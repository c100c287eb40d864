// What an adjudicator takes from the annotators' ratings of a translation: which of
// their spans are the same one, and what a card holds after some are taken, dropped or
// merged. Nothing here changes a value: what is returned is a new one, or the one given
// where there is nothing to change.

import { slice } from './codepoints.js';
import { freshId, inOrder, overlap, remove } from './spans.js';

/** @typedef {import('./spans.js').Span} Span */
/** @typedef {import('./save.js').Value} Value */
/** @typedef {import('../../wire').Peer} Peer an annotator's rating; spans only where errors are marked */

/** The share of both that two spans have in common when they are the same. */
const SHARE = 0.5;

/** A mark without words counts as one character. @param {Span} s */
const end = (s) => Math.max(s.end, s.start + 1);

/** How many characters two spans share. @param {Span} a @param {Span} b */
const common = (a, b) => (a.side === b.side ? Math.max(0, Math.min(end(a), end(b)) - Math.max(a.start, b.start)) : 0);

/**
 * Whether two annotators marked the same span: on the same side, and what the two spans
 * share is at least half of each, whatever they say of it. This is the measure by which
 * the report matches spans; see Matches in internal/agreement.
 * @param {Span} a @param {Span} b
 */
export function sameSpan(a, b) {
  const shared = common(a, b);
  return shared > 0 && [a, b].every((s) => shared >= SHARE * (end(s) - s.start));
}

/** The span of a list at the very place of another. @param {Span[]} spans @param {Span|undefined} s */
const at = (spans, s) => spans.find((o) => s && o.side === s.side && o.start === s.start && o.end === s.end);

/** The questions that were answered about a term, or about one of several. @param {Span[]} spans */
const answeredOf = (spans) => [...new Set(spans.flatMap((s) => Object.keys(s.answers ?? {})))];

/** Whether two say the same of their words, comments aside. @param {Span} a @param {Span} b */
const agrees = (a, b) => /** @type {const} */ (['severity', 'category', 'subcategory']).every((k) => (a[k] ?? '') === (b[k] ?? ''))
  && answeredOf([a, b]).every((name) => (a.answers?.[name] ?? '') === (b.answers?.[name] ?? ''));

/** Whether a card has an annotator's span as it is, comments aside. @param {Value} v @param {Span} s */
export function has(v, s) {
  const there = at(v.spans ?? [], s);
  return !!there && agrees(there, s);
}

/**
 * Takes spans of one annotator. A mark at the very place of one gets what that one says.
 * A link between two of the annotator's spans is taken once the card has both.
 * @param {Value} v @param {Span[]} chosen @param {Span[]} [of] all spans of the annotator
 * @returns {Value}
 */
export function take(v, chosen, of = chosen) {
  if (!chosen.length) return v;
  const spans = [...v.spans ?? []];
  for (const { suggestion: _, link: __, ...s } of chosen) {
    const there = at(spans, s);
    if (there) spans[spans.indexOf(there)] = { ...s, id: there.id, ...(there.link && { link: there.link }), ...(there.suggestion && { suggestion: there.suggestion }) };
    else spans.push({ ...s, id: freshId(spans) });
  }
  for (const s of of) {
    const partner = of.find((o) => o.id === s.link);
    const [mine, other] = [at(spans, s), at(spans, partner)];
    if (mine && other && mine !== other && !mine.link && [s, partner].some((o) => o && chosen.includes(o))) spans[spans.indexOf(mine)] = { ...mine, link: other.id };
  }
  return { ...v, spans, no_errors: false };
}

/** Drops the mark at the place of a span; of a term that is given, only the answers. @param {Value} v @param {Span} s @param {boolean} [given] @returns {Value} */
export function drop(v, s, given = false) {
  const there = at(v.spans ?? [], s);
  if (there && given) return { ...v, spans: v.spans?.map((o) => (o === there ? { ...o, answers: {} } : o)) };
  return there ? { ...v, spans: remove(v.spans ?? [], there.id) } : v;
}

/** Takes the scores, answers and spans of an annotator beside what the card has. @param {Value} v @param {Peer} peer @returns {Value} */
export function takeAll(v, peer) {
  const next = { ...take(v, peer.spans ?? []), scores: { ...v.scores, ...peer.scores }, ...(peer.answers && { answers: { ...v.answers, ...peer.answers } }) };
  return peer.spans && !next.spans?.length ? { ...next, no_errors: true } : next;
}

/** What more than half of some spans say; empty where they don't agree. @param {Span[]} spans @param {(s: Span) => string} said */
function mostly(spans, said) {
  const all = spans.map(said);
  return all.find((x) => all.filter((y) => y === x).length * 2 > all.length) ?? '';
}

/**
 * What some spans say together: the severity, the category and the answers that more
 * than half of them have, else none, and all their comments.
 * @param {Span[]} spans @param {boolean} gap the words are none
 */
function together(spans, gap) {
  // A category for missing words fits no words, and the other way round.
  const fit = spans.filter((s) => (s.start === s.end) === gap);
  const [category, subcategory] = mostly(fit, (s) => `${s.category ?? ''}\0${s.subcategory ?? ''}`).split('\0');
  const comment = [...new Set(spans.flatMap((s) => s.comment?.trim().split('\n') ?? []).filter(Boolean))].join('\n');
  const answers = Object.fromEntries(answeredOf(spans).map((name) => [name, mostly(spans, (s) => s.answers?.[name] ?? '')]).filter(([, text]) => text));
  return { severity: mostly(spans, (s) => s.severity), category, subcategory: subcategory ?? '', ...(spans.some((s) => s.answers) && { answers }), comment };
}

/**
 * What a span is merged with: the marks of the card that overlap it; where there are
 * none, the annotators' spans that do, itself among them.
 * @param {Value} v @param {Peer[]} peers @param {Span} s
 * @returns {{mine: Span[], all: Span[]}}
 */
export function overlapping(v, peers, s) {
  const over = (/** @type {Span} */ o) => o.side === s.side && overlap(o, s);
  const mine = (v.spans ?? []).filter(over);
  return { mine, all: mine.length ? [...mine, s] : peers.flatMap((p) => p.spans ?? []).filter(over) };
}

/**
 * Merges a span with what overlaps it: one mark, from where the first of them begins to
 * where the last one ends. It says what the card's own mark says, and where that says
 * nothing, what more than half of them say.
 * @param {Value} v @param {import('./spans.js').Texts} texts @param {Peer[]} peers @param {Span} s
 * @returns {Value}
 */
export function merge(v, texts, peers, s) {
  const { mine, all } = overlapping(v, peers, s);
  if (all.length < 2) return v;
  const [start, to] = [Math.min(...all.map((o) => o.start)), Math.max(...all.map((o) => o.end))];
  const said = together(all, start === to);
  const [own] = mine;
  let spans = v.spans ?? [];
  for (const o of mine.slice(1)) spans = remove(spans, o.id);
  const one = {
    side: s.side, start, end: to, text: slice(texts[s.side], start, to), severity: own?.severity || said.severity,
    ...(own?.category ? { category: own.category, subcategory: own.subcategory ?? '' } : { category: said.category, subcategory: said.subcategory }), comment: said.comment, ...(own || !said.answers ? {} : { answers: said.answers }),
  };
  if (!own) return { ...v, spans: [...spans, { id: freshId(spans), ...one }], no_errors: false };
  const before = spans.find((o) => o.id === own.id);
  return { ...v, spans: spans.map((o) => (o === before ? { ...o, ...one } : o)) };
}

/** The spans of others that are the same as one: of each annotator the one that shares most with it. @param {Span[][]} lists @param {Span} s */
const alike = (lists, s) => lists.flatMap((list) => (list.includes(s) ? [s] : list.filter((o) => sameSpan(o, s)).toSorted((a, b) => common(b, s) - common(a, s)).slice(0, 1)));

/**
 * The spans that more than half of the annotators marked, in the order of reading. Of
 * those that are the same, one stands for all: the one that most others are the same as,
 * and of these the one that shares most with them, the first by reading. It says what more than half of them
 * say.
 * @param {Peer[]} peers @returns {Span[]}
 */
export function majority(peers) {
  let left = peers.map((p) => inOrder(p.spans ?? []));
  const ranked = inOrder(left.flat()).map((s) => {
    const same = alike(left, s);
    return { s, votes: same.length, shared: same.reduce((sum, o) => sum + (o === s ? 0 : common(o, s)), 0) };
  }).toSorted((a, b) => b.votes - a.votes || b.shared - a.shared);
  const out = [];
  for (const { s } of ranked) {
    if (!left.some((list) => list.includes(s))) continue;
    const same = alike(left, s);
    if (same.length * 2 <= peers.length) continue;
    const { comment, ...said } = together(same, s.start === s.end);
    out.push({ ...s, ...said, comment, link: '' });
    left = left.map((list) => list.filter((o) => !same.includes(o)));
  }
  return inOrder(out);
}

/**
 * Adds the spans that most annotators marked and the card does not have yet. Where most
 * found no errors and the card has none, it says so.
 * @param {Value} v @param {Peer[]} peers @returns {Value}
 */
export function start(v, peers) {
  const mine = v.spans ?? [];
  const fresh = majority(peers).filter((s) => !mine.some((o) => sameSpan(o, s)));
  if (fresh.length) return take(v, fresh);
  const clean = peers.filter((p) => !p.spans?.length).length * 2 > peers.length;
  return clean && !mine.length && !v.no_errors ? { ...v, no_errors: true } : v;
}
