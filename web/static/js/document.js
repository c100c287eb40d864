// The document of the segment: its other segments, with what the system of a card wrote
// for them, what the annotator has done, and the way to each.

import { isolated } from './bidi.js';
import { dialog, toggle } from './dialogs.js';
import { announce, cards, el, element, names, state } from './page.js';

/** The states of a segment, in words. @type {Record<string, string>} */
const WORDS = { 'not given': 'not given to you', 'to do': 'to do', begun: 'begun', submitted: 'submitted', changed: 'changed, not submitted again', decided: 'submitted, cannot be changed any more' };

/** How long an answer is waited for, in milliseconds. */
const TIMEOUT = 20_000;

/** The card that is shown; -1: none. */
let shown = -1;

/** @param {string|undefined} text @param {string} lang @param {string} dir @param {string} name @returns {HTMLElement} */
function passage(text, lang, dir, name) {
  const p = element('p', text || '(no translation)');
  p.className = name;
  if (text) {
    p.lang = lang;
    p.dir = dir;
  }
  return p;
}

/** @param {import('../../wire').DocumentSegment} s @param {DOMStringMap} of the list's */
function part(s, of) {
  const here = s.place === Number(of.place);
  const head = element('p', `${s.place} `);
  head.className = 'document-head';
  if (s.url && !here) {
    const a = /** @type {HTMLAnchorElement} */ (element('a', WORDS[s.state] ?? s.state));
    a.href = s.url;
    a.setAttribute('aria-label', `Segment ${s.place}: ${WORDS[s.state] ?? s.state}. Open it`);
    head.append(a);
  } else {
    head.append(here ? 'this segment' : WORDS[s.state] ?? s.state);
  }
  const li = element('li', head, passage(s.source, of.sourceLang ?? '', of.sourceDir ?? '', 'document-source'));
  const below = s.written ?? s.translation;
  if (below !== undefined) li.append(passage(below, of.targetLang ?? '', of.targetDir ?? '', 'document-translation'));
  if (here) li.setAttribute('aria-current', 'true');
  return li;
}

/** What is known of the document, with what the system of a card wrote. @param {number} card @param {number} [timeout] in milliseconds @returns {Promise<import('../../wire').DocumentSegment[]>} */
async function segmentsOf(card, timeout = TIMEOUT) {
  const answer = await fetch(`${state.urls.document}?card=${encodeURIComponent(state.cards[card]?.id ?? '')}`, { signal: AbortSignal.timeout(timeout) });
  if (!answer.ok) throw new Error(String(answer.status));
  return (await answer.json()).segments;
}

/** @typedef {{id: string, words: string}} Elsewhere a mark in another segment: "“bank” in segment 2 · Inconsistency" */

/**
 * The annotator's marks on what the system of a card wrote in other segments of the
 * document: those that a mark of the card can be linked to.
 * @param {number} card @returns {Promise<Elsewhere[]>} none where the document can't be read
 */
export async function marksElsewhere(card) {
  if (state.doc_length < 2) return [];
  const segments = await segmentsOf(card, 3000).catch(() => []);
  const here = Number(el('document-list')?.dataset.place);
  return segments.filter((s) => s.place !== here).flatMap((s) => (s.marks ?? []).flatMap((m) => (m.id
    ? [{ id: m.id, words: `${m.text ? `“${isolated(m.text)}”` : 'a place'} in segment ${s.place} · ${m.subcategory || m.category || m.severity}` }] : [])));
}

/** Fills the dialog for a card. @param {number} card */
async function load(card) {
  const list = el('document-list');
  shown = card;
  el('document-about').textContent = 'The document is being read …';
  try {
    const segments = await segmentsOf(card);
    if (shown !== card) return;
    const below = segments.some((s) => s.written) ? 'what you have submitted' : segments.some((s) => s.translation !== undefined) ? `what the system of translation ${names[card]} wrote` : '';
    el('document-about').textContent = below ? `The source, and below it ${below}.` : 'The source.';
    list.replaceChildren(...segments.map((s) => part(s, list.dataset)));
    list.querySelector('[aria-current]')?.scrollIntoView({ block: 'center' });
  } catch {
    if (shown !== card) return;
    shown = -1;
    el('document-about').textContent = 'The document could not be read. Close this window and open it again to try once more.';
  }
}

/** Opens the document, or closes it. @param {number} [card] whose system is shown; the card in work if not given */
export function showDocument(card = Math.max(0, cards.findIndex((c) => c.hasAttribute('aria-current')))) {
  if (!dialog('document')) return announce('This document has one segment.');
  toggle('document');
  if (!dialog('document').open) return;
  if (card === shown) el('document-list').querySelector('[aria-current]')?.scrollIntoView({ block: 'center' });
  else load(card);
}

/** Goes to the page of a neighbour, if the annotator has one. @param {number} way -1 or 1 */
export function goTo(way) {
  const link = /** @type {HTMLAnchorElement|null} */ (el(way < 0 ? 'segment-before' : 'segment-after'));
  if (link) location.assign(link.href);
  else announce(way < 0 ? 'You have no segment before this one in the document.' : 'You have no segment after this one in the document.');
}

for (const button of document.querySelectorAll('[data-document]')) button.addEventListener('click', () => showDocument());
