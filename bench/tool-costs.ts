import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { everythingIndexed } from '../test/document/everything-indexed.ts';
import { type Service, startService, type Client as User } from '../test/harness.ts';

/**
 * Measures what tools cost an agent, in calls and bytes: `npm run build && node
 * dist/bench/tool-costs.js`. The official client talks HTTP to a service in this process. Arguments
 * and results are counted as the protocol's JSON. Writes the table in docs/agents/costs.md.
 */

const PAGE = fileURLToPath(new URL('../../docs/agents/costs.md', import.meta.url));
const KB = 1024;
let week = 0;

interface Task {
  name: string;
  goal: string;
  /** What GitHub's gist tools and Outline's need at least; undefined if they can't do the task. */
  gists: Least | undefined;
  outline: Least | undefined;
  run(): Promise<void>;
}

/** The calls that a task takes at least, and the texts that they send and receive. */
interface Least {
  calls: number;
  sent?: string;
  /** `null`: not calculated. */
  received?: string | null;
}

const service = await startService();
try {
  const ada = await service.user('ada');
  const grace = await service.user('grace');
  const lists = [await listing(service, ada, ''), await listing(service, ada, '?tools=documents')];
  const { own, others } = await measure(service, ada, grace);
  const table = [
    '| task | calls | sent | received | goal |',
    '|---|--:|--:|--:|---|',
    ...own.map((cells) => `| ${cells.join(' | ')} |`),
    '',
    '| minimum for the same task | gists: calls | sent | received | Outline: calls | sent | received |',
    '|---|--:|--:|--:|--:|--:|--:|',
    ...others.map((cells) => `| ${cells.join(' | ')} |`),
    '',
    '| list of tools | tools | bytes | tokens (bytes ÷ 4) |',
    '|---|--:|--:|--:|',
    ...lists.map((cells) => `| ${cells.join(' | ')} |`),
  ].join('\n');
  const [before = '', rest = ''] = readFileSync(PAGE, 'utf8').split('<!-- Costs begin. -->');
  const [, after = ''] = rest.split('<!-- Costs end. -->');
  writeFileSync(PAGE, `${before}<!-- Costs begin. -->\n\n${table}\n\n<!-- Costs end. -->${after}`);
  console.log(table);
} finally {
  await service.stop();
}

