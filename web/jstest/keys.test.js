import test from 'node:test';
import assert from 'node:assert/strict';
import { drawn, grouped, match, nameOf, table } from '../static/js/keys.js';
import { pressed, refusal, spell } from '../static/js/keyboard.js';

const keys = table([{ name: 'sqm', min: 0, max: 4 }]);
const on = { typing: false, mac: false, letters: true };
const press = (key, code, more = {}) => ({ key, code, shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, isComposing: false, ...more });
const acts = (event, where = on) => match(keys, event, where)?.act;

test('keys by what they do', () => {
  const cases = [
    ['score', press('3', 'Digit3'), on],
    ['score', press('3', 'Numpad3'), on],
    [undefined, press('5', 'Digit5'), on],
    ['next', press('j', 'KeyJ'), on],
    ['next', press('Enter', 'Enter'), on],
    ['previous', press('k', 'KeyK'), on],
    ['previous', press('K', 'KeyK'), on], // caps lock
    [undefined, press('J', 'KeyJ', { shiftKey: true }), on],
    ['keys', press('?', 'Slash', { shiftKey: true }), on],
    ['keys', press('?', 'Minus', { shiftKey: true }), on], // German layout
    ['as', press('=', 'Equal'), on],
    ['as', press('=', 'Digit0', { shiftKey: true }), on], // German layout
    [undefined, press('=', 'Equal', { ctrlKey: true }), on], // zoom
    ['undo', press('z', 'KeyZ', { ctrlKey: true }), on],
    ['redo', press('Z', 'KeyZ', { ctrlKey: true, shiftKey: true }), on],
    ['undo', press('z', 'KeyY', { ctrlKey: true }), on], // German layout, by character
    [undefined, press('j', 'KeyJ', { ctrlKey: true }), on],
    [undefined, press('j', 'KeyJ', { altKey: true }), on],
    [undefined, press('j', 'KeyJ', { metaKey: true }), on],
    ['submit', press('Enter', 'Enter', { ctrlKey: true }), on],
    ['leave', press('Escape', 'Escape'), on],
  ];
  for (const [want, event, where] of cases) assert.equal(acts(event, where), want, `${JSON.stringify(event)}`);
});

test('layouts without Latin letters go by the place of the key', () => {
  assert.equal(acts(press('о', 'KeyJ')), 'next'); // Russian
  assert.equal(acts(press('ت', 'KeyJ')), 'next'); // Arabic
  assert.equal(acts(press('ㅓ', 'KeyJ')), 'next'); // Korean
  assert.equal(acts(press('٣', 'Digit3')), 'score'); // Arabic digits
  assert.equal(match(keys, press('٣', 'Digit3'), on)?.pressed, '3');
  assert.equal(acts(press('я', 'KeyZ', { ctrlKey: true })), 'undo');
});

test('a digit says which score it gives', () => {
  assert.equal(match(keys, press('3', 'Digit3'), on)?.of, 'sqm');
});

test('French digits: with and without the shift key', () => {
  assert.equal(match(keys, press('"', 'Digit3'), on)?.pressed, '3');
  assert.equal(match(keys, press('3', 'Digit3', { shiftKey: true }), on)?.pressed, '3');
  assert.equal(acts(press('#', 'Digit3', { shiftKey: true })), undefined); // US, shifted
});

test('a Latin letter is never taken for its place', () => {
  assert.equal(acts(press('h', 'KeyJ')), 'fold'); // Dvorak: h where j is printed
  assert.equal(acts(press('j', 'KeyC')), 'next');
  assert.equal(acts(press(',', 'KeyW')), undefined);
});

test('never while composing', () => {
  assert.equal(acts(press('j', 'KeyJ', { isComposing: true })), undefined);
  assert.equal(acts(press('Process', 'KeyJ')), undefined);
  assert.equal(acts(press('Enter', 'Enter', { ctrlKey: true, isComposing: true })), undefined);
});

test('while typing only what leaves or submits', () => {
  const typing = { ...on, typing: true };
  assert.equal(acts(press('j', 'KeyJ'), typing), undefined);
  assert.equal(acts(press('3', 'Digit3'), typing), undefined);
  assert.equal(acts(press('z', 'KeyZ', { ctrlKey: true }), typing), undefined, 'the field undoes its own text');
  assert.equal(acts(press('Enter', 'Enter', { ctrlKey: true }), typing), 'submit');
  assert.equal(acts(press('Escape', 'Escape'), typing), 'leave');
});

