import { strict as assert } from 'node:assert';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../src/core/config/read-config.ts';
import { closeContext, openContext } from '../src/open-context.ts';
import type { Service } from './service.ts';
import { makeBriefOf, makePageOf } from './text.ts';

/** The documents that are read and written, and files with request data. */
export interface Scene {
  token: string;
  /**
   * A folder with `content.json`, `content.md`, `many.api` and `many.md` (one path per line), and
   * with what nginx serves in `files`.
   */
  directory: string;
  /** Paths of the briefs to update. */
  changed: string[];
}

export const OWNER = 'ada';
export const BRIEF_BYTES = 3_000;
export const PAGE_BYTES = 500_000;
export const SLOW_PAGE_BYTES = 5_000_000;

/** The number of briefs to update; each has one client. */
export const CHANGED_BRIEFS = 32;

/** The number of briefs in `many` and the mixes. */
const MANY_BRIEFS = 20_000;

/**
 * Creates ada's documents through the service: the briefs `read` and `large`, whose Markdown has the
 * size of the web page of `read`, and the pages `page` and `slow`.
 */
export async function prepareScene(
  service: Service,
  token: string,
  { directory, settings }: { directory: string; settings: Record<string, string> },
): Promise<Scene> {
  // Before other briefs are created, because the spare database must have the same ones.
  const many = await publicBriefs(settings);
  const text = makeBriefOf(BRIEF_BYTES);
  const create = async (kind: string, body: object) => {
    const response = await fetch(`${service.url}/api/${kind}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    assert.equal(response.status, 201, await response.clone().text());
  };
  await create('briefs', { name: 'read', content: text });
  const html = await (
    await fetch(`${service.url}/${OWNER}/read`, { headers: { accept: 'text/html' } })
  ).text();
  const large = makeBriefOf(Buffer.byteLength(html));
  await create('briefs', { name: 'large', content: large });
  await create('pages', { name: 'page', html: makePageOf(PAGE_BYTES) });
  await create('pages', { name: 'slow', html: makePageOf(SLOW_PAGE_BYTES) });
  const changed: string[] = [];
  for (let number = 1; number <= CHANGED_BRIEFS; number += 1) {
    const name = `changed-${number}`;
    await create('briefs', { name, content: text });
    changed.push(`/api/briefs/${OWNER}/${name}`);
  }
  const files = join(directory, 'files');
  mkdirSync(files);
  writeFileSync(join(files, 'ready.html'), '');
  writeFileSync(join(files, 'read.md'), text);
  writeFileSync(join(files, 'page.html'), makePageOf(PAGE_BYTES));
  writeFileSync(join(directory, 'content.md'), text);
  writeFileSync(join(directory, 'content.json'), JSON.stringify(text));
  writeFileSync(join(directory, 'many.api'), many.map((path) => `/api/briefs/${path}\n`).join(''));
  writeFileSync(join(directory, 'many.md'), many.map((path) => `/${path}.md\n`).join(''));
  return { token, directory, changed };
}

/** Returns the first public briefs by name, an order that says nothing about their age. */
async function publicBriefs(settings: Record<string, string>): Promise<string[]> {
  const context = await openContext(readConfig(settings));
  try {
    const rows = await context.sql.read
      .selectFrom('document')
      .innerJoin('owner', 'owner.id', 'document.ownerId')
      .where('document.kind', '=', 'brief')
      .where('document.visibility', '=', 'public')
      .select(['owner.namespace', 'document.name'])
      .orderBy('document.name')
      .limit(MANY_BRIEFS)
      .execute();
    return rows.map(({ namespace, name }) => `${namespace}/${name}`);
  } finally {
    await closeContext(context);
  }
}

/** The owner of a token. */
export async function accountOf(service: Service, token: string): Promise<{ id: string }> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${service.url}/api/user`, { headers });
  return ((await response.json()) as { data: { id: string } }).data;
}
