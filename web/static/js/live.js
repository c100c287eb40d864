/**
 * Keeps the numbers of an open page right. An element with data-live names the
 * address that tells the campaign's version, data-version is the one it was
 * written at. While the page is seen it asks every few seconds, and at once when
 * it is seen again or the connection is back; when the version
 * has changed it fetches the page anew and brings what is inside the element up
 * to date, node by node: what has not changed is not touched, so that the focus,
 * a selection, places in a list and open fold-outs stay. The fields of a form
 * someone is at are left alone. So is a part marked data-live-skip; if it is no
 * longer as it would be now, the page says so instead of the time.
 *
 * [data-live-said] says when something changed, and when nothing can be asked;
 * it is read out only if the reader wants that ([data-live-aloud]).
 */

const every = 3000; // ms between two questions
const longest = 60_000; // ms, where the answers fail
const patience = 20_000; // ms for an answer
const offline = "No connection: these numbers may be old. Trying again.";

/** The reader may not see the page any more, and asking again does not help. */
class Gone extends Error {}

/** @param {string} path @param {string} type @returns {Promise<Response>} */
async function ask(path, type) {
  const answer = await fetch(path, { headers: { Accept: type }, redirect: "error", cache: "no-store", signal: AbortSignal.timeout(patience) });
  if (answer.status >= 400 && answer.status < 500 && answer.status !== 429) throw new Gone();
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return answer;
}

/** What an element is known by among its siblings. @param {Node} node @returns {string} */
const keyOf = (node) => (node instanceof Element ? node.getAttribute("data-key") || node.id : "");

/** @param {Node} a @param {Node} b */
const alike = (a, b) => a.nodeType === b.nodeType && a.nodeName === b.nodeName && keyOf(a) === keyOf(b);

/** Whether this is a field of a form that someone is filling in. @param {Element} element */
const inUse = (element) => /^(INPUT|SELECT|TEXTAREA)$/.test(element.nodeName) && element.closest("form")?.contains(document.activeElement) === true;

/**
 * Makes a node like another one of its kind.
 * @param {Node} old @param {Node} fresh
 * @returns {boolean} whether all of it is up to date
 */
export function patch(old, fresh) {
  if (!(old instanceof Element) || !(fresh instanceof Element)) {
    if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
    return true;
  }
  if (old.hasAttribute("data-live-skip")) return old.hasAttribute("data-live-line");
  if (inUse(old)) return true;
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value && !(old instanceof HTMLDetailsElement && name === "open")) old.setAttribute(name, value);
  }
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && !(old instanceof HTMLDetailsElement && name === "open")) old.removeAttribute(name);
  }
  return patchChildren(old, fresh);
}

/** @param {Element} old @param {Element} fresh @returns {boolean} whether all of them are up to date */
function patchChildren(old, fresh) {
  let whole = true;
  const keyed = new Map([...old.children].filter(keyOf).map((child) => [keyOf(child), child]));
  let at = old.firstChild;
  for (const want of [...fresh.childNodes]) {
    const known = keyed.get(keyOf(want));
    if (known && alike(known, want)) {
      keyed.delete(keyOf(want));
      if (known === at) at = at.nextSibling;
      else old.insertBefore(known, at);
      whole = patch(known, want) && whole;
    } else if (at && alike(at, want) && !keyOf(want)) {
      const have = at;
      at = at.nextSibling;
      whole = patch(have, want) && whole;
    } else {
      old.insertBefore(document.importNode(want, true), at);
    }
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
  return whole;
}

/** @param {HTMLElement} root */
function live(root) {
  const said = root.querySelector("[data-live-said]");
  const aloud = root.querySelector("[data-live-aloud]");
  let wait = every;
  let timer = 0;
  let asking = false;

  /** @param {string} text */
  const say = (text) => {
    if (said && said.textContent !== text) said.textContent = text;
  };

  async function refresh() {
    const page = new DOMParser().parseFromString(await (await ask(location.pathname + location.search, "text/html")).text(), "text/html");
    const fresh = page.querySelector("[data-live]");
    if (!(fresh instanceof HTMLElement)) throw new Gone();
    const focused = document.activeElement;
    const whole = patchChildren(root, fresh);
    Object.assign(root.dataset, { version: fresh.dataset.version, words: fresh.dataset.words });
    // An element that was moved has lost the focus.
    if (focused instanceof HTMLElement && focused.isConnected && focused !== document.activeElement) focused.focus({ preventScroll: true });
    if (!whole) return say("The list has changed since you sent the form. Load the page again to see it.");
    const time = new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false, timeZone: root.dataset.timezone || "UTC" });
    say(`${root.dataset.words ? `${root.dataset.words}, ` : ""}updated ${time}`);
  }

  async function look() {
    if (asking || document.hidden) return;
    asking = true;
    try {
      const { version } = await (await ask(root.dataset.live ?? "", "application/json")).json();
      if (String(version) !== root.dataset.version) await refresh();
      else if (wait > every) say("Connected again");
      wait = every;
    } catch (error) {
      if (error instanceof Gone) {
        say("Not kept up any more: load the page again, or sign in.");
        return;
      }
      wait = Math.min(wait * 2, longest);
      say(offline);
    } finally {
      asking = false;
    }
    later();
  }

  function later() {
    clearTimeout(timer);
    if (!document.hidden) timer = setTimeout(look, wait);
  }

  const again = () => {
    clearTimeout(timer);
    if (!document.hidden) look();
  };
  document.addEventListener("visibilitychange", again);
  addEventListener("online", again);
  addEventListener("offline", () => { wait = Math.max(wait, 2 * every); say(offline); });

  if (aloud instanceof HTMLButtonElement && said) {
    const choose = (/** @type {boolean} */ on) => {
      aloud.setAttribute("aria-pressed", String(on));
      said.setAttribute("aria-live", on ? "polite" : "off");
    };
    choose(localStorage.getItem("annotate/aloud") === "yes");
    aloud.hidden = false;
    aloud.addEventListener("click", () => {
      const on = aloud.getAttribute("aria-pressed") !== "true";
      localStorage.setItem("annotate/aloud", on ? "yes" : "no");
      choose(on);
    });
  }
  root.dataset.ready = "live";
  later();
}

for (const root of globalThis.document?.querySelectorAll("[data-live]") ?? []) {
  if (root instanceof HTMLElement) live(root);
}
