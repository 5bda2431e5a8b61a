import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { parseQuery, type SearchTerm } from './search-query.ts';

/** Writes a term: phrases in quotation marks, names after a sign, prefixes with an asterisk. */
function written({ words, name, isPhrase, isPrefix }: SearchTerm): string {
  const text = isPhrase ? `"${words.join(' ')}"` : words.join('+');
  return `${name === undefined ? '' : `${name}=`}${text}${isPrefix ? '*' : ''}`;
}

function parsed(text: string, options = {}): string {
  const { wanted, excluded } = parseQuery(text, options);
  return [
    ...wanted.map((terms) => terms.map(written).join('|')),
    ...excluded.map((term) => `-${written(term)}`),
  ].join(' ');
}

describe('A query', () => {
  for (const [text, query] of [
    ['Ein Café', 'ein cafe*'],
    ['"Exact Words" here', '"exact words" here*'],
    ['here “exact words”', 'here "exact words"'],
    ['„genau so“ «et ici»', '"genau so" "et ici"'],
    ['"unclosed phr', 'unclosed phr*'],
    ['5" pipe', '5 pipe*'],
    ['one -two', 'one -two'],
    ['one -"two three" four', 'one four* -"two three"'],
    ['one - two', 'one two*'],
    ['well-known --force', 'wellknown=well+known force*'],
    ['-foo-bar x1', 'x1* -foobar'],
    ['a OR bee', 'a|bee*'],
    ['one two OR three four', 'one two|three four*'],
    ['one OR "two three" OR four', 'one|"two three"|four*'],
    ['one or two', 'one or two*'],
    ['one AND two', 'one two*'],
    ['OR', 'or*'],
    ['one OR', 'one'],
    ['C++ .net c#', 'c＋＋ ．net c＃*'],
    ['user_by_id', 'userbyid=user+by+id*'],
    ['getUserById x1', 'getuserbyid x1*'],
    ['1.2.3 -v2', '1．2．3=1+2+3 -v2'],
    ['ada@example.com x1', 'adaexamplecom=ada+example+com x1*'],
    ['""', ''],
    ['-only', '-only'],
  ] as const) {
    it(text, () => assert.equal(parsed(text), query));
  }

  it('can have prefixes everywhere', () => {
    assert.equal(
      parsed('postgres migr 4 "a phrase" x', { areAllPrefixes: true }),
      'postgres* migr* 4 "a phrase" x',
    );
  });

  it('has at most 16 words', () => {
    assert.equal(parsed('ab '.repeat(20)).split(' ').length, 16);
  });
});
