import { strict as assert } from 'node:assert';
import { generateSync } from 'otplib';
import type { Service } from '../../../test/harness.ts';
import type { Visitor } from '../../../test/sign-in/visitor.ts';

export const PERIOD = 30_000;

/** Somebody's app for one-time codes, with the clock of the service. */
export interface CodeApp {
  secret: string;
  /** Returns the code of a step from now: 0 is the present one. */
  code(step?: number): string;
}

/** What setting up one-time codes gave. */
export interface Codes {
  app: CodeApp;
  /** The page that shows the recovery codes. */
  text: string;
  recovery: string[];
}

export function codeApp(service: Service, secret: string): CodeApp {
  return {
    secret,
    code(step = 0) {
      const epoch = (Date.parse(service.app.context.now()) + step * PERIOD) / 1000;
      return generateSync({ secret, epoch: Math.floor(epoch) });
    },
  };
}

/** Sets up one-time codes, as the screen leads to it. */
export async function setUpCodes(
  service: Service,
  visitor: Visitor,
  path = '/settings/security/codes',
): Promise<Codes> {
  const page = await visitor.get(path);
  assert.equal(page.status, 200, page.text);
  const [, shown = ''] = /value="([A-Z2-7 ]+)" aria-label="Key"/.exec(page.text) ?? [];
  const [, sealed = ''] = /name="secret" value="([^"]+)"/.exec(page.text) ?? [];
  const app = codeApp(service, shown.replaceAll(' ', ''));
  const [, next = '/'] = /name="next" value="([^"]+)"/.exec(page.text) ?? [];
  const form = { secret: sealed, code: app.code(), next: next.replaceAll('&amp;', '&') };
  const done = await visitor.post('/settings/security/codes', form);
  assert.equal(done.status, 201, done.text);
  return { app, recovery: recoveryCodesIn(done.text), text: done.text };
}

export function recoveryCodesIn(text: string): string[] {
  const [, list = ''] = /<pre class="recovery-codes">([^<]+)</.exec(text) ?? [];
  return list.split('\n');
}
