/**
 * The floor: a minimal server with the same answers, with bare `node:http` and prepared statements
 * on the service's database. It has no validation, error format, limits, logs, metrics, request ids
 * or security headers.
 *
 *   node dist/bench/floor.js <data directory or postgres://…> <port>
 *
 * GET /api/briefs/{owner}/{name}   the brief as JSON, by a token that may read it
 * GET /{owner}/{name}.md           a public brief's Markdown
 * POST /api/briefs                 stores a brief of the token's user; durable before it answers
 */
import { hash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { openFloorDatabase } from './floor-database.ts';

const [database = '', port = ''] = process.argv.slice(2);
const statements = await openFloorDatabase(database);

const PERMISSIONS = { admin: true, write: true, read: true };

const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    console.error(error);
    send(response, 500, 'text/plain', '', '');
  });
});
server.listen(Number(port), '127.0.0.1');
process.once('SIGTERM', () => {
  server.close(() => statements.close());
  server.closeAllConnections();
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, first = '', second = '', third = '', fourth = ''] = (request.url ?? '').split('/');
  if (first === 'ready') return send(response, 200, 'text/plain', '', '');
  if (first !== 'api') return sendMarkdown(response, first, second.slice(0, -'.md'.length));
  const actorId = await authenticate(request);
  if (!actorId) return send(response, 401, 'text/plain', '', '');
  if (request.method === 'POST' && second === 'briefs') return create(request, response, actorId);
  return sendBrief(response, actorId, third, fourth);
}

async function authenticate({ headers }: IncomingMessage): Promise<string | undefined> {
  const token = headers.authorization?.slice('Bearer '.length) ?? '';
  const row = await statements.findToken(hash('sha256', token));
  return row && (row.expiresAt === null || row.expiresAt > new Date().toISOString())
    ? row.accountId
    : undefined;
}

async function sendBrief(response: ServerResponse, actorId: string, owner: string, name: string) {
  const row = await statements.findBrief(actorId, owner, name);
  const mayRead =
    row && (row.ownerId === actorId || row.permission || row.role || row.visibility === 'public');
  if (!mayRead) return send(response, 404, 'text/plain', '', '');
  const body = JSON.stringify({
    data: {
      id: row.id,
      name: row.name,
      fullName: `${row.namespace}/${row.name}`,
      url: `http://localhost:${port}/${row.namespace}/${row.name}`,
      content: row.content,
      ownerType: row.ownerType,
      ownerId: row.ownerId,
      ownerNamespace: row.namespace,
      visibility: row.visibility,
      permissions: PERMISSIONS,
      createdBy: row.createdBy,
      updatedBy: row.updatedBy,
      createdAt: row.createdAt,
      updatedAt: row.updatedAt,
    },
  });
  send(response, 200, 'application/json', `"${row.id}.${row.version}.admin"`, body);
}

async function sendMarkdown(response: ServerResponse, owner: string, name: string) {
  const row = await statements.findPublicBrief(owner, name);
  if (!row) return send(response, 404, 'text/plain', '', '');
  send(response, 200, 'text/markdown', `"${row.id}.${row.version}.md"`, row.content);
}

async function create(request: IncomingMessage, response: ServerResponse, actorId: string) {
  const { name, content } = JSON.parse(await text(request));
  const id = await statements.insertBrief(actorId, name, content);
  const body = JSON.stringify({ data: { id, name, content } });
  send(response, 201, 'application/json', `"${id}.1.admin"`, body);
}

function send(
  response: ServerResponse,
  status: number,
  type: string,
  etag: string,
  body: string,
): void {
  response.writeHead(status, {
    'content-type': `${type}; charset=utf-8`,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-cache',
    etag,
  });
  response.end(body);
}
