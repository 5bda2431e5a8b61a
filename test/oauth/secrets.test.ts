import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { startService } from '../harness.ts';
import {
  decideAt,
  EVERYTHING,
  followOut,
  goToConsent,
  locationOf,
  makePkce,
  redeem,
  refresh,
  register,
  statusWith,
  UNLIMITED,
} from './agent.ts';
import { signedIn } from './visitor.ts';

describe('Secrets of the authorization server', () => {
  it('are neither in the log nor in the database', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    const service = await startService({ ...UNLIMITED, LOG_LEVEL: 'trace' }, { logger });
    try {
      const client = await register(service, { token_endpoint_auth_method: 'client_secret_post' });
      const { data } = await (await service.user('ada')).get('/user');
      const ada = await signedIn(service, data.id);
      const { verifier, challenge } = makePkce();
      const page = await goToConsent(service, ada, {
        client_id: client.client_id,
        redirect_uri: client.redirect_uris[0],
        code_challenge: challenge,
      });
      await ada.get(page);
      const decided = await decideAt(ada, page, EVERYTHING);
      const decision = locationOf(decided).searchParams.get('code') ?? '';
      const { sql } = service.app.context;
      const kept = async () => {
        const tables = ['oauth_client', 'oauth_grant', 'oauth_token', 'oauth_flow'] as const;
        const rows = tables.map((table) => sql.read.selectFrom(table).selectAll().execute());
        return JSON.stringify(await Promise.all(rows));
      };
      const states = [await kept()];
      const back = await followOut(service, ada, decided);
      states.push(await kept());
      const code = back.searchParams.get('code') ?? '';
      const { json } = await redeem(service, client, { code, code_verifier: verifier });
      const next = (await refresh(service, client, json.refresh_token)).json;
      await statusWith(service, next.access_token);
      states.push(await kept());

      const secrets = {
        secret: client.client_secret ?? '',
        uid: page.split('/').at(-1) ?? '',
        ...{ decision, code, verifier },
        access: json.access_token,
        refresh: json.refresh_token,
        later: next.access_token,
        latest: next.refresh_token,
      };
      const log = lines.join('');
      assert.match(log, /\/sso\/authorize\/:uid\/decided/);
      for (const [name, secret] of Object.entries(secrets)) {
        assert.ok(secret.length >= 20, name);
        assert.ok(!log.includes(secret), `${name} in the log`);
        for (const state of states) assert.ok(!state.includes(secret), `${name} in the database`);
      }
    } finally {
      await service.stop();
    }
  });
});
