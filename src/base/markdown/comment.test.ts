import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { linkedMentions, unlinkMentions } from '../text/mention.ts';
import { renderComment } from './comment.ts';

describe('A rendered comment', () => {
  const rendered = (body: string) => renderComment(body).trim();

  it('has text, code, lists and links', () => {
    assert.equal(
      rendered('**Why** `x`?\n\n- see https://example.org'),
      '<p><strong>Why</strong> <code>x</code>?</p>\n<ul>\n<li>see <a href="https://example.org" ' +
        'rel="nofollow ugc noopener noreferrer">https://example.org</a></li>\n</ul>',
    );
  });

  it('shows images as links', () => {
    assert.equal(
      rendered('![A *chart*](https://example.org/a.png)'),
      '<p><a href="https://example.org/a.png" rel="nofollow ugc noopener noreferrer">A *chart*</a></p>',
    );
    assert.match(rendered('![A chart|300](/a.png)'), />A chart<\/a>/);
    assert.match(rendered('![](/a.png)'), /<a href="\/a\.png">\/a\.png<\/a>/);
    const linked = rendered('[![in](https://example.org/a.png)](https://example.org/)');
    assert.equal(linked.match(/<a /g)?.length, 1);
    for (const body of ['<img src=x onerror=alert(1)>', '![x][y]\n\n[y]: https://example.org/a']) {
      assert.doesNotMatch(rendered(body), /<img/);
    }
  });

  it('shows HTML and formulas as written', () => {
    assert.equal(rendered('<b id=x>a</b>'), '<p>&lt;b id=x&gt;a&lt;/b&gt;</p>');
    assert.equal(rendered('$x$'), '<p>$x$</p>');
    assert.match(rendered('```math\nx\n```'), /x/);
  });

  it('links mentions to profiles, but not in code and links', () => {
    assert.equal(
      rendered('@Ada, `@code` [@link](https://example.org) a/@b'),
      '<p><a href="/ada" class="mention">@Ada</a>, <code>@code</code> ' +
        '<a href="https://example.org" rel="nofollow ugc noopener noreferrer">@link</a> a/@b</p>',
    );
    const html = rendered('**@ada** and @nobody');
    assert.deepEqual(linkedMentions(html), ['ada', 'nobody']);
    assert.equal(
      unlinkMentions(html, (name) => name === 'ada'),
      '<p><strong><a href="/ada" class="mention">@ada</a></strong> and @nobody</p>',
    );
  });

  it('has no ids', () => {
    const body = '# One\n\nTwo[^1] ^[three]\n\n[^1]: Four\n\n- [ ] five\n\n```mermaid\npie\n```\n';
    assert.doesNotMatch(rendered(body), / id=/);
    assert.match(rendered('# One'), /^<p><strong>One<\/strong><\/p>$/);
  });
});
