// The list of the keys, in which each can be changed. It is written when it is first opened.

import { character, clash, drawn, grouped, nameOf, shifts } from './keys.js';
import { make } from './desk.js';

/** @typedef {import('./keys.js').Key} Key */

/** A key as it is kept: "Ctrl+Shift+z". @param {Pick<Key, 'keys'|'mod'|'shift'>} k */
export const spell = ({ keys, mod, shift }) => `${mod ? 'Ctrl+' : ''}${shift && shifts(keys[0]) ? 'Shift+' : ''}${keys[0]}`;

/** Letters that a browser does not let a page have, or that people need in it. */
const BROWSER = 'acdfhjlnopqrstuvwx0123456789+-';

/**
 * Why an entry can't be given a key; empty: it can.
 * @param {Key[]} keys @param {Key} entry @param {Pick<Key, 'keys'|'mod'|'shift'>} to
 */
export function refusal(keys, entry, to) {
  const [key] = to.keys;
  const name = drawn({ ...entry, ...to, shown: undefined }, false)[0].join('+');
  if (key === ' ' || (key.length > 1 && !['Enter', 'Delete', 'Backspace'].includes(key))) return `${key === ' ' ? 'The space bar' : name} belongs to the browser`;
  if (to.mod && BROWSER.includes(key)) return `${name} belongs to the browser`;
  if (entry.typing && !to.mod) return 'It works while you type, too, so it needs Ctrl';
  const other = keys.find((k) => nameOf(k) !== nameOf(entry) && clash({ ...entry, loose: false, ...to }, k));
  return other ? `${name} is taken by “${other.does}”` : '';
}

/** The key that was pressed, to be given to an entry; undefined for Shift and its like alone, and with Alt. @param {KeyboardEvent} e @param {boolean} mac @returns {Pick<Key, 'keys'|'mod'|'shift'>|undefined} */
export function pressed(e, mac) {
  if (['Shift', 'Control', 'Alt', 'Meta', 'AltGraph', 'CapsLock', 'Dead', 'Process', 'Unidentified'].includes(e.key) || e.isComposing) return undefined;
  const mod = mac ? e.metaKey : e.ctrlKey;
  const key = character(e);
  return e.altKey || (mac ? e.ctrlKey : e.metaKey) ? undefined : { keys: [key], mod, shift: e.shiftKey && shifts(key) };
}

/**
 * @param {HTMLElement} into
 * @param {object} page
 * @param {{protocol: string, keys?: Record<string, string>, preview?: boolean, urls: {keys: string}}} page.state the page's data block
 * @param {boolean} page.mac
 * @param {() => Key[]} page.keys as they are now
 * @param {(own: Record<string, string>) => void} page.change
 * @param {(text: string) => void} page.announce
 */
export function keyboard(into, { state, mac, keys, change, announce }) {
  let own = { ...state.keys };
  /** @type {string|null} the entry that waits for its key */
  let asking = null;
  /** @type {{name: string, text: string}|null} why a key was not changed */
  let refused = null;
  const say = make('p', { className: 'keys-say', role: 'status' });
  const reset = make('button', { type: 'button', className: 'btn btn-small', onclick: () => keep({}, null, 'all keys are as they were') }, 'Reset all keys');
  into.after(say, reset);

  /** @param {string|null} name @param {string} [text] */
  function ask(name, text) {
    asking = name;
    refused = name && text ? { name, text } : null;
    say.textContent = text ?? '';
    draw();
    const at = /** @type {HTMLElement|undefined} */ ([...into.querySelectorAll('button')].find((b) => b.dataset.act === name));
    at?.focus();
  }

  /** @param {Key} k */
  function row(k) {
    const name = nameOf(k);
    const ways = drawn(k, mac).flatMap((names, n) => [...(n ? [' or '] : []), ...names.flatMap((key, m) => [...(m ? [' '] : []), make('kbd', {}, key)])]);
    if (k.fixed) return make('div', {}, make('dt', {}, ...ways), make('dd', {}, k.does));
    const waits = asking === name;
    const key = make('button', { type: 'button', className: 'keys-key', title: 'Change this key', onclick: () => ask(waits ? null : name) }, ...(waits ? ['press a key'] : ways));
    key.dataset.act = name;
    key.ariaLabel = waits ? `Press the new key for “${k.does}”, Escape to leave it` : `Change the key for “${k.does}”, now ${drawn(k, mac).map((names) => names.join('+')).join(' or ')}`;
    key.setAttribute('aria-pressed', String(waits));
    const back = name in own ? [make('button', { type: 'button', className: 'keys-back', title: 'As it was', ariaLabel: `Reset the key for “${k.does}”`, onclick: () => back1(name) }, '↺')] : [];
    const why = refused?.name === name ? [make('small', {}, refused.text)] : [];
    return make('div', {}, make('dt', {}, key), make('dd', {}, k.does, ...back, ...why));
  }

  function draw() {
    into.replaceChildren(...grouped(keys()).map((g) => make('section', {}, make('h3', {}, g.name), make('dl', {}, ...g.keys.map(row)))));
    reset.hidden = !Object.keys(own).length;
  }

  /** @param {string} name */
  function back1(name) {
    const { [name]: _, ...rest } = own;
    keep(rest, name, 'the key is as it was');
  }

  /** Stores a person's keys on the server. @param {Record<string, string>} next @returns {Promise<string>} why it failed; empty if it did not */
  async function store(next) {
    try {
      const answer = await fetch(state.urls.keys, {
        method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ protocol: state.protocol, keys: next }),
      });
      if (answer.ok) return '';
      return (await answer.json().catch(() => null))?.error ?? (answer.status === 401 ? 'you are signed out' : `the server answered ${answer.status}`);
    } catch {
      return 'no connection';
    }
  }

  /** Stores a person's keys, but not in a preview, and uses them on this page. @param {Record<string, string>} next @param {string|null} name @param {string} text */
  async function keep(next, name, text) {
    const why = state.preview ? '' : await store(next);
    if (why) return ask(null, `Not changed: ${why}`);
    own = next;
    change(own);
    ask(null, text);
    /** @type {HTMLElement|undefined} */ ([...into.querySelectorAll('button')].find((b) => b.dataset.act === name))?.focus();
    announce(text);
  }

  into.closest('dialog')?.addEventListener('keydown', (e) => {
    if (!asking || e.key === 'Tab') return;
    const k = keys().find((o) => nameOf(o) === asking);
    const to = pressed(e, mac);
    e.stopPropagation();
    e.preventDefault();
    if (e.key === 'Escape' || !k) return ask(null);
    if (!to || e.repeat) return;
    const why = refusal(keys(), k, to);
    if (why) return ask(asking, why);
    keep({ ...own, [asking]: spell(to) }, asking, `${k.does}: ${drawn({ ...k, ...to, shown: undefined }, mac)[0].join('+')}`);
  });
  into.closest('dialog')?.addEventListener('close', () => ask(null));
  draw();
}