async function connect({ baseUrl }: Service, { token }: User, query = ''): Promise<Client> {
  const client = new Client({ name: 'costs', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp${query}`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  await client.connect(transport);
  return client;
}

async function listing(service: Service, user: User, query: string): Promise<string[]> {
  const client = await connect(service, user, query);
  const { tools } = await client.listTools();
  await client.close();
  const bytes = Buffer.byteLength(JSON.stringify(tools));
  return [`\`/mcp${query}\``, tools.length, bytes, Math.ceil(bytes / 4)].map(String);
}

async function measure(
  service: Service,
  ada: User,
  grace: User,
): Promise<{ own: string[][]; others: string[][] }> {
  const client = await connect(service, ada);
  let [calls, sent, received] = [0, 0, 0];
  const call = async (name: string, args: Record<string, unknown>): Promise<string> => {
    const result = await client.callTool({ name, arguments: args });
    const [first] = result.content;
    const text = first?.type === 'text' ? first.text : '';
    if (result.isError) throw new Error(`${name}: ${text}`);
    calls += 1;
    sent += Buffer.byteLength(JSON.stringify({ name, arguments: args }));
    received += Buffer.byteLength(JSON.stringify(result));
    return text;
  };
  const made = async (name: string, content: string) => {
    const answer = await ada.post('/user/briefs', { name, content, visibility: 'private' });
    if (answer.status !== 201) throw new Error(answer.text);
  };

  const sections = Array.from({ length: 9 }, (_, index) => `## Part ${index}\n\n${prose(6.5)}\n`);
  const long = `# Long\n\n${sections.join('\n')}`;
  await made('long', long);
  await made('shared', long);
  await made('commented', long);
  await ada.put('/briefs/ada/shared/collaborators/grace', { permission: 'write' });
  await ada.put('/briefs/ada/commented/collaborators/grace', { permission: 'read' });
  for (const { id } of (await grace.get('/user/brief_invitations')).data) {
    await grace.patch(`/user/brief_invitations/${id}`);
  }
  for (let index = 0; index < 497; index++) {
    await made(`note-${index}`, `# Note ${index}\n\nAbout tides and pendulums, the ${index}th.\n`);
  }
  await made('topic', `# Sundials\n\nThe gnomon points to the pole.\n\n${prose(4)}`);
  await everythingIndexed(service.app.context);

  const report = `# Report\n\n${prose(20)}`;
  const remark = 'Is this right?';
  const answer = 'It is; see the log.';
  const line = 'One more line.\n';
  // Both services can only read a whole document. Outline also answers a write with the whole text.
  const whole = { calls: 1, received: long };
  const tasks: Task[] = [
    {
      name: 'publish 20 KB',
      goal: '1 call, 22 KB sent',
      gists: { calls: 1, sent: report },
      outline: { calls: 1, sent: report, received: report },
      run: async () => {
        await call('publish_document', { name: 'report', content: report, visibility: 'private' });
      },
    },
    {
      name: 'read one section of 60 KB',
      goal: '1 call, 8 KB',
      gists: whole,
      outline: whole,
      run: async () => {
        await call('read_document', { name: 'long', section: 'Part 7' });
      },
    },
    {
      name: 'change a paragraph while someone else edits another',
      goal: '2 calls, 9 KB',
      gists: { calls: 2, sent: long, received: long },
      outline: { calls: 2, sent: line, received: long + long },
      run: async () => {
        await call('read_document', { name: 'shared', section: 'Part 3' });
        await grace.patch('/briefs/ada/shared', { content: `${long}\nThe last line, by grace.\n` });
        await call('edit_document', {
          name: 'shared',
          base_revision: 1,
          edits: [{ op: 'section', heading: 'Part 3', mode: 'append', content: line }],
        });
      },
    },
    {
      name: 'see what changed: one paragraph',
      goal: '1 call, 3 KB',
      gists: whole,
      outline: whole,
      run: async () => {
        const changed = long.replace('\n## Part 4', '\nA paragraph of five words.\n\n## Part 4');
        await grace.patch('/briefs/ada/shared', { content: changed });
        await call('read_document', { name: 'shared', changes_since: 3 });
      },
    },
    {
      name: 'see that nothing changed',
      goal: '200 bytes',
      // Their lists say when a document was changed.
      gists: { calls: 1 },
      outline: { calls: 1 },
      run: async () => {
        await call('read_document', { name: 'long', changes_since: 1 });
      },
    },
    {
      name: 'find the document about a topic among 500',
      goal: '1 call, 2 KB',
      gists: undefined,
      outline: { calls: 1, sent: 'gnomon pole', received: null },
      run: async () => {
        await call('search_documents', { query: 'gnomon pole' });
      },
    },
    {
      name: 'the same, a query that most of them match',
      goal: '1 call, 2 KB',
      gists: undefined,
      outline: { calls: 1, sent: 'pendulums', received: null },
      run: async () => {
        await call('search_documents', { query: 'pendulums' });
      },
    },
    {
      name: 'answer a remark',
      goal: '2 calls, 6 KB',
      gists: undefined,
      outline: { calls: 2, sent: answer, received: remark + answer },
      run: async () => {
        await grace.post('/briefs/ada/commented/threads', {
          body: remark,
          on: { quote: 'The station was quiet in week 3,' },
        });
        const text = await call('read_document', { name: 'commented', view: 'threads' });
        const id = /^\{"id":"([^"]+)"/m.exec(text)?.[1];
        await call('comment', {
          name: 'commented',
          action: 'reply',
          threads: [id],
          body: answer,
        });
      },
    },
  ];
  const own: string[][] = [];
  for (const { name, goal, run } of tasks) {
    [calls, sent, received] = [0, 0, 0];
    await run();
    own.push([name, String(calls), inKB(sent), inKB(received), goal]);
  }
  await client.close();
  const others = tasks.map(({ name, gists, outline }) => [
    name,
    ...[gists, outline].flatMap(cellsOf),
  ]);
  return { own, others };
}

function cellsOf(least: Least | undefined): string[] {
  if (!least) return ['–', '–', '–'];
  const { calls, sent = '', received = '' } = least;
  const size = (text: string | null) => (text === null ? '?' : inKB(Buffer.byteLength(text)));
  return [String(calls), size(sent), size(received)];
}

function inKB(bytes: number): string {
  return bytes < KB ? `${bytes} B` : `${(bytes / KB).toFixed(1)} KB`;
}

/** Generates about this many kilobytes of sentences without repetition. */
function prose(kilobytes: number): string {
  const lines: string[] = [];
  for (let length = 0; length < kilobytes * KB; length += lines.at(-1)?.length ?? 0) {
    const number = ++week;
    lines.push(
      `The station was quiet in week ${number}, and the log of day ${number * 7} is whole.\n`,
    );
  }
  return lines.join('\n');
}
