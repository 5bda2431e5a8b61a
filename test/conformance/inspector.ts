import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Client, type Service, startService } from '../harness.ts';
import { readingOf } from '../mcp/agent.ts';

/*
 * Lists and calls every tool with the command line of the official inspector, once in each of the
 * eras that it knows: `modern` (2026-07-28) and `legacy` (beginning with `initialize`). Fails when a
 * call fails, when a result is not the expected one, when a listed tool was not called, and when the
 * inspector finds an error in a tool's schemas; its warnings are about results in which something may
 * be null. Not a part of `npm test`: the inspector is fetched by npx, into npm's cache.
 *
 *   npm run build:server && node dist/test/conformance/inspector.js
 */

const INSPECTOR = '@modelcontextprotocol/inspector@2';
const ERAS = ['modern', 'legacy'] as const;

type Era = (typeof ERAS)[number];
type Person = 'ada' | 'grace';
// biome-ignore lint/suspicious/noExplicitAny: results have every shape
type Result = any;

/** A call and its expected result; ids of earlier results are in `ids`. */
interface Step {
  by: Person;
  tool: string;
  args?: (ids: Record<string, string>) => object;
  /** Values for later calls, by name. */
  keep?: (result: Result) => Record<string, string>;
  expect: (result: Result) => boolean;
}

const BRIEF = { owner: 'ada', name: 'orbit-plan' };
const RENAMED = { owner: 'ada', name: 'flight-plan' };
const PAGE = '<!doctype html><title>Dice</title><h1>Dice</h1>';
const organization = 'engines';

const STEPS: Step[] = [
  { by: 'ada', tool: 'whoami', expect: ({ username }) => username === 'ada' },
  {
    by: 'ada',
    tool: 'publish_document',
    args: () => ({ content: '# Orbit plan\n\n## Goal\n\nGo up.', visibility: 'private' }),
    expect: ({ created, document }) => created && document.name === BRIEF.name,
  },
  {
    by: 'ada',
    tool: 'publish_document',
    args: () => ({ kind: 'page', content: PAGE, visibility: 'private' }),
    expect: ({ created, document }) => created && document.name === 'dice',
  },
  { by: 'ada', tool: 'search_documents', expect: ({ items }) => items.length === 2 },
  {
    by: 'ada',
    tool: 'read_document',
    args: () => BRIEF,
    expect: ({ content }) => content.endsWith('Go up.'),
  },
  {
    by: 'ada',
    tool: 'edit_document',
    args: () => ({ ...BRIEF, edits: [{ op: 'replace', old: 'Go up.', new: 'Go round.' }] }),
    expect: ({ added }) => added === 1,
  },
  {
    by: 'ada',
    tool: 'manage_document',
    args: () => ({ ...BRIEF, action: 'update', new_name: RENAMED.name }),
    expect: ({ document }) => document.name === RENAMED.name,
  },
  {
    by: 'ada',
    tool: 'read_document',
    args: () => ({ owner: 'ada', name: 'dice', view: 'link' }),
    expect: ({ url }) => URL.canParse(url),
  },
  {
    by: 'ada',
    tool: 'share_document',
    args: () => ({ ...RENAMED, username: 'grace', permission: 'read' }),
    expect: ({ outcome }) => outcome === 'invited',
  },
  {
    by: 'grace',
    tool: 'whoami',
    keep: ({ invitations }) => ({ invitation: invitations.items[0].id }),
    expect: ({ invitations }) => invitations.total === 1,
  },
  {
    by: 'grace',
    tool: 'answer_invitation',
    args: ({ invitation }) => ({ invitation_id: invitation, answer: 'accept' }),
    expect: ({ outcome }) => outcome === 'accepted',
  },
  {
    by: 'ada',
    tool: 'list_access',
    args: () => ({ ...RENAMED, username: 'grace' }),
    expect: ({ items, effective }) =>
      items[0].username === 'grace' && effective.permission === 'read',
  },
  {
    by: 'grace',
    tool: 'comment',
    args: () => ({ ...RENAMED, action: 'open', quote: 'Go round.', body: 'How often?' }),
    keep: ({ threads }) => ({ thread: threads[0].id }),
    expect: ({ threads }) => threads[0].state === 'open',
  },
  {
    by: 'ada',
    tool: 'wait_for_feedback',
    args: () => ({ wait_seconds: 0 }),
    expect: ({ pending }) => pending === true,
  },
  {
    by: 'ada',
    tool: 'share_document',
    args: () => ({ ...RENAMED, username: 'grace', permission: 'none' }),
    expect: ({ outcome }) => outcome === 'collaborator_removed',
  },
  {
    by: 'ada',
    tool: 'set_organization',
    args: () => ({ organization, name: 'Engines' }),
    expect: (result) => result.organization.namespace === organization,
  },
  {
    by: 'ada',
    tool: 'set_organization',
    args: () => ({ organization, members_can_create: false }),
    expect: (result) => result.organization.membersCanCreate === false,
  },
  {
    by: 'ada',
    tool: 'set_member',
    args: () => ({ organization, username: 'grace' }),
    expect: ({ outcome }) => outcome === 'invited',
  },
  {
    by: 'grace',
    tool: 'answer_invitation',
    args: () => ({ organization, answer: 'accept' }),
    expect: ({ outcome }) => outcome === 'accepted',
  },
  {
    by: 'ada',
    tool: 'get_organization',
    args: () => ({ organization }),
    expect: (result) => result.organization.role === 'admin' && result.members.total === 2,
  },
  {
    by: 'grace',
    tool: 'set_member',
    args: () => ({ organization, username: 'grace', role: 'none' }),
    expect: ({ outcome }) => outcome === 'left',
  },
  {
    by: 'ada',
    tool: 'files',
    args: () => ({ action: 'upload', name: 'note.md', text: '# Note' }),
    keep: ({ file }) => ({ file: file.id }),
    expect: ({ file }) => file.contentType === 'text/markdown',
  },
  {
    by: 'ada',
    tool: 'files',
    args: () => ({ action: 'list' }),
    expect: ({ list }) => list.total === 1,
  },
  {
    by: 'ada',
    tool: 'files',
    args: ({ file }) => ({ action: 'delete', file_id: file }),
    expect: ({ deleted }) => deleted === true,
  },
  {
    by: 'ada',
    tool: 'manage_document',
    args: () => ({ ...RENAMED, action: 'delete' }),
    keep: ({ id }) => ({ trashed: id }),
    expect: ({ deleted }) => deleted === true,
  },
  {
    by: 'ada',
    tool: 'manage_document',
    args: ({ trashed }) => ({ action: 'restore', document_id: trashed }),
    expect: ({ document }) => document.name === RENAMED.name,
  },
];

