// Writes the OpenAPI document that the service serves. A part of "npm run build:server".
import { writeFileSync } from 'node:fs';
import { pino } from 'pino';
import { VERSION } from './base/package.ts';
import { readConfig } from './core/config/read-config.ts';
import type { Context } from './core/context.ts';
import { addOperations } from './features.ts';
import { createAccountQueue } from './surfaces/http/account-queue.ts';
import { createBodyQueue } from './surfaces/http/body-queue.ts';
import { createUnread } from './surfaces/http/unread.ts';
import { BUILT_ADDRESSES, BUILT_OPENAPI } from './surfaces/rest/built-openapi.ts';
import { createRestSurface } from './surfaces/rest/server.ts';

const rest = await createRestSurface(
  {
    config: Object.assign(readConfig({}), BUILT_ADDRESSES),
    logger: pino({ level: 'silent' }),
    metrics: undefined,
    bodyQueue: createBodyQueue(),
    unread: createUnread(),
  },
  {
    // Operations are only declared here. None is called, so none needs a database or a limiter.
    context: {} as Context,
    limiter: {
      consume: async () => undefined,
      refund: async () => {},
      reset: async () => {},
      ping: async () => {},
      close: async () => {},
    },
    accountQueue: createAccountQueue(),
    version: VERSION,
    addOperations,
    openapi: undefined,
  },
);
await rest.ready();
writeFileSync(BUILT_OPENAPI, JSON.stringify(rest.swagger()));
await rest.close();
