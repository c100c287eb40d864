// Saving. Queue decides what is sent when and what the answers mean; it has no
// clock, no network and no page in it. connect() lends it all three.
//
// One request at a time is under way for a card. A request without a clear
// answer is repeated as it was, under the same save_id, before anything newer
// is sent: only so can the server tell a repetition from a second change.

/** @typedef {import('./spans.js').Span} Span */
/** @typedef {{scores: Record<string, number>, comment: string, answers?: Record<string, string[]>, spans?: Span[], no_errors?: boolean, rejected?: string[]}} Value what is entered on a card; answers: by name of the question, as lists; spans only where errors are marked, rejected: suggestions */
/** @typedef {Value & {id?: string, revision: number, seconds: number}} Saved a card as the server has it */
/** @typedef {{id: string, revision: number, value: Value, seconds: number}} Sending */
/** @typedef {{revision: number, value: Value, seconds: number, sent: Value|null, id?: string, at: number}} Kept a change as the browser keeps it; id: of the save that sent it; at: when, in milliseconds */
/**
 * @typedef {object} Card
 * @property {Value} value what the page shows
 * @property {Value} base what the server has
 * @property {number} revision of base
 * @property {number} seconds active time, saved or not
 * @property {number} baseSeconds
 * @property {number|null} due when the change may be sent; null: nothing to send
 * @property {Sending|null} sending sent at least once, not answered clearly
 * @property {boolean} active a request is under way
 * @property {number} failures in a row
 * @property {(Saved & {unsaved?: boolean})|null} conflict the other window's version, on the server or only kept by the browser
 * @property {Value[]} others versions of further windows, to be asked about after it
 * @property {string} refused why the server does not take the value
 */

/** Waits after the first, second … failure, in seconds; the last one repeats. */
export const WAITS = [1, 2, 4, 8, 16, 30];
/** The wait while somebody else is signed in, in seconds. */
export const SLOW = 60;
/** Answers that may be others once the right person is signed in. @type {Record<number, 'signed out'|'not allowed'|'not found'>} */
const PERSON = { 401: 'signed out', 403: 'not allowed', 404: 'not found' };
/** Time that is worth a request of its own, in seconds. */
export const WORTH = 5;

/** Lists of spans are never changed, so that copies share them. @param {Value} v @returns {Value} */
export const copy = ({ scores, comment, answers, spans, no_errors, rejected }) => ({ scores: { ...scores }, comment, ...(answers && { answers: { ...answers } }), ...(spans && { spans, no_errors: !!no_errors }), ...(rejected?.length && { rejected }) });

/** @typedef {Record<string, any>} Fields */
/** Whether two agree in all fields; an empty one is as good as none. @param {Fields} a @param {Fields} b */
const agree = (a, b) => Object.keys({ ...a, ...b }).every((k) => a[k] === b[k] || (!a[k] && !b[k] && a[k] !== 0 && b[k] !== 0));

/** Answers as a text that is the same for the same answers. @param {Value} v */
const answersOf = (v) => JSON.stringify(Object.entries(v.answers ?? {}).sort());

/** @param {Value} a @param {Value} b */
export function same(a, b) {
  const [x, y] = [a.spans ?? [], b.spans ?? []];
  return a.comment === b.comment && !a.no_errors === !b.no_errors && `${a.rejected ?? ''}` === `${b.rejected ?? ''}` && agree(a.scores, b.scores) && answersOf(a) === answersOf(b) &&
    (x === y || (x.length === y.length && x.every((s, i) => s === y[i] || agree(s, y[i]))));
}

export class Queue {
  /**
   * @param {Saved[]} cards by index, as the server has them
   * @param {() => string} newId makes ids of saves
   * @param {{submitted?: boolean, changed?: boolean}} [work] the work was submitted, and changed since
   */
  constructor(cards, newId, { submitted = false, changed = false } = {}) {
    this.newId = newId;
    this.submitted = submitted;
    this.changed = changed;
    this.first = cards.map(copy);
    /** @type {Card[]} */
    this.cards = cards.map((c) => ({
      value: copy(c), base: copy(c), revision: c.revision, seconds: c.seconds, baseSeconds: c.seconds,
      due: null, sending: null, active: false, failures: 0, conflict: null, others: [], refused: '',
    }));
    /** Why nothing can be saved any more; empty: it can. */
    this.closed = '';
    /** What keeps changes from arriving. @type {''|'offline'|'server'|'signed out'|'not allowed'|'not found'} */
    this.trouble = '';
    /** When the last save was confirmed, as the server wrote it. */
    this.savedAt = '';
  }

