import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { mentionsIn } from './mention-syntax.ts';

describe('mentions in a comment', () => {
  const cases: [body: string, names: string[]][] = [
    ['Ask @ada, @Grace and @ada.', ['ada', 'grace']],
    ['(@alan-t) @ken!', ['alan-t', 'ken']],
    ['mail@example.com, a/@b, @@c, @-d', []],
    ['`@code` @ada', ['ada']],
    ['``@code ` @code`` @ada', ['ada']],
    ['`` `@code` `` @ada', ['ada']],
    ['`@ada', ['ada']],
    ['``@ada`', ['ada']],
    ['```@ada`` `@code`', ['ada']],
    ['```\n@code\n```\n@ada', ['ada']],
    ['````\n@code\n```\n@code\n````\n@ada', ['ada']],
    ['~~~ js\n@code\n~~~~\n@ada', ['ada']],
    ['@ada\n```\n@code', ['ada']],
    [
      Array.from({ length: 30 }, (_, n) => `@u${n}`).join(' '),
      Array.from({ length: 20 }, (_, n) => `u${n}`),
    ],
  ];

  for (const [body, names] of cases) {
    it(JSON.stringify(body.slice(0, 60)), () => assert.deepEqual(mentionsIn(body), names));
  }
});
