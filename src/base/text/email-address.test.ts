import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { emailKey, parseEmailAddress } from './email-address.ts';

const LABEL = 'x'.repeat(63);

/** Addresses, and what they are parsed to; `true` if that is the same text. */
const GOOD: [text: string, parsed: string | true][] = [
  ['ada@example.com', true],
  ['Ada.Lovelace@example.com', true],
  ["!#$%&'*+-/=?^_`{|}~@example.com", true],
  ['1@2.example', true],
  ['-a-@example.com', true],
  ['ada+briefs@a.b-c.example', true],
  [`${'l'.repeat(64)}@example.com`, true],
  [`a@${LABEL}.example`, true],
  [`${'l'.repeat(60)}@${LABEL}.${LABEL}.${'x'.repeat(61)}.xyz`, true],
  ['a@xn--bcher-kva.example', true],
  ['ada@EXAMPLE.Com', 'ada@example.com'],
  ['a@bücher.example', 'a@xn--bcher-kva.example'],
  ['a@BÜCHER.example', 'a@xn--bcher-kva.example'],
  ['a@bu\u0308cher.example', 'a@xn--bcher-kva.example'],
  ['a@例え.テスト', 'a@xn--r8jz45g.xn--zckzah'],
  ['a@例え。テスト', 'a@xn--r8jz45g.xn--zckzah'],
  ['a@ｅｘａｍｐｌｅ.com', 'a@example.com'],
  ['a@exam\u00adple.com', 'a@example.com'],
];

const BAD = {
  'no address': ['', ' ', '@', 'ada', 'ada@', '@example.com', 'a@b@example.com', 'a@@example.com'],
  'white space': [' ada@example.com', 'ada@example.com ', 'a b@example.com', 'a@exa mple.com'],
  'line breaks and controls': [
    'a@example.com\r\nBcc: b@example.com',
    'a@example.com\n',
    'a\0@example.com',
    'a@\0b.com',
    'a\t@example.com',
    'a\u202e@example.com',
    'a@example.com\u2028',
  ],
  'dots of the first part': ['.a@example.com', 'a.@example.com', 'a..b@example.com', '.@b.com'],
  'quoted texts': ['"a"@example.com', '"a b"@example.com', '"a@b"@example.com', 'a\\b@example.com'],
  'names and angle brackets': [
    '<a@example.com>',
    'x<a@example.com>',
    '"x"<a@example.com>',
    'x <a@example.com>',
    '<<a@example.com>>',
    'a@example.com>',
    '<a@example.com',
    '<a@example.com>1',
  ],
  comments: ['(x)a@example.com', 'a(x)@example.com', 'a@(x)example.com', 'a@example.com(x)'],
  'groups and lists': [
    'b:a@example.com;',
    'a@example.com;',
    'a@example.com,',
    'a@example.com,b@example.com',
    'b:a@example.com',
    ':a@example.com',
    'a@example.com;b@example.com',
  ],
  routes: ['@relay.example:a@example.com', 'a%b@', 'mailto:a@example.com', 'a!b@c!d.example'],
  literals: [
    'a@[127.0.0.1]',
    'a@[IPv6:::1]',
    'a@127.0.0.1',
    'a@1.2',
    'a@0x7f.1',
    'a@[example.com]',
  ],
  'one label': ['root@localhost', 'a@com', 'a@bücher'],
  'malformed hosts': [
    'a@example.com.',
    'a@.example.com',
    'a@example..com',
    'a@-x.example',
    'a@x-.example',
    'a@x_y.example',
    'a@example.c',
    'a@example.123',
    'a@example.com:25',
    'a@example.com/x',
    'a@%65xample.com',
    'a@example.com?x',
    'a@example.com#x',
    'a@x\u200dy.example',
    'a@ex＠ample.com',
    'a@example／.com',
    'a@example.com。',
    `a@${LABEL}x.example`,
  ],
  'non-ASCII first parts': [
    'víctim@example.com',
    'а@example.com',
    'ａ@example.com',
    'a\u0301@b.com',
  ],
  'other at signs': ['a＠example.com', 'a﹫example.com'],
  'too long': [
    `${'l'.repeat(65)}@example.com`,
    `${'l'.repeat(60)}@${LABEL}.${LABEL}.${'x'.repeat(62)}.xyz`,
    'a'.repeat(1e6),
  ],
};

describe('Email addresses', () => {
  for (const [text, parsed] of GOOD) {
    it(`accepts ${text}`, () => {
      const address = parsed === true ? text : parsed;
      assert.equal(parseEmailAddress(text), address);
      assert.equal(parseEmailAddress(address), address, 'what is stored is an address too');
      assert.equal(emailKey(text), address.toLowerCase());
      assert.equal(emailKey(text.toUpperCase()), emailKey(text));
    });
  }

  for (const [what, texts] of Object.entries(BAD)) {
    it(`refuses ${what}`, () => {
      for (const text of texts) assert.equal(parseEmailAddress(text), undefined, text.slice(0, 99));
    });
  }

  it('accepts and refuses each character as the standards say', () => {
    for (let code = 0; code < 0x250; code++) {
      const character = String.fromCharCode(code);
      const isAtom = /[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]/.test(character);
      assert.equal(
        parseEmailAddress(`a${character}b@x.example`) !== undefined,
        isAtom || code === 46,
      );
      if (code > 0x7f) continue;
      const isOfHost = /[A-Za-z0-9.-]/.test(character);
      assert.equal(
        parseEmailAddress(`a@x${character}y.example`) !== undefined,
        isOfHost,
        character,
      );
    }
  });

  it('compares addresses that were stored before as texts', () => {
    assert.equal(emailKey('Root@localhost'), 'root@localhost');
    assert.notEqual(emailKey('<a@example.com>'), emailKey('a@example.com'));
  });
});