  /** A new value of a card, to be sent at the given time. @param {number} i @param {Value} value @param {number} at */
  edit(i, value, at) {
    const c = this.cards[i];
    c.value = copy(value);
    c.refused = '';
    if (c.sending && !c.active) return; // the repetition goes first, at its own time
    c.due = same(c.value, c.sending?.value ?? c.base) ? null : at;
  }

  /** Active time on a card. @param {number} i @param {number} seconds */
  gain(i, seconds) {
    this.cards[i].seconds += seconds;
  }

  /** Sends a card's time even if nothing else changed, once it is worth it. @param {number} i @param {number} now */
  sendTime(i, now) {
    const c = this.cards[i];
    if (c.due === null && !c.sending && !c.refused && c.seconds - c.baseSeconds >= WORTH) c.due = now;
  }

  /** Whether a card has a change the server has not confirmed. @param {number} i */
  dirty(i) {
    const c = this.cards[i];
    return !same(c.value, c.base) || (c.sending !== null && !same(c.sending.value, c.base));
  }

  /** Makes everything due at once, repetitions too. @param {number} now */
  hurry(now) {
    for (const c of this.cards) {
      if (c.due !== null) c.due = Math.min(c.due, now);
    }
  }

  /**
   * The requests to be made now; each must be answered with answer().
   * @param {number} now
   * @returns {{index: number, again: boolean, body: object}[]}
   */
  take(now) {
    if (this.closed) return [];
    /** @type {{index: number, again: boolean, body: object}[]} */
    const out = [];
    this.cards.forEach((c, index) => {
      if (c.active || c.conflict || c.due === null || c.due > now) return;
      const again = c.sending !== null;
      c.sending ??= { id: this.newId(), revision: c.revision, value: copy(c.value), seconds: c.seconds };
      c.active = true;
      c.due = null;
      const s = c.sending;
      out.push({ index, again, body: { revision: s.revision, save_id: s.id, ...s.value, seconds: Math.round(s.seconds * 10) / 10 } });
    });
    return out;
  }

  /** When take() has something to give; null: not before something happens. @returns {number|null} */
  wake() {
    let at = Infinity;
    for (const c of this.cards) {
      if (!c.active && !c.conflict && c.due !== null) at = Math.min(at, c.due);
    }
    return at === Infinity || this.closed ? null : at;
  }

  /**
   * The answer to a request. Status 0: none came.
   * @param {number} i @param {number} status @param {any} json @param {number} now
   * @returns {boolean} whether the card now shows another value
   */
  answer(i, status, json, now) {
    const c = this.cards[i];
    const s = c.sending;
    c.active = false;
    if (!s) return false;
    if (status === 200) {
      c.base = s.value;
      c.baseSeconds = s.seconds;
      c.revision = json.revision;
      c.sending = null;
      c.failures = 0;
      this.trouble = '';
      if (!same(s.value, c.value) && c.due === null) c.due = now;
      this.savedAt = json.saved_at;
      return false;
    }
    if (status === 409 && json?.code === 'conflict' && json.card) {
      this.trouble = '';
      // Only time was saved elsewhere, as by this page when it was left: the change is still based on what is stored.
      if (!same(c.base, json.card) || same(c.value, c.base)) return this.#conflict(c, json.card);
      this.#rebase(c, json.card, c.seconds - c.baseSeconds);
      c.sending = null;
      c.failures = 0;
      c.due = now;
      return false;
    }
    if (status === 409) {
      this.closed = json?.error || 'this segment can no longer be changed';
      return false;
    }
    if (status === 0 || status === 401 || status === 403 || status === 404 || status === 408 || status === 429 || status >= 500) {
      this.trouble = status === 0 ? 'offline' : PERSON[status] ?? 'server';
      const wait = status === 403 || status === 404 ? SLOW : WAITS[Math.min(c.failures, WAITS.length - 1)];
      c.due = now + 1000 * wait;
      c.failures++;
      return false;
    }
    c.sending = null;
    this.trouble = '';
    // What was entered meanwhile may be taken.
    if (!same(s.value, c.value)) {
      c.due = same(c.value, c.base) ? null : now;
      return false;
    }
    c.due = null;
    // Time alone is not worth a word.
    if (!same(c.value, c.base)) c.refused = json?.error || `the server answered ${status}`;
    return false;
  }