test('⌘ on a Mac, Ctrl elsewhere', () => {
  const mac = { ...on, mac: true };
  assert.equal(acts(press('Enter', 'Enter', { metaKey: true }), mac), 'submit');
  assert.equal(acts(press('Enter', 'Enter', { ctrlKey: true }), mac), undefined);
  assert.equal(acts(press('Enter', 'Enter', { metaKey: true })), undefined);
});

test('single keys can be switched off', () => {
  const off = { ...on, letters: false };
  assert.equal(acts(press('j', 'KeyJ'), off), undefined);
  assert.equal(acts(press('3', 'Digit3'), off), undefined);
  assert.equal(acts(press('z', 'KeyZ', { ctrlKey: true }), off), 'undo');
  assert.equal(acts(press('Escape', 'Escape'), off), 'leave');
  assert.equal(acts(press('Enter', 'Enter'), off), 'next');
  const where = (/** @type {any} */ e) => match(esa, e, off)?.act;
  // Errors are still marked by keyboard: only keys of one character are off.
  assert.deepEqual([where(press('ArrowRight', 'ArrowRight', { shiftKey: true })), where(press('Enter', 'Enter')), where(press('Delete', 'Delete'))], ['caret', 'mark', 'remove']);
  assert.deepEqual([where(press('m', 'KeyM')), where(press('.', 'Period')), where(press('?', 'Slash', { shiftKey: true }))], [undefined, undefined, undefined]);
});

test('no digits where a score has no digit keys', () => {
  assert.ok(!table([{ name: 'score', min: 0, max: 100 }]).some((k) => k.act === 'score'));
  assert.ok(!table([{ name: 'a', min: 0, max: 4 }, { name: 'b', min: 0, max: 4 }]).some((k) => k.act === 'score'));
});

test('how keys are written', () => {
  const find = (act) => /** @type {any} */ (keys.find((k) => k.act === act));
  assert.deepEqual(drawn(find('score'), false), [['0 – 4']]);
  assert.deepEqual(drawn(find('next'), false), [['j'], ['↵']]);
  assert.deepEqual(drawn(find('redo'), true), [['⌘', 'Shift', 'Z']]);
  assert.deepEqual(drawn(find('submit'), false), [['Ctrl', '↵']]);
});

const severities = (...ids) => ids.map((id) => ({ id, name: id, style: '' }));
const esa = table([{ name: 'score', label: 'Score', min: 0, max: 100 }], { severities: severities('minor', 'major'), missing_punctuation: { severity: 'minor', subcategory: 'x' } });
const mqm = table([], { severities: severities('neutral', 'minor', 'major', 'critical'), categories: [] });
const rate = table([{ name: 'accuracy', label: 'Accuracy', min: 0, max: 100 }, { name: 'fluency', label: 'Fluency', min: 0, max: 100 }], { severities: severities('1', '2', '3', '4', '5'), categories: [], links: true });

