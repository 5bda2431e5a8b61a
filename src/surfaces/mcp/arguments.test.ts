import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { startService } from '../../../test/harness.ts';
import { assertFailed, connect } from '../../../test/mcp/agent.ts';
import { refOfAddress } from '../../core/document/addresses.ts';
import { TOOLS } from '../../tools.ts';

describe('Arguments of tools', async () => {
  const service = await startService();
  const user = await service.user('ada');
  const ada = await connect(service, user.token);
  after(async () => {
    await ada.close();
    await service.stop();
  });

  it('every tool reports all errors of a call at once', async () => {
    for (const { name, input } of TOOLS) {
      const known = Object.keys(input.properties);
      // No argument accepts an object.
      const wrong = Object.fromEntries([...known, 'titel', 'autor'].map((key) => [key, {}]));
      const answer = await ada.call(name, wrong);
      assertFailed(answer, 'INVALID_ARGUMENT');
      const named = [...answer.text.matchAll(/^(?:INVALID_ARGUMENT: )?(\w+)[.\w]*: /gm)];
      assert.deepEqual(
        new Set(named.map(([, argument]) => argument)),
        new Set([...known, 'titel', 'autor']),
        answer.text,
      );
      assert.equal(named.length, known.length + 2, 'each once');
    }
  });

  it('errors inside a list are reported too', async () => {
    const edits = [
      { passage: 'a' },
      { op: 'replace', old: 'a', new: 'b' },
      { op: 'replace', old: '', new: 1.5 },
      { op: 'delete' },
    ];
    const { text } = await ada.call('edit_document', { name: 'x', edits, page: 'a\0' });
    for (const expected of [
      'page: is not a known argument; known are kind, owner, name, edits, base_revision, message, resolves, dry_run, propose, if_match.',
      'edits.0.passage: is not a known argument; known are op, old, new, all, before, after,',
      'edits.2.new: must be a string.',
      'edits.3.op: must be one of replace, insert, append, prepend, section, restore.',
    ]) {
      assert.ok(text.includes(expected), text);
    }
    const unstorable = await ada.call('publish_document', { content: 'a\0', name: 'b\0' });
    assert.match(unstorable.text, /content: must be well-formed.*\nname: must be well-formed/);
  });

  it('very many errors get a short response', async () => {
    const edits = Array.from({ length: 1_900 }, () => ({}));
    const { text } = await ada.call('edit_document', { name: 'x', edits });
    assertFailed(await ada.call('edit_document', { name: 'x', edits }), 'INVALID_ARGUMENT');
    assert.match(text, /edits: must have at most 100 items\.\n/);
    assert.match(text, /\nAnd \d+ more\.\n/);
    assert.ok(text.length < 3_000, `${text.length} characters`);
  });

  it('an error that names a field uses the tool’s argument name, for every tool', async () => {
    await service.user('grace');
    await ada.call('set_organization', { organization: 'crew', name: 'Crew' });
    await ada.call('publish_document', { name: 'plans', content: 'x' });
    await ada.call('publish_document', { name: 'taken', content: 'x' });
    await ada.call('publish_document', { name: 'trashed', content: 'x' });
    const trashed = await ada.call('manage_document', { action: 'delete', name: 'trashed' });
    const data = Buffer.from('x').toString('base64');
    const long = 'x'.repeat(1_100_000);
    const euros = '€'.repeat(500_000);
    const edits = [{ op: 'replace', old: 'x', new: long }];
    const ifMatch = { if_match: '"stale"' };
    const nobody = { organization: 'nobody' };
    const invitation = { invitation_id: 'none' };
    /** By tool: the wrong argument, and a call that a service refuses because of it. */
    const refused: Record<string, [argument: string, args: Record<string, unknown>][]> = {
      whoami: [],
      search_documents: [
        ['changed_since', { query: 'x', changed_since: 'yesterday' }],
        ['owner', { owner: 'nobody' }],
        ['cursor', { cursor: 'wrong' }],
      ],
      read_document: [
        ['section', { name: 'plans', section: 'none' }],
        ['thread', { name: 'plans', view: 'threads', thread: 'none' }],
        ['name', { name: 'https://elsewhere.example/x', view: 'link' }],
      ],
      publish_document: [
        ['name', { name: '%', content: 'x' }],
        ['name', { name: 'plans', content: 'x', if_exists: 'fail' }],
        ['owner', { owner: 'nobody', content: 'x' }],
        ['content', { content: long }],
        ['content', { kind: 'page', content: 'x'.repeat(5_300_000) }],
        ['visibility', { content: 'x', visibility: 'internal' }],
        ['base_revision', { name: 'plans', content: 'y', base_revision: 9 }],
        ['if_match', { name: 'plans', content: 'y', ...ifMatch }],
        ['if_match', { name: 'missing', content: 'y', ...ifMatch }],
        ['if_match', { name: 'plans', content: 'y', if_match: '"a" b' }],
      ],
      edit_document: [
        ['edits', { name: 'plans', edits: [{ op: 'append', content: euros }] }],
        ['base_revision', { name: 'plans', base_revision: 9, edits }],
        ['if_match', { name: 'plans', edits, ...ifMatch }],
      ],
      comment: [
        ['quote', { name: 'plans', action: 'open', body: 'x', quote: 'nowhere' }],
        ['threads', { name: 'plans', action: 'resolve', threads: ['none'] }],
        ['body', { name: 'plans', action: 'open', body: ' ' }],
        ['reviewer', { name: 'plans', action: 'request_review', reviewer: 'nobody' }],
        ['revision', { name: 'plans', action: 'approve', revision: 9 }],
        ['body', { name: 'plans', action: 'approve', revision: 1, body: 'x'.repeat(11_000) }],
      ],
      inbox: [],
      wait_for_feedback: [['documents', { documents: ['https://elsewhere.test/a/b'] }]],
      manage_document: [
        ['new_name', { name: 'plans', action: 'update', new_name: '%' }],
        ['labels', { name: 'plans', action: 'label' }],
        ['labels', { name: 'plans', action: 'label', labels: ['a,b'] }],
        ['labels', { name: 'plans', action: 'pin', labels: ['a'] }],
        ['new_name', { name: 'plans', action: 'update', new_name: 'taken' }],
        ['new_owner', { name: 'plans', action: 'update', new_owner: 'ada' }],
        ['visibility', { name: 'plans', action: 'update', visibility: 'internal' }],
        ['if_match', { name: 'plans', action: 'update', new_name: 'other', ...ifMatch }],
        ['if_match', { name: 'plans', action: 'delete', ...ifMatch }],
        ['owner', { action: 'list_deleted', owner: 'grace' }],
        ['document_id', { action: 'restore', document_id: 'none' }],
        ['document_id', { action: 'delete_forever', document_id: 'none' }],
        ['new_name', { action: 'restore', document_id: trashed.data.id, new_name: '%' }],
        ['new_name', { action: 'restore', document_id: trashed.data.id, new_name: 'taken' }],
      ],
      list_access: [
        ['username', { name: 'plans', username: 'nobody' }],
        ['owner', { name: 'grace/plans', owner: 'ada' }],
      ],
      share_document: [
        ['username', { name: 'plans', username: 'nobody', permission: 'read' }],
        ['username', { name: 'plans', username: 'ada', permission: 'read' }],
        ['invitation_id', { name: 'plans', ...invitation, permission: 'read' }],
        ['username', { name: 'plans', username: 'grace', permission: 'none' }],
        ['invitation_id', { name: 'plans', ...invitation, permission: 'none' }],
        ['permission', { name: 'plans', username: 'grace', permission: 'comment' }],
        ['permission', { name: 'plans', anyone: true, permission: 'write' }],
        ['permission', { name: 'plans', link_id: 'none', permission: 'read' }],
        ['link_id', { name: 'plans', link_id: 'none', permission: 'none' }],
        ['username', { name: 'plans', anyone: true, username: 'grace', permission: 'read' }],
        ['anyone', { name: 'plans', username: 'grace', permission: 'read', note: 'x' }],
        ['anyone', { name: 'plans', anyone: true, permission: 'read' }],
        [
          'expires_at',
          { name: 'plans', anyone: true, permission: 'read', expires_at: '2001-01-01' },
        ],
        ['note', { name: 'plans', anyone: true, permission: 'read', note: 'x'.repeat(201) }],
      ],
      answer_invitation: [
        ['invitation_id', { ...invitation, answer: 'accept' }],
        ['invitation_id', { ...invitation, answer: 'decline' }],
        ['organization', { ...nobody, answer: 'accept' }],
        ['organization', { ...nobody, answer: 'decline' }],
      ],
      get_organization: [['organization', nobody]],
      set_organization: [
        ['organization', { organization: '-', name: 'x' }],
        ['organization', { organization: 'crew', name: 'x' }],
        ['name', { organization: 'other', name: '' }],
        ['organization', { ...nobody, members_can_create: true }],
      ],
      set_member: [
        ['organization', { ...nobody, username: 'grace' }],
        ['username', { organization: 'crew', username: 'nobody' }],
        ['organization', { ...nobody, username: 'grace', role: 'none' }],
        ['username', { organization: 'crew', username: 'grace', role: 'none' }],
        ['invitation_id', { organization: 'crew', ...invitation, role: 'none' }],
      ],
      files: [
        ['data', { action: 'upload', name: 'x.png', data }],
        ['text', { action: 'upload', name: 'x.png', text: '<!doctype html><title>502</title>' }],
        ['text', { action: 'upload', name: 'x.png', text: 'x', data: null }],
        ['data', { action: 'upload', name: 'x', data: 'AAAA' }],
        ['text', { action: 'upload', name: 'x', text: 'x', content_type: 'image/png' }],
        ['name', { action: 'upload', name: 'x'.repeat(256), text: 'x' }],
        ['name', { action: 'upload', name: 'a\u200fb', text: 'x' }],
        ['file_id', { action: 'delete', file_id: 'none' }],
      ],
    };
    assert.deepEqual(
      Object.keys(refused),
      TOOLS.map(({ name }) => name),
    );
    for (const { name, input } of TOOLS) {
      for (const [argument, args] of refused[name] ?? []) {
        assert.ok(Object.hasOwn(input.properties, argument), `${name} has no ${argument}`);
        const { code, text } = await ada.call(name, args);
        assert.ok(text.startsWith(`${code}: ${argument}: `), `${name} ${argument}: ${text}`);
      }
    }
  });

  it('null counts as absent, for every tool', async () => {
    for (const { name, input } of TOOLS) {
      const known = Object.keys(input.properties);
      const nulls = Object.fromEntries(known.map((key) => [key, null]));
      const answer = await ada.call(name, { ...nulls, stray: null });
      assertFailed(answer, 'INVALID_ARGUMENT', /stray: is not a known argument/);
      const { required = [] } = input as { required?: string[] };
      const named = [...answer.text.matchAll(/^(?:INVALID_ARGUMENT: )?(\w+): is required/gm)];
      assert.deepEqual(
        named.map(([, argument]) => argument),
        required,
        name,
      );
    }
    await ada.call('publish_document', { name: 'nulls', content: 'x', if_match: null });
    const optional = { kind: null, owner: null, section: null, from_line: null, max_bytes: null };
    const { data } = await ada.call('read_document', { name: 'nulls', ...optional });
    assert.equal(data.content, 'x');
  });

  it('a document is named by its name, by owner and name, or by any of its addresses', async () => {
    for (const kind of ['brief', 'page']) {
      await ada.call('publish_document', { kind, name: 'Räder 1', content: `a ${kind}` });
    }
    const { webUrl, baseUrl, renderUrl } = service;
    const path = `ada/${encodeURIComponent('räder-1')}`;
    const cases: [string, object][] = [
      ['brief', { name: 'räder-1' }],
      ['brief', { name: 'ada/räder-1' }],
      ['brief', { name: '@ada/räder-1' }],
      ['brief', { name: 'räder-1.md' }],
      ['page', { name: 'räder-1.html', kind: 'page' }],
      ['brief', { name: 'Ada/Räder 1', owner: 'ada' }],
      ['brief', { name: `${webUrl}/${path}` }],
      ['brief', { name: `${webUrl}/${path}.md?format=md#top` }],
      ['brief', { name: `${webUrl}/read/${path}` }],
      ['brief', { name: `${webUrl}/edit/${path}/` }],
      ['brief', { name: `${baseUrl}/briefs/${path}` }],
      ['brief', { name: `brief://${path}` }],
      ['brief', { name: `${webUrl}/${path}`, kind: 'brief', owner: 'ADA' }],
      ['page', { name: 'räder-1', kind: 'page' }],
      ['page', { name: 'ada/räder-1', kind: 'page' }],
      ['page', { name: 'ada/pages/räder-1' }],
      ['page', { name: `${webUrl}/ada/pages/${encodeURIComponent('räder-1')}` }],
      ['page', { name: `${webUrl}/share/ada/pages/${encodeURIComponent('räder-1')}` }],
      ['page', { name: `${renderUrl}/${path}` }],
      ['page', { name: `${baseUrl}/pages/${path}` }],
      ['page', { name: `page://${path}` }],
    ];
    for (const [kind, args] of cases) {
      const { data, text } = await ada.call('read_document', args as Record<string, unknown>);
      assert.equal(data?.content, `a ${kind}`, `${JSON.stringify(args)}: ${text}`);
    }
    const again = await ada.call('publish_document', { name: `${webUrl}/${path}`, content: 'new' });
    assert.equal(again.data.created, false);
    const link = await ada.call('read_document', { name: `${renderUrl}/${path}`, view: 'link' });
    assert.ok(link.data.url.startsWith(renderUrl));

    const wrong: [object, RegExp][] = [
      [{ name: `${webUrl}/${path}`, owner: 'eve' }, /owner: is "eve", but name says "ada"/],
      [{ name: `page://${path}`, kind: 'brief' }, /kind: is brief, but name is the address of a p/],
      [{ name: 'https://example.com/ada/x' }, /name: is not the address of a document of this/],
      [{ name: webUrl }, /name: is not the address/],
      [{ name: `${baseUrl}/users/ada` }, /name: is not the address/],
      [{ name: `${webUrl}/ada/%zz` }, /name: is not the address/],
      [{ name: 'ada/b/c' }, /name: must be a name, owner\/name, or the address/],
      [{ name: 'ada/' }, /name: must be a name/],
    ];
    for (const [args, expected] of wrong) {
      const answer = await ada.call('read_document', args as Record<string, unknown>);
      assertFailed(answer, 'INVALID_ARGUMENT', expected);
    }
  });
});