  /** @param {Card} c @param {Saved} theirs @returns {boolean} */
  #conflict(c, theirs) {
    const touched = !same(c.value, c.base);
    const shown = c.value;
    const gained = c.seconds - c.baseSeconds;
    c.sending = null;
    c.failures = 0;
    c.due = null;
    if (touched && !same(c.value, theirs)) {
      c.conflict = { ...theirs, ...copy(theirs) };
      return false;
    }
    this.#rebase(c, theirs, gained);
    c.value = copy(theirs);
    return !same(shown, c.value);
  }

  /** @param {Card} c @param {Saved} theirs @param {number} gained */
  #rebase(c, theirs, gained) {
    c.base = copy(theirs);
    c.revision = theirs.revision;
    c.baseSeconds = theirs.seconds;
    c.seconds = theirs.seconds + gained;
    c.conflict = null;
  }

  /** Ends a conflict; the next one may follow. @param {number} i @param {'mine'|'theirs'} side @param {number} now */
  resolve(i, side, now) {
    const c = this.cards[i];
    const theirs = c.conflict;
    if (!theirs) return;
    c.conflict = null;
    if (!theirs.unsaved) this.#rebase(c, theirs, c.seconds - c.baseSeconds);
    if (side === 'theirs') {
      // What was kept of the version that goes is not asked for again.
      c.others = c.others.filter((v) => !same(v, c.value));
      c.value = copy(theirs);
    }
    this.#ask(c);
    c.due = c.conflict || same(c.value, c.base) ? null : now;
  }

  /** Makes the next version that only the browser has a conflict. @param {Card} c */
  #ask(c) {
    const [next, ...rest] = c.others.filter((v) => !same(v, c.value) && !same(v, c.base));
    c.others = next ? rest.filter((v) => !same(v, next)) : [];
    if (next) c.conflict = { ...copy(next), revision: c.revision, seconds: c.baseSeconds, unsaved: true };
  }

  /** Another version of a card became known other than by saving it. @param {number} i @param {Saved} theirs */
  meet(i, theirs) {
    return this.#conflict(this.cards[i], theirs);
  }

  /** What the browser must keep of a card; null: nothing. @param {number} i @param {number} at time of day @returns {Kept|null} */
  keep(i, at) {
    if (!this.dirty(i)) return null;
    const c = this.cards[i];
    return { revision: c.revision, value: copy(c.value), seconds: c.seconds, sent: c.sending && copy(c.sending.value), ...(c.sending && { id: c.sending.id }), at };
  }

  /**
   * Takes up what the browser kept of a card, from all windows. The newest is
   * shown; what differs from it is a conflict, on the server or not.
   * @param {number} i @param {Kept[]} kept @param {number} now
   * @returns {boolean} whether the card now shows another value
   */
  restore(i, kept, now) {
    const c = this.cards[i];
    // A reload can show a page that the server wrote before it stored what this browser saved last.
    const stored = Math.max(c.revision, ...kept.map((k) => k.revision));
    const stale = stored > c.revision;
    c.revision = stored;
    /** Whether a save was under way that the server had not got when it wrote the page. @param {Kept} k */
    const flies = (k) => k.sent !== null && !!k.id && k.revision === c.revision;
    const left = kept.filter((k) => (stale && k.revision === stored) || !same(k.value, c.base) || (flies(k) && !same(k.sent ?? k.value, c.base))).sort((a, b) => (b.at ?? 0) - (a.at ?? 0));
    if (!left.length) return false;
    const newest = left[0];
    const shown = c.value;
    c.value = copy(newest.value);
    c.others = left.map((k) => copy(k.value));
    // The server moved on: by our own unanswered save, or by someone else's hand.
    const ours = left.some((k) => same(k.value, c.value) && (k.revision === c.revision || (k.sent !== null && same(k.sent, c.base))));
    if (ours) {
      c.seconds = Math.max(c.seconds, newest.seconds);
      this.#ask(c);
      c.due = c.conflict ? null : now;
      // The save that was under way when the page went may still arrive, and is repeated
      // as it was: another one would find it on the server and take it for a stranger's.
      if (!c.conflict && newest.sent && newest.id && flies(newest)) {
        c.sending = { id: newest.id, revision: newest.revision, value: copy(newest.sent), seconds: newest.seconds };
      }
    } else {
      c.conflict = { ...copy(c.base), revision: c.revision, seconds: c.baseSeconds };
      c.revision = newest.revision; // so that another reload finds the conflict again
    }
    return !same(shown, c.value);
  }

  /** Whether nothing is under way and nothing waits to be sent. */
  settled() {
    return this.cards.every((c) => !c.active && !c.sending && c.due === null && !c.conflict && !c.refused);
  }

  /** Whether waiting alone will not settle it. */
  stuck() {
    return this.closed !== '' || this.cards.some((c) => c.conflict || c.refused || (c.failures > 0 && !c.active));
  }

  /**
   * How saving goes, for the line on the page.
   * @param {(at: string) => string} clock writes a time of day
   * @returns {{state: 'idle'|'saving'|'saved'|'kept'|'lost', text: string}}
   */
  report(clock) {
    const kept = this.cards.filter((_, i) => this.dirty(i)).length;
    const changes = kept === 1 ? '1 change kept' : `${kept} changes kept`;
    const refused = this.cards.find((c) => c.refused);
    if (this.closed) return { state: 'lost', text: kept ? 'kept in this browser' : 'read only' };
    if (this.cards.some((c) => c.conflict)) return { state: 'lost', text: 'not saved: changed elsewhere' };
    if (refused) return { state: 'lost', text: `not saved: ${refused.refused}` };
    if (kept && this.trouble === 'signed out') return { state: 'lost', text: `signed out, ${changes}` };
    if (kept && this.trouble === 'not allowed') return { state: 'lost', text: `not allowed to save, ${changes}` };
    if (kept && this.trouble === 'not found') return { state: 'lost', text: `not found for this sign-in, ${changes}` };
    if (kept && this.trouble === 'offline') return { state: 'kept', text: `offline, ${changes}` };
    if (kept && this.trouble === 'server') return { state: 'kept', text: `trying again, ${changes}` };
    if (kept) return { state: 'saving', text: 'saving…' };
    const again = this.submitted && (this.changed || this.cards.some((c, i) => !same(c.base, this.first[i])));
    if (this.savedAt) return { state: 'saved', text: `saved ${clock(this.savedAt)}${again ? ', not submitted again' : ''}` };
    if (again) return { state: 'idle', text: 'changes not submitted again' };
    return { state: 'idle', text: 'changes save themselves' };
  }
}

