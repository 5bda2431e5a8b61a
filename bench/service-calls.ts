import { callOf } from '../src/core/context.ts';
/**
 * Creates briefs one after another with the service function behind the API, so without requests.
 * The search index isn't updated meanwhile.
 *
 *   node dist/bench/service-calls.js <file with content> <seconds>
 *
 * The settings name the data. The user is ada.
 */

import { readFileSync } from 'node:fs';
import { VIA_WEB } from '../src/base/schema/means.ts';
import { readConfig } from '../src/core/config/read-config.ts';
import { createDocument } from '../src/core/document/document-service.ts';
import { requireAccount } from '../src/core/identity/account-service.ts';
import { closeContext, openContext } from '../src/open-context.ts';
import { writeAndReport } from './one-writer.ts';
import { OWNER } from './scene.ts';

const [contentFile = '', seconds = ''] = process.argv.slice(2);
const content = readFileSync(contentFile, 'utf8');
const context = await openContext(readConfig(process.env));
const { id, username } = await requireAccount(context.sql.read, OWNER);
const actor = { id, username, scopes: [], via: VIA_WEB };
const owner = { type: 'user', namespace: OWNER } as const;
await writeAndReport((number) => {
  const name = `called-${process.pid}-${number}`;
  const input = { name, content, visibility: 'private' } as const;
  return createDocument(callOf(context, actor), 'brief', owner, input);
}, Number(seconds));
await closeContext(context);
