import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { renderComment } from '../../base/markdown/comment.ts';
import { linkedMentions } from '../../base/text/mention.ts';
import { mentionsIn } from './thread-event-service.ts';

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
    ['\\@esc @ada', ['ada']],
    ['\\\\@ada', ['ada']],
    ['[@link](https://a.example) @ada', ['ada']],
    ['[@ada] (@grace)', ['ada', 'grace']],
    ['[@link] @ada\n\n[@link]: https://a.example', ['ada']],
    ['[@link][a] @ada [@grace][b]\n\n[A]: https://a.example/@x "@y"\n[c]: /@z', ['ada', 'grace']],
    ['Text\n[@ada]: https://a.example', ['ada']],
    ['[note]: ask @ada today', ['ada']],
    ['＠ada、@grace', ['ada', 'grace']],
    [
      Array.from({ length: 30 }, (_, n) => `@u${n}`).join(' '),
      Array.from({ length: 20 }, (_, n) => `u${n}`),
    ],
  ];

  for (const [body, names] of cases) {
    it(JSON.stringify(body.slice(0, 60)), () => {
      assert.deepEqual(mentionsIn(body), names);
      const shown = [...new Set(linkedMentions(renderComment(body)))];
      assert.deepEqual(shown.slice(0, 20), names);
    });
  }
});