test('keys for marking', () => {
  const shift = { shiftKey: true };
  // As Windows reports AltGr.
  const altGr = { ctrlKey: true, altKey: true, getModifierState: (/** @type {string} */ key) => key === 'AltGraph' };
  const of = (/** @type {any} */ list, /** @type {any} */ e, where = on) => { const k = match(list, e, where); return k && [k.act, k.of].filter(Boolean).join(' '); };
  const cases = [
    [mqm, press('m', 'KeyM'), 'severity minor'], [mqm, press('M', 'KeyM', shift), 'severity major'],
    [mqm, press('X', 'KeyX', shift), 'severity critical'], [mqm, press('x', 'KeyX'), 'remove'], [mqm, press('u', 'KeyU'), 'severity neutral'],
    [esa, press('X', 'KeyX', shift), undefined], [esa, press('u', 'KeyU'), undefined], [esa, press('c', 'KeyC'), undefined], [esa, press('l', 'KeyL'), undefined],
    [rate, press('4', 'Digit4'), 'severity 4'], [rate, press('0', 'Digit0'), 'none'], [rate, press('m', 'KeyM'), undefined], [rate, press('l', 'KeyL'), 'link'],
    [rate, press('a', 'KeyA'), 'field accuracy'], [rate, press('f', 'KeyF'), 'field fluency'], [esa, press('a', 'KeyA'), 'field score'],
    [esa, press('Enter', 'Enter'), 'mark'], [esa, press('j', 'KeyJ'), 'next'], [esa, press('p', 'KeyP'), 'gap'], [mqm, press('p', 'KeyP'), undefined],
    [esa, press(']', 'BracketRight'), 'end 1'], [esa, press('{', 'BracketLeft', shift), 'start -1'], [esa, press('ü', 'BracketLeft'), 'end -1'], [esa, press('х', 'BracketLeft'), 'end -1'],
    // The ends of a mark have letters too, since brackets need AltGr on many layouts.
    [esa, press('e', 'KeyE'), 'end 1'], [esa, press('E', 'KeyE', shift), 'end -1'], [esa, press('b', 'KeyB'), 'start -1'], [esa, press('B', 'KeyB', shift), 'start 1'],
    [esa, press('[', 'Digit8', altGr), 'end -1'], [esa, press(']', 'Digit9', altGr), 'end 1'], [esa, press('{', 'Digit7', altGr), 'start -1'], [esa, press('}', 'Digit0', altGr), 'start 1'], // German
    [esa, press('[', 'Digit5', altGr), 'end -1'], [esa, press(']', 'Minus', altGr), 'end 1'], // French
    [esa, press('[', 'BracketLeft', altGr), 'end -1'], [esa, press(']', 'BracketRight', altGr), 'end 1'], // Spanish and Italian
    [esa, press('[', 'Digit5', { altKey: true }), 'end -1', { ...on, mac: true }], [esa, press('m', 'KeyM', { ctrlKey: true, altKey: true }), undefined],
    [esa, press('.', 'Comma', shift), 'pick 1'], // French layout
    [esa, press('.', 'Period'), 'pick 1'], [esa, press(',', 'Comma'), 'pick -1'], [esa, press('ь', 'KeyM'), 'severity minor'],
    [esa, press('ArrowRight', 'ArrowRight'), 'caret'], [esa, press('ArrowRight', 'ArrowRight', { ctrlKey: true, shiftKey: true }), 'caret'],
    [esa, press('ArrowLeft', 'ArrowLeft', { altKey: true }), undefined], // back in the browser
  ];
  for (const [list, e, want, where] of cases) assert.equal(of(list, e, where), want, JSON.stringify(e));
  assert.equal(of(esa, press('ArrowLeft', 'ArrowLeft', { altKey: true }), { ...on, mac: true }), 'caret', 'by words on a Mac');
  assert.equal(of(esa, press('ArrowLeft', 'ArrowLeft'), { ...on, typing: true }), undefined);
});

test('no two entries have the same key', () => {
  for (const list of [esa, mqm, rate]) {
    const all = list.flatMap((k) => k.keys.map((key) => `${k.mod ? 'Ctrl ' : ''}${k.shift ? 'Shift ' : ''}${key}`));
    assert.deepEqual(all.filter((k, i) => all.indexOf(k) !== i), []);
  }
});

const mqmRules = { severities: severities('neutral', 'minor', 'major', 'critical'), categories: [] };
/** @param {any} list @param {string} name */
const named = (list, name) => /** @type {any} */ (list.find((/** @type {any} */ k) => nameOf(k) === name));
/** @param {any} list @param {any} e */
const meaning = (list, e, where = on) => { const k = match(list, e, where); return k && nameOf(k); };

test('a key that a person has changed', () => {
  const list = table([], mqmRules, { 'severity:major': 'Shift+q', mark: 'w', undo: 'Ctrl+y', 'pick:1': ';', nonsense: 'b', 'end:1': 'Delete' });
  assert.equal(meaning(list, press('Q', 'KeyQ', { shiftKey: true })), 'severity:major');
  assert.equal(meaning(list, press('M', 'KeyM', { shiftKey: true })), undefined);
  assert.equal(meaning(list, press('m', 'KeyM')), 'severity:minor');
  assert.equal(meaning(list, press('w', 'KeyW')), 'mark');
  assert.equal(meaning(list, press('ц', 'KeyW')), 'mark', 'by its place where letters are others');
  assert.equal(meaning(list, press('w', 'KeyW', { isComposing: true })), undefined);
  assert.equal(meaning(list, press('w', 'KeyW'), { ...on, typing: true }), undefined);
  assert.equal(meaning(list, press('Enter', 'Enter')), undefined);
  assert.equal(meaning(list, press('y', 'KeyY', { ctrlKey: true })), 'undo');
  assert.equal(meaning(list, press(';', 'Semicolon')), 'pick:1');
  assert.equal(meaning(list, press(';', 'Comma', { shiftKey: true })), 'pick:1', 'with Shift on a German keyboard');
  assert.deepEqual(drawn(named(list, 'severity:major'), false), [['Q']]);
  assert.deepEqual(drawn(named(list, 'undo'), false), [['Ctrl', 'Y']]);
  assert.ok(!list.some((k) => nameOf(k) === 'nonsense'));
});