/** Where the browser keeps what is entered, up to the card and the window. @param {{user: string, assignment: string}} of */
export const place = ({ user, assignment }) => `annotate/${user}/${assignment}/`;

/**
 * What the browser keeps of an assignment, from all windows; index: of the card, -1 if
 * the page has no such card. Earlier versions kept a change under the place of its card.
 * Such a change fits no revision, so that the annotator is asked about it.
 * @param {Storage|null} storage @param {string} key what place() says @param {string[]} ids of the cards
 * @returns {{name: string, text: string, index: number, entry: Kept}[]}
 */
export function kept(storage, key, ids) {
  const out = [];
  for (let n = 0; n < (storage?.length ?? 0); n++) {
    const name = storage?.key(n) ?? '';
    if (!name.startsWith(key)) continue;
    try {
      const text = storage?.getItem(name) ?? '';
      const entry = JSON.parse(text);
      const [card] = name.slice(key.length).split('/');
      const old = /^\d{1,4}$/.test(card);
      if (old) entry.revision = -1;
      if (entry.value.scores) out.push({ name, text, index: old ? Number(card) : ids.indexOf(card), entry });
    } catch { /* not ours to read */ }
  }
  return out;
}

/**
 * What the browser keeps of an assignment and the server has not got; the rest is removed.
 * @param {Storage} storage @param {string} key @param {Saved[]} cards as the server has them
 */
export function leftovers(storage, key, cards) {
  return kept(storage, key, cards.map((c) => c.id ?? '')).filter(({ name, index, entry }) => {
    if (!cards[index] || !same(entry.value, cards[index])) return true;
    storage.removeItem(name);
    return false;
  });
}

/**
 * The id of this window. A reload has it again; a copy of the window, which
 * begins with a copy of the session, has not: while a page is shown, its id is
 * not there. What is returned puts it back, for when the page goes.
 * @param {Storage|null} session @param {() => string} newId
 * @returns {{id: string, leave: () => void}}
 */
export function windowId(session, newId) {
  const name = 'annotate/window';
  let id = '';
  try {
    id = session?.getItem(name) ?? '';
    session?.removeItem(name);
  } catch { /* forbidden */ }
  id ||= newId();
  return { id, leave() { try { session?.setItem(name, id); } catch { /* forbidden */ } } };
}

