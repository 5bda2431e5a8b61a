import { strict as assert } from 'node:assert';
import { after, afterEach, before, beforeEach } from 'node:test';
import { type Client, type Service, startService } from '../harness.ts';
import { type Desk, type Installed, installCommand, openDesk } from './command.ts';

/** State shared by the tests of one file. `desk` is a new one for each test. */
export interface Work {
  readonly installed: Installed;
  readonly service: Service;
  readonly ada: Client;
  readonly desk: Desk;
  /** Returns a name that no test has used. */
  fresh(): string;
  /** Pushes a new brief of ada. */
  pushNew(text: string): Promise<{ name: string; file: string }>;
  // biome-ignore lint/suspicious/noExplicitAny: `data` is untyped JSON
  contentOf(name: string, kind?: string): Promise<{ text: string; revision: number; data: any }>;
  /** Changes a brief of ada on the server. */
  editThere(name: string, content: string): Promise<unknown>;
}

/** Installs the command and starts a service, whose user ada has a token in the environment. */
export function startWork(): Work {
  let installed: Installed;
  let service: Service;
  let ada: Client;
  let desk: Desk;
  let count = 0;

  before(async () => {
    installed = installCommand();
    service = await startService();
    ada = await service.user('ada');
  });
  after(async () => {
    await service?.stop();
  });
  beforeEach(() => {
    const { webUrl } = service;
    desk = openDesk(installed, { BRIEFS_SERVER: webUrl, BRIEFS_TOKEN: ada.token as string });
  });
  afterEach(() => desk.remove());

  return {
    get installed() {
      return installed;
    },
    get service() {
      return service;
    },
    get ada() {
      return ada;
    },
    get desk() {
      return desk;
    },
    fresh: () => `plan-${++count}`,
    async pushNew(text) {
      const name = this.fresh();
      const file = `${name}.md`;
      desk.write(file, text);
      const { results } = await desk.json(0, 'push', file);
      assert.equal(results[0].status, 'created');
      return { name, file };
    },
    async contentOf(name, kind = 'briefs') {
      const { data, headers } = await ada.get(`/${kind}/ada/${encodeURIComponent(name)}`);
      const revision = Number(headers.get('x-revision'));
      return { text: data.content ?? data.html, revision, data };
    },
    editThere: (name, content) => ada.patch(`/briefs/ada/${name}`, { content }),
  };
}

/** The status of each result of `--json`. */
export function statusOf({ results }: { results: { status: string }[] }): string[] {
  return results.map(({ status }) => status);
}
