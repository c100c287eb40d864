// Shows by words in what the texts that several people gave to one question differ.

import { slice, step } from './codepoints.js';
import { compare } from './differences.js';

/**
 * The stretches of a text with what is to be shown of each: whether the other text says something else there, or lacks
 * the blank between two words where it has more.
 * @param {string} text @param {string} other @param {string} [lang]
 * @returns {{words: string, kind: ''|'changed'|'missing'}[]}
 */
export function stretches(text, other, lang) {
  const { changed, missing } = compare(text, other, lang);
  // Missing words have no place of their own: the characters around the place are shown.
  const around = missing.map((at) => ({ start: step(text, at, -1), end: step(text, at, 1), kind: /** @type {const} */ ('missing') }));
  const all = [...changed.map((c) => ({ ...c, kind: /** @type {const} */ ('changed') })), ...around].toSorted((a, b) => a.start - b.start);
  /** @type {{words: string, kind: ''|'changed'|'missing'}[]} */
  const out = [];
  let at = 0;
  for (const { start, end, kind } of [...all, { start: Infinity, end: Infinity, kind: /** @type {const} */ ('') }]) {
    const from = Math.max(start, at);
    const plain = slice(text, at, Math.min(from, text.length));
    if (plain) out.push({ words: plain, kind: '' });
    const words = from < end ? slice(text, from, end) : '';
    if (words) out.push({ words, kind });
    at = Math.max(at, Math.min(end, text.length));
  }
  return out;
}

/**
 * Marks what differs in the texts below a node. Texts with the same name in data-differs answer one question: the first
 * is compared with the second, and every other one with the first.
 * @param {Element} root
 */
export function showDifferences(root) {
  /** @type {Map<string, HTMLElement[]>} */
  const groups = new Map();
  for (const node of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll('[data-differs]'))) {
    const name = node.dataset.differs ?? '';
    groups.set(name, [...groups.get(name) ?? [], node]);
  }
  for (const nodes of groups.values()) {
    const texts = nodes.map((n) => n.textContent ?? '');
    nodes.forEach((node, i) => {
      const other = texts[i ? 0 : 1];
      if (other === undefined || other === texts[i]) return;
      node.replaceChildren(...stretches(texts[i], other, node.lang).map(({ words, kind }) => {
        if (!kind) return words;
        const mark = document.createElement('mark');
        mark.className = `differs differs-${kind}`;
        mark.textContent = words;
        return mark;
      }));
    });
  }
}
