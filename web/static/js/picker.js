// Choosing one of many by typing: the number that stands before an entry
// chooses it at once, letters find it, Enter takes the first one found.

import { character } from './keys.js';

/** @typedef {{name: string, keys: string, group?: string, text?: string, off?: boolean, value: any}} Entry keys: its number, digit by digit; off: it can't be chosen */

/** The keys that number a list, in their order on the keyboard. */
export const NUMBERS = '1234567890-=';

/** The places of the entries that what was typed may mean. @param {Entry[]} entries @param {string} typed @returns {number[]} */
export function found(entries, typed) {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const number = words.length === 1 && [...words[0]].every((c) => NUMBERS.includes(c));
  return [...entries.keys()].filter((i) => {
    const { name, group = '', keys } = entries[i];
    const all = `${name} ${group}`.toLowerCase().split(/[\s/\u2068\u2069-]+/);
    return number ? keys.startsWith(words[0]) : words.every((w) => all.some((a) => a.startsWith(w)));
  }).sort((a, b) => rank(entries[a], words) - rank(entries[b], words));
}

/** Names that begin with what was typed come before others. @param {Entry} e @param {string[]} words */
const rank = (e, words) => (words[0] && !e.name.toLowerCase().startsWith(words[0]) ? 1 : 0);

/**
 * Puts a list into a box. While it is open, all digits and letters are for it.
 * @param {HTMLElement} box
 * @param {{label: string, entries: Entry[], chosen?: any, choose: (value: any) => void, shut: () => void}} what
 */
export function pick(box, { label, entries, chosen, choose, shut }) {
  const picker = Object.assign(document.createElement('div'), { className: 'picker' });
  const rule = Object.assign(document.createElement('p'), { className: 'picker-rule', id: 'picker-rule', textContent: 'Digits and letters choose here. Esc closes the list.' });
  const input = document.createElement('input');
  const list = document.createElement('div');
  let active = -1;
  /** @type {number[]} */
  let shown = [];
  Object.assign(input, { className: 'control', autocomplete: 'off', placeholder: 'number, or type to find' });
  list.id = 'picker-list';
  for (const [k, v] of Object.entries({ role: 'combobox', 'aria-label': label, 'aria-expanded': 'true', 'aria-controls': list.id, 'aria-autocomplete': 'list', 'aria-describedby': rule.id })) input.setAttribute(k, v);
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', label);
  let group = list;
  const options = entries.map((e, i) => {
    if (!i || (e.group ?? '') !== (entries[i - 1].group ?? '')) {
      group = document.createElement('div');
      group.setAttribute('role', 'group');
      group.setAttribute('aria-label', e.group || label);
      if (e.group) {
        const head = document.createElement('div');
        head.className = 'picker-group';
        head.setAttribute('role', 'presentation');
        head.textContent = e.group;
        group.append(head);
      }
      list.append(group);
    }
    const option = document.createElement('div');
    const key = document.createElement('kbd');
    key.textContent = e.keys;
    option.id = `picker-${i}`;
    option.title = e.text ?? '';
    option.setAttribute('role', 'option');
    option.setAttribute('aria-selected', String(e.value === chosen));
    if (e.off) option.setAttribute('aria-disabled', 'true');
    option.append(key, e.name);
    // The focus stays where it is.
    option.addEventListener('pointerdown', (p) => p.preventDefault());
    option.addEventListener('click', () => choose(e.value));
    group.append(option);
    return option;
  });

  /** @param {number} i */
  function activate(i) {
    options[active]?.classList.remove('active');
    active = i;
    if (i < 0) return input.removeAttribute('aria-activedescendant');
    options[i].classList.add('active');
    // The list alone scrolls, not the page.
    const [o, p] = [options[i].getBoundingClientRect(), picker.getBoundingClientRect()];
    const top = p.top + head.offsetHeight + 8;
    if (o.top < top) picker.scrollTop += o.top - top;
    else if (o.bottom > p.bottom) picker.scrollTop += o.bottom - p.bottom;
    input.setAttribute('aria-activedescendant', options[i].id);
  }
  function find() {
    shown = found(entries, input.value);
    options.forEach((o, i) => { o.hidden = !shown.includes(i); });
    for (const g of /** @type {any} */ (list.children)) g.hidden = !g.querySelector('[role=option]:not([hidden])');
    goesOn();
    activate(input.value ? shown[0] ?? -1 : entries.findIndex((e) => e.value === chosen));
    const exact = entries.find((e) => e.keys && e.keys === input.value);
    // The browser shows where something was typed, which moves the page once the focus is elsewhere.
    if (exact) setTimeout(() => choose(exact.value));
  }
  input.addEventListener('input', find);
  input.addEventListener('keydown', (e) => {
    if (e.isComposing || e.ctrlKey || e.metaKey || e.altKey) return;
    // A number is not typed by the browser: where digits need Shift it is typed without.
    const digit = character(e);
    const number = input.value + digit;
    if ([...number].every((c) => NUMBERS.includes(c))) {
      e.preventDefault();
      e.stopPropagation();
      const exact = entries.find((o) => o.keys === number);
      if (exact) return choose(exact.value);
      input.value = number;
      return find();
    }
    const by = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    // The arrow keys follow the order of the list, although the best match is chosen first.
    const order = shown.toSorted((a, b) => a - b);
    if (by) activate(order.at((order.indexOf(active) + by + (active < 0 && by < 0 ? 1 : 0)) % order.length) ?? -1);
    else if (e.key === 'Enter' && active >= 0) choose(entries[active].value);
    else return;
    e.preventDefault();
    e.stopPropagation();
  });
  const head = Object.assign(document.createElement('div'), { className: 'picker-head' });
  const close = Object.assign(document.createElement('button'), { type: 'button', className: 'picker-shut', title: 'Close the list', ariaLabel: 'Close the list', textContent: '×', onclick: shut });
  head.append(input, close);
  const more = Object.assign(document.createElement('button'), { type: 'button', className: 'picker-more', tabIndex: -1, ariaHidden: 'true', textContent: '▾ more below' });
  more.addEventListener('click', () => picker.scrollBy({ top: picker.clientHeight * 0.7, behavior: 'instant' }));
  // The button lies over the list and takes no room.
  const goesOn = () => { more.classList.toggle('unused', picker.scrollTop + picker.clientHeight > picker.scrollHeight - 2); };
  picker.addEventListener('scroll', goesOn, { passive: true });
  new ResizeObserver(goesOn).observe(picker);
  picker.append(head, list, more);
  box.replaceChildren(picker, rule);
  find();
}
