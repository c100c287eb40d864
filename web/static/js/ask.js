// This module lets the annotator write to the leads about the segment. The browser keeps the text until
// it is sent. The dialog then closes, the message stands beside the segment, and the browser returns the focus to where it
// was. No message moves the cards.

import { element, el, state, storageOf } from './page.js';
import { close, dialog, sentByKey } from './dialogs.js';
import { inPlace } from './painter.js';

/** How long a request waits for its answer, in milliseconds. */
const TIMEOUT = 20_000;

/** How long the page shows what became of a message, in milliseconds. */
const SHOWN = 6_000;

const storage = storageOf('localStorage');
/** The key of the text that is not sent yet, by user and assignment. */
const KEY = `annotate/ask/${state.user}/${state.assignment}`;

/** @typedef {import('../../wire').Message} Message */

/** @returns {{text: string, token: string}|null} */
function kept() {
  try { return JSON.parse(storage?.getItem(KEY) ?? 'null'); } catch { return null; }
}

/** @param {{text: string, token: string}|null} what */
function keep(what) {
  try {
    if (what) storage?.setItem(KEY, JSON.stringify(what));
    else storage?.removeItem(KEY);
  } catch { /* full or forbidden */ }
}

const newToken = () => crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;

/** @param {Message} m */
function item(m) {
  const head = element('p', element('strong', m.by), m.what ? ` · ${m.what}` : '', ' · ');
  head.className = 'said-head';
  const time = /** @type {HTMLTimeElement} */ (element('time', m.when));
  time.dateTime = m.at;
  head.append(time);
  if (m.new) {
    const badge = element('span', 'new');
    badge.className = 'said-new';
    head.append(' ', badge);
  }
  const text = element('p', m.text);
  text.className = 'said-text';
  text.dir = 'auto';
  const li = element('li', head, text);
  li.classList.toggle('said-by-lead', m.by === 'Lead');
  return li;
}

/** @param {string} method @param {object} [body] @returns {Promise<{status: number, json: any}>} status 0 if there was no answer */
async function request(method, body) {
  try {
    const answer = await fetch(state.urls.thread, {
      method, headers: { Accept: 'application/json', ...(body ? { 'Content-Type': 'application/json' } : {}) },
      body: body && JSON.stringify(body), signal: AbortSignal.timeout(TIMEOUT),
    });
    return { status: answer.status, json: await answer.json().catch(() => null) };
  } catch {
    return { status: 0, json: null };
  }
}

/** Shows beside the segment what was said. The cards keep their place in the window. @param {Message[]} list */
function showBeside(list) {
  const cards = el('cards');
  inPlace(() => ({ y: cards.getBoundingClientRect().top, scroller: /** @type {Element} */ (document.scrollingElement) }), () => {
    el('said').hidden = false;
    el('said').querySelector('ol').replaceChildren(...list.map(item));
  });
}

/** Says over the page, for some seconds, what became of a message. @param {string} text */
function note(text) {
  document.querySelector('.ask-note')?.remove();
  const box = element('p');
  box.className = 'ask-note';
  box.setAttribute('role', 'status');
  document.body.append(box);
  box.textContent = text; // A screen reader says what changes in a box that is there already.
  setTimeout(() => box.remove(), SHOWN);
}

/** Starts the dialog, if the page has it. */
function asking() {
  const box = dialog('ask');
  if (!box) return;
  const text = /** @type {HTMLTextAreaElement} */ (el('ask-text'));
  const said = el('ask-said');
  const error = el('ask-error');
  let token = kept()?.token ?? newToken();
  text.value = kept()?.text ?? '';
  let busy = false;
  /** @type {Message[]} */
  let messages = [];

  /** @param {Message[]} list */
  function show(list) {
    messages = list;
    said.hidden = !list.length;
    said.replaceChildren(...list.map(item));
    const fresh = list.filter((m) => m.new).length;
    if (fresh) {
      el('ask-new').textContent = `${fresh} new`;
      el('ask-new').hidden = false;
    }
    if (box.open) seen();
  }

  /**
   * Tells the server which messages the annotator has read. The server counts those on the page as read once it has sent the
   * page. The page calls them new until the dialog is opened.
   */
  function seen() {
    said.scrollTop = said.scrollHeight;
    el('ask-new').hidden = true;
    const fresh = messages.filter((m) => m.new);
    if (!fresh.length) return;
    for (const m of messages) m.new = false;
    request('PUT', { until: fresh[fresh.length - 1].at });
  }

  async function look() {
    if (busy || document.hidden) return;
    const { status: code, json } = await request('GET');
    if (code === 200 && !busy) show(json.messages);
  }

  async function send() {
    if (busy) return;
    error.hidden = true;
    error.textContent = '';
    // The field is read-only while a message is sent, so that it never holds text both sent and unsent.
    busy = text.readOnly = true;
    box.setAttribute('aria-busy', 'true');
    const { status: code, json } = await request('POST', { text: text.value, token });
    busy = text.readOnly = false;
    box.removeAttribute('aria-busy');
    if (code === 200) {
      token = newToken();
      text.value = '';
      keep(null);
      show(json.messages);
      close(box);
      showBeside(messages);
      note('Your message is sent.');
      return;
    }
    error.hidden = false;
    const why = code === 0 ? 'there is no connection; your text is kept, so try again in a moment'
      : code === 401 ? 'you are signed out; sign in in another tab, then try again'
        : json?.error ?? `the server answered ${code}`;
    error.textContent = `Not sent: ${why}.`;
    if (!box.open) note('Your message was not sent. Ask has the text and the reason.');
  }

  text.addEventListener('input', () => {
    // The server keeps one message for each token, so another text gets another token.
    token = newToken();
    keep(text.value ? { text: text.value, token } : null);
  });
  el('ask-form').addEventListener('submit', (/** @type {SubmitEvent} */ e) => {
    e.preventDefault();
    send();
  });
  sentByKey(el('ask-form'));
  new MutationObserver(() => { if (box.open) look(); }).observe(box, { attributeFilter: ['open'] });
  addEventListener('focus', look);
  document.addEventListener('visibilitychange', look);
}

asking();
