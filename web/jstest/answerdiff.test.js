import test from 'node:test';
import assert from 'node:assert/strict';
import { stretches } from '../static/js/answerdiff.js';

/** What is shown of a text, with changed words in [] and places of missing ones in (). */
const shown = (text, other, lang) => stretches(text, other, lang).map(({ words, kind }) => ({ '': words, changed: `[${words}]`, missing: `(${words})` })[kind]).join('');

test('the words of a text that another one has not, and the places where it has more', () => {
  assert.equal(shown('The old ferry sails 🚢.', 'The ferry sails 🚢.'), 'The [old ]ferry sails 🚢.');
  assert.equal(shown('The ferry sails 🚢.', 'The old ferry sails 🚢.'), 'The( f)erry sails 🚢.');
  assert.equal(shown('The dog barks', 'The cat barks'), 'The [dog] barks');
  assert.equal(shown('🚢🚢 old', '🚢🚢 new'), '🚢🚢 [old]');
  assert.equal(shown('same', 'same'), 'same');
  assert.equal(shown('', 'all'), '');
  assert.equal(shown('all', ''), '[all]');
});