test('two keys can be exchanged, and what is taken on this page stays as it came', () => {
  const exchanged = table([], mqmRules, { 'severity:minor': 'Shift+m', 'severity:major': 'm' });
  assert.equal(meaning(exchanged, press('m', 'KeyM')), 'severity:major');
  assert.equal(meaning(exchanged, press('M', 'KeyM', { shiftKey: true })), 'severity:minor');
  // X is critical where the campaign has it: the other keeps its own key there.
  const own = { remove: 'Shift+x', 'severity:minor': 'x' };
  const without = table([], { ...mqmRules, severities: severities('neutral', 'minor', 'major') }, own);
  assert.equal(meaning(without, press('X', 'KeyX', { shiftKey: true })), 'remove');
  assert.equal(meaning(without, press('x', 'KeyX')), 'severity:minor');
  const critical = table([], mqmRules, own);
  assert.equal(meaning(critical, press('X', 'KeyX', { shiftKey: true })), 'severity:critical');
  assert.equal(meaning(critical, press('x', 'KeyX')), 'remove');
  assert.equal(meaning(critical, press('m', 'KeyM')), 'severity:minor');
});

test('why a key is refused', () => {
  const to = (/** @type {string} */ key, more = {}) => ({ keys: [key], ...more });
  const why = (/** @type {string} */ name, /** @type {any} */ key, list = mqm) => refusal(list, named(list, name), key);
  assert.equal(why('mark', to('w')), '');
  assert.equal(why('mark', to('Enter')), '', 'its own');
  assert.equal(why('mark', to('m')), 'm is taken by “minor”');
  assert.equal(why('mark', to('m', { shift: true })), 'Shift+m is taken by “major”');
  assert.equal(why('mark', to('.')), '. is taken by “next mark”');
  assert.equal(why('mark', to('Delete')), 'Delete is taken by “remove the mark”');
  assert.equal(why('side', to('ArrowLeft')), 'ArrowLeft belongs to the browser');
  assert.equal(why('mark', to('Tab')), 'Tab belongs to the browser');
  assert.equal(why('mark', to('F5')), 'F5 belongs to the browser');
  assert.equal(why('mark', to(' ')), 'The space bar belongs to the browser');
  assert.equal(why('undo', to('t', { mod: true })), 'Ctrl+T belongs to the browser');
  assert.equal(why('undo', to('y', { mod: true })), '');
  assert.equal(why('undo', to('b')), '');
  assert.equal(why('submit', to('b')), 'It works while you type, too, so it needs Ctrl');
  assert.equal(why('next', to('3'), keys), '3 is taken by “score the card in work”');
});

test('a pressed key is kept and read again', () => {
  const read = (/** @type {any} */ e, mac = false) => pressed(e, mac);
  assert.equal(read(press('Shift', 'ShiftLeft', { shiftKey: true })), undefined);
  assert.equal(read(press('a', 'KeyA', { altKey: true })), undefined);
  assert.equal(read(press('a', 'KeyA', { metaKey: true })), undefined);
  for (const [e, want] of /** @type {[any, string][]} */ ([
    [press('Q', 'KeyQ', { shiftKey: true }), 'Shift+q'], [press('й', 'KeyQ'), 'q'], [press('!', 'Digit1', { shiftKey: true }), '!'],
    [press('{', 'BracketLeft', { shiftKey: true }), 'Shift+['], [press('y', 'KeyY', { ctrlKey: true }), 'Ctrl+y'], [press('+', 'Equal', { shiftKey: true }), '+'],
    [press('Enter', 'Enter', { shiftKey: true }), 'Shift+Enter'], [press('7', 'Numpad7'), '7'],
  ])) {
    const to = /** @type {any} */ (read(e));
    assert.equal(spell(to), want);
    const list = table([], mqmRules, { side: want });
    if (refusal(mqm, named(mqm, 'side'), to) === '') assert.equal(meaning(list, e), 'side', want);
  }
});

test('each key stands in one group of the list', () => {
  for (const list of [keys, esa, mqm, table([], { severities: severities('1'), categories: [], links: true, suggestions: true, missing_punctuation: { severity: '1' } }, {}, true, true)]) {
    const all = grouped(list).flatMap((g) => g.keys);
    assert.equal(all.length, list.length);
    assert.deepEqual(new Set(all), new Set(list));
  }
  assert.deepEqual(grouped(keys).map((g) => g.name), ['Scores and comments', 'Cards', 'Segment', 'Page']);
});