const execute = promisify(execFile);
/** The inspector stores its settings in the home directory. */
const home = mkdtempSync(join(tmpdir(), 'briefs-inspector-'));
try {
  const program = await findInspector();
  for (const era of ERAS) await inspect(program, era);
} finally {
  rmSync(home, { recursive: true, force: true });
}

async function findInspector(): Promise<string> {
  const options = ['--yes', `--package=${INSPECTOR}`, '--call', 'command -v mcp-inspector'];
  return (await execute('npx', options)).stdout.trim();
}

async function inspect(program: string, era: Era): Promise<void> {
  const service = await startService();
  const people = { ada: await service.user('ada'), grace: await service.user('grace') };
  try {
    const ask = (by: Person, options: string[]) =>
      askInspector(program, era, service, people[by], options);
    const listing = await ask('ada', ['--method', 'tools/list', '--strict']);
    const tools: string[] = listing.result.tools.map(({ name }: { name: string }) => name);
    console.log(`\n${era}: ${tools.length} tools. ${listing.lastWord}\n`);

    const called = new Set<string>();
    const ids: Record<string, string> = {};
    for (const { by, tool, args, keep, expect } of STEPS) {
      const given = JSON.stringify(args?.(ids) ?? {});
      const began = performance.now();
      let outcome = 'ok';
      try {
        const options = ['--method', 'tools/call', '--tool-name', tool, '--tool-args-json', given];
        const { result } = await ask(by, options);
        const data = result.structuredContent ?? readingOf(result.content[0].text);
        if (!expect(data)) throw new Error(JSON.stringify(result));
        Object.assign(ids, keep?.(data));
        called.add(tool);
      } catch (error) {
        outcome = `FAILED ${(error as Error).message}`;
        process.exitCode = 1;
      }
      const ms = `${Math.round(performance.now() - began)} ms`;
      console.log(`${by.padEnd(6)} ${tool.padEnd(30)} ${ms.padStart(8)}  ${outcome}`);
    }

    const missed = tools.filter((tool) => !called.has(tool));
    console.log(`\n${era}: ${called.size} of ${tools.length} tools called, ${STEPS.length} calls.`);
    if (missed.length > 0 || called.size !== tools.length) {
      console.log(`Not called, or in vain: ${missed.join(', ')}`);
      process.exitCode = 1;
    }
  } finally {
    await service.stop();
  }
}

/**
 * Runs the inspector once. It ends with a code other than 0 when it cannot connect, when a result
 * is an error, and with `--strict` when a schema has one.
 *
 * @returns the result, and the last line that it said beside it
 */
async function askInspector(
  program: string,
  era: Era,
  service: Service,
  { token }: Client,
  options: string[],
): Promise<{ result: Result; lastWord: string }> {
  const { stdout, stderr } = await execute(
    process.execPath,
    [
      program,
      '--cli',
      `${service.baseUrl}/mcp`,
      '--transport',
      'http',
      '--protocol-era',
      era,
      '--header',
      `Authorization: Bearer ${token}`,
      '--stored-auth-only',
      '--format',
      'json',
      ...options,
    ],
    { env: { ...process.env, HOME: home }, maxBuffer: 16 * 1024 * 1024 },
  );
  return { result: JSON.parse(stdout).result, lastWord: stderr.trim().split('\n').at(-1) ?? '' };
}
