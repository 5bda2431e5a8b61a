import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { findWords, formsOf } from './search-words.ts';

/** All forms of the words of a text, each once. */
const formsIn = (text: string) => [...new Set([...findWords(text)].flatMap(formsOf))];

describe('Words of a text', () => {
  for (const [text, forms] of [
    ['Straße STRASSE ẞ', ['strasse', 'ss']],
    ['Łódź đá æon œuvre þing ħ ø ıslak', 'lodz da aeon oeuvre thing h o oe islak'.split(' ')],
    ['ﬁle ĳs ŉ Ǆ ᵺ ƀ ŋ ſo Hawaiʻi', 'file ijs n dz th b so hawaii'.split(' ')],
    ['Σίσυφος ΣΊΣΥΦΟΣ', ['σισυφοσ']],
    [
      'co\u00ador\u00addinate super\u200bb zero\u2060\u2060one',
      'coordinate superb zeroone'.split(' '),
    ],
    ['کتاب\u200cها کتابها كـتـاب', 'کتابها كتاب'.split(' ')],
    ['ภาษา\u200bไทย', ['ภาษา', 'ไทย']],
    ['\u00ada \u200b b\ufeff', ['a', 'b']],
    ['Schlüssel Åse', ['schlussel', 'schluessel', 'ase', 'aase']],
    ['C++ c# F#, a+b C++20', 'c c＋＋ c＃ f f＃ a b ab 20'.split(' ')],
    ['.net ASP.NET', 'net ．net asp aspnet'.split(' ')],
    ['user_by_id', 'user by id userbyid'.split(' ')],
    ['getUserById', 'getuserbyid get user by id userbyid byid'.split(' ')],
    ['HTMLParser iPhone', 'htmlparser html parser iphone phone'.split(' ')],
    ['foo-bar.md', 'foo bar foobar md ．md foobarmd'.split(' ')],
    ['v1.2.3 1.2', 'v1 1 2 3 v1．2．3 1．2．3 1．2'.split(' ')],
    ['ada@example.com', 'ada example com ．com adaexamplecom'.split(' ')],
    ['src/app.ts', 'src app ts ．ts appts srcappts'.split(' ')],
    ['a::b and/or don’t', 'a b ab and or andor don t dont'.split(' ')],
    ['end. Next, (one)', 'end next one'.split(' ')],
  ] as const) {
    it(text, () => {
      const found = formsIn(text);
      for (const form of forms) assert.ok(found.includes(form), `${form}: ${found.join(' ')}`);
      const others = found.filter((form) => !(forms as readonly string[]).includes(form));
      assert.deepEqual(others, []);
    });
  }

  it('have their place in the text as it is written', () => {
    const text = 'Die Straße (C++) und .net: foo-bar';
    assert.deepEqual(
      [...findWords(text)].map(({ start, end }) => text.slice(start, end)),
      ['Die', 'Straße', 'C++', 'und', '.net', 'foo', 'bar', 'foo-bar'],
    );
  });
});