/**
 * Runs a queue against the server and the browser's storage.
 * @param {Queue} queue
 * @param {object} on
 * @param {string} on.url the id of a card is appended; empty: nothing is sent or kept
 * @param {string[]} on.ids of the cards
 * @param {string} on.key prefix of the keys in the storage
 * @param {string} on.id of this window
 * @param {number} [on.timeout] of a request, in milliseconds
 * @param {Storage|null} on.storage
 * @param {() => number} on.now
 * @param {(index: number|null, changed: boolean) => void} on.change called after every change of state
 */
export function connect(queue, { url, ids, key, id, storage, now, change, timeout = 20_000 }) {
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let timer;
  /** @type {Set<number>} cards whose changes the storage did not take */
  const unkept = new Set();
  /** @type {ReturnType<typeof kept>} what was there when the page came */
  let found = [];
  /** Whether the window is loading another page, which may have been written before the answers that still come to this one. */
  let leaving = false;

  /** @param {number} i */
  function keep(i) {
    if (!url) return;
    const name = `${key}${ids[i]}/${id}`;
    const entry = queue.keep(i, Date.now());
    try {
      if (entry) {
        unkept.add(i);
        if (!storage) return;
        storage.setItem(name, JSON.stringify(entry));
        unkept.delete(i);
      } else if (!queue.cards[i].conflict && !leaving) {
        storage?.removeItem(name);
        // What other windows left is settled now, unless they have gone on.
        for (const k of found) if (k.index === i && storage?.getItem(k.name) === k.text) storage?.removeItem(k.name);
      }
    } catch { /* full or forbidden: the page warns before it is closed */ }
  }

  /** @param {{index: number, again: boolean, body: object}} request @param {boolean} leaving */
  async function send({ index, again, body }, leaving) {
    const text = JSON.stringify(body);
    let status = 0;
    let json = null;
    try {
      const answer = await fetch(url + ids[index], {
        method: 'PUT', body: text, headers: { 'Content-Type': 'application/json' },
        // Browsers allow 64 KB of requests that outlive their page.
        keepalive: (leaving && text.length < 20_000) || (!again && text.length < 2000),
        // A page that is left may live on; one that is gone stops no clock.
        signal: AbortSignal.timeout(timeout),
      });
      status = answer.status;
      json = await answer.json().catch(() => null);
      // Of a part of an answer nothing is known, and not that the segment is closed.
      if (!json && (status === 200 || status === 409)) status = 502;
    } catch {
      status = 0;
    }
    const changed = queue.answer(index, status, json, now());
    keep(index);
    change(index, changed);
    run();
  }

  function run(leaving = false) {
    clearTimeout(timer);
    if (!url) return change(null, false);
    for (const request of queue.take(now())) {
      keep(request.index); // under which id it goes, for a page that comes before the answer
      send(request, leaving);
    }
    const at = queue.wake();
    if (at !== null) timer = setTimeout(run, Math.max(0, at - now()));
    change(null, false);
  }

  return {
    /** @param {number} i @param {Value} value @param {number} [wait] in milliseconds */
    edit(i, value, wait = 0) {
      queue.edit(i, value, now() + wait);
      keep(i);
      run();
    },
    /** Sends what waits now. @param {boolean} [leaving] the page may be gone in a moment */
    flush(leaving = false) {
      queue.hurry(now());
      run(leaving);
    },
    /** @param {number} i */
    time(i) {
      queue.sendTime(i, now());
      run();
    },
    /** @param {number} i @param {'mine'|'theirs'} side */
    resolve(i, side) {
      queue.resolve(i, side, now());
      keep(i);
      run();
    },
    /** Takes up what earlier visits left. @returns {number[]} cards that now show something else */
    restore() {
      const changed = [];
      try { found = kept(storage, key, ids); } catch { /* no storage */ }
      for (const i of queue.cards.keys()) {
        const entries = found.filter((k) => k.index === i).map((k) => k.entry);
        if (queue.restore(i, entries, now())) changed.push(i);
        if (entries.length) keep(i);
      }
      run();
      return changed;
    },
    /** Forgets what is kept of this assignment, but for what the server has not got. */
    forget() {
      try {
        for (const k of kept(storage, key, ids)) {
          if (k.index in queue.cards && same(k.entry.value, queue.cards[k.index].base)) storage?.removeItem(k.name);
        }
      } catch { /* no storage */ }
    },
    /** Keeps confirmed changes until the next page has taken them up. A page that lives on, as after a download, lets go of them. */
    leave() {
      leaving = true;
      setTimeout(() => {
        leaving = false;
        for (const i of queue.cards.keys()) keep(i);
      }, timeout);
    },
    /** Whether closing the page now would lose something. */
    atRisk: () => [...unkept].some((i) => queue.dirty(i)),
  };
}
