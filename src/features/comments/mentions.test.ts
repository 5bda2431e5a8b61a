import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { renderComment } from '../../base/markdown/comment.ts';
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
    ['[a](http://a.example "@link") [a [b] @link](http://a.example) @ada', ['ada']],
    ['http://a.example/?q=@link https://a.example/,@link www.a.example/(@link) @ada', ['ada']],
    ['<http://a.example/,@link> mailto:a,@link ![@link](http://a.example "@title") @ada', ['ada']],
    ['    @code\n\n1. ~~~\n   @code\n   ~~~\n\n> @ada', ['ada']],
    ['_@ada_ [@grace]( \\`@alan` a `b\n\nc @ken`', ['ada', 'grace', 'alan', 'ken']],
    ['<!-- @ada --> $@grace$ [[@link]]', ['ada', 'grace']],
    [
      Array.from({ length: 30 }, (_, n) => `@u${n}`).join(' '),
      Array.from({ length: 20 }, (_, n) => `u${n}`),
    ],
  ];

  const reader = (render: (body: string) => string | undefined) =>
    ({
      actor: { id: 'ada' },
      markdown: { renderComments: async (_: string, bodies: string[]) => bodies.map(render) },
    }) as unknown as Parameters<typeof mentionsIn>[0];

  for (const [body, names] of cases) {
    it(JSON.stringify(body.slice(0, 60)), async () => {
      const found = await mentionsIn(
        reader((text) => renderComment(text)),
        body,
      );
      assert.deepEqual(found, names);
    });
  }

  it('reads one that can’t be rendered as text', async () => {
    const nothing = reader(() => undefined);
    assert.deepEqual(await mentionsIn(nothing, '`@Ada` @grace @ada'), ['ada', 'grace']);
  });
});
