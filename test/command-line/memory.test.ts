import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { recall, remember } from '../../briefs-cli/src/memory.ts';

const server = 'http://localhost:4000';
const id = '019a5c2e-7b1a-7c3d-9e4f-8a6b5c4d3e2f';
const piece = fc.constantFrom(
  '---',
  '...',
  '\n',
  '\r\n',
  ' ',
  'title: x',
  '# Heading',
  'briefs: http://a.example/b/c',
  '<!-- briefs: http://a.example/b/c -->',
  '<p>',
  'text',
);
const text = fc.oneof(
  fc.array(piece).map((pieces) => pieces.join('')),
  fc.string(),
);

describe('The state in a file', () => {
  for (const kind of ['brief', 'page'] as const) {
    it(`is never sent: any ${kind} is sent unchanged`, () => {
      fc.assert(
        fc.property(text, fc.integer({ min: 1, max: 1e9 }), (source, revision) => {
          const document = { server, kind, owner: 'ada', name: 'plän' };
          const synced = { revision, hash: '0123456789abcdef' };
          const file = remember(kind, source, { document, id, ...synced });
          assert.deepEqual(recall(kind, file), { text: source, memory: { document, id } });
          const replaces = 'fedcba9876543210';
          const memory = { document, id, ...synced, replaces };
          assert.deepEqual(recall(kind, remember(kind, source, memory)), { text: source, memory });
        }),
        { numRuns: 2_000 },
      );
    });
  }

  it('can be of an earlier version, with the revision', () => {
    const address = `http://localhost:4000/ada/plan#2-0123456789abcdef-${id}`;
    const document = { server, kind: 'brief', owner: 'ada', name: 'plan' };
    const memory = { document, id, revision: 2, hash: '0123456789abcdef' };
    const file = `---\nbriefs: ${address}\n---\n# Plan\n`;
    assert.deepEqual(recall('brief', file), { text: '# Plan\n', memory });
  });

  it('can be of an earlier version, without the document’s id', () => {
    const file = '---\nbriefs: http://localhost:4000/ada/plan#2-0123456789abcdef\n---\n# Plan\n';
    const document = { server, kind: 'brief', owner: 'ada', name: 'plan' };
    const memory = { document, revision: 2, hash: '0123456789abcdef' };
    assert.deepEqual(recall('brief', file), { text: '# Plan\n', memory });
  });

  it('can be written by hand, without a revision', () => {
    const file = '---\ntitle: Plan\nbriefs: "http://localhost:4000/ada/plan"\n---\n# Plan\n';
    const document = { server, kind: 'brief', owner: 'ada', name: 'plan' };
    const expected = { text: '---\ntitle: Plan\n---\n# Plan\n', memory: { document } };
    assert.deepEqual(recall('brief', file), expected);
  });
});
