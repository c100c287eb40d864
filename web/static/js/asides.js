// On a narrow page the source stays in view above the cards. What stands below it and need not stay
// in view, such as the stage before, scrolls with the page: it stands between the source and the cards.

const source = document.getElementById('source');
const narrow = matchMedia('(max-width: 760px)');
const asides = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('#source [data-flows]'))].map((aside) => ({ aside, place: document.createComment('') }));
const below = document.createElement('div');
below.className = 'asides';

function settle() {
  for (const { aside, place } of asides) {
    if (!narrow.matches) place.replaceWith(aside);
    else {
      aside.replaceWith(place);
      below.append(aside);
    }
  }
  // The reference stands next to what is asked about it.
  below.append(...below.querySelectorAll('[data-reference]'));
  if (narrow.matches && asides.length) source?.after(below);
  else below.remove();
}

settle();
narrow.addEventListener('change', settle);
