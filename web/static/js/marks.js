// A mark in a text and its entry in the list light up together, so that one
// finds the other among many. Without this script the numbers still lead there.

/** The ids of the marks that an element stands for. @param {Element} el */
const marksOf = (el) => (el.getAttribute('data-m') ?? '').split(' ');

/** @param {Element} root a translation with its marks */
function watch(root) {
  /** @type {Element[]} */
  let lit = [];
  /** @param {EventTarget | null} target */
  const light = (target) => {
    for (const el of lit) el.classList.remove('lit');
    lit = [];
    const at = target instanceof Element ? target.closest('[data-m]') : null;
    if (!at) return;
    const ids = marksOf(at);
    for (const el of root.querySelectorAll('[data-m]')) {
      if (marksOf(el).some((id) => ids.includes(id))) lit.push(el);
    }
    for (const el of lit) el.classList.add('lit');
  };
  root.addEventListener('pointerover', (e) => light(e.target));
  root.addEventListener('pointerleave', () => light(null));
  root.addEventListener('focusin', (e) => light(e.target));
  root.addEventListener('focusout', () => light(null));
}

// Where errors are marked, a card lights up its own marks by other means.
for (const root of document.querySelectorAll('.judged, .peer, .card:not(:has([data-side]))')) watch(root);
