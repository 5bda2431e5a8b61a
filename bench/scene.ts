import { strict as assert } from 'node:assert';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Service } from './service.ts';
import { makeBriefOf, makePageOf } from './text.ts';

/** What the work is about: documents of one user, and files that have what is sent. */
export interface Scene {
  token: string;
  /** A folder with `content.json`, `content.md`, and what nginx serves in `files`. */
  directory: string;
  /** Paths of the briefs that are changed. */
  changed: string[];
}

export const OWNER = 'ada';
export const BRIEF_BYTES = 3_000;
export const PAGE_BYTES = 500_000;
export const SLOW_PAGE_BYTES = 5_000_000;

/** How many briefs are changed at the same time, each by one client. */
export const CHANGED_BRIEFS = 32;

/**
 * Makes what is read and changed, of the user ada, through the service itself: the briefs `read` and
 * `large`, whose Markdown has as many bytes as the web page of the other; the pages `page` and `slow`.
 */
export async function prepareScene(
  service: Service,
  token: string,
  directory: string,
): Promise<Scene> {
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
  return { token, directory, changed };
}

/** Whose a token is. */
export async function accountOf(service: Service, token: string): Promise<{ id: string }> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${service.url}/api/user`, { headers });
  return ((await response.json()) as { data: { id: string } }).data;
}