describe('The address of a document', () => {
  it('is recognized if the API has its own host, or a path on the web host', () => {
    const apart = {
      webUrl: 'https://briefs.example',
      baseUrl: 'https://api.briefs.example',
      renderUrl: 'https://render.example/pages',
      formerAddresses: [{ from: 'http://localhost:4000', to: 'https://briefs.example' }],
    };
    const brief = { kind: 'brief', owner: 'ada', name: 'x' };
    assert.deepEqual(refOfAddress(apart, 'https://api.briefs.example/briefs/ada/x'), brief);
    assert.deepEqual(refOfAddress(apart, 'https://briefs.example/ada/x'), brief);
    assert.deepEqual(refOfAddress(apart, 'http://localhost:4000/ada/x'), brief);
    assert.equal(refOfAddress(apart, 'http://localhost:40001/ada/x'), undefined);
    const page = { kind: 'page', owner: 'ada', name: 'x' };
    assert.deepEqual(refOfAddress(apart, 'https://render.example/pages/ada/x'), page);
    assert.equal(refOfAddress(apart, 'https://render.example/ada/x'), undefined);
    assert.equal(refOfAddress(apart, 'https://api.briefs.example/ada/x'), undefined);
    assert.equal(refOfAddress(apart, 'http://briefs.example/ada/x'), undefined);
  });
});
