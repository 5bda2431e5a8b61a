import { existsSync } from 'node:fs';
import type { FastifyBaseLogger } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { takenSegments } from './http/addresses.ts';
import { createMarkdownRenderer } from './markdown/renderer.ts';
import { blobDirectory, diskBlobStore } from './storage/blob/disk.ts';
import { databasePath, openSql } from './storage/sql/sql.ts';

/** What a test may put in place of the real thing. */
export interface ContextOverrides {
  now?: () => string;
  logger?: FastifyBaseLogger;
}

/**
 * What the services work with, on this configuration's database. Closed by the caller. Apart from
 * the app, so that a command need not load the surfaces.
 *
 * @throws Error when the database cannot be opened
 */
export async function openContext(
  config: Config,
  overrides: ContextOverrides = {},
): Promise<Context> {
  return {
    sql: await openSql(config.dataDir),
    blobs: diskBlobStore(blobDirectory(config.dataDir)),
    markdown: createMarkdownRenderer({
      onFault: (error) => overrides.logger?.error({ err: error }, 'rendering failed'),
    }),
    now: overrides.now ?? (() => new Date().toISOString()),
    newId: () => uuidv7(),
    webUrl: config.webUrl,
    renderUrl: config.renderUrl,
    invitationLifetimeMs: config.invitationLifetimeMs,
    reservedSegments: takenSegments(config),
  };
}

/** Whether there is data where this configuration has it. */
export function hasData(config: Config): boolean {
  return existsSync(databasePath(config.dataDir));
}

export async function closeContext(context: Context): Promise<void> {
  await context.markdown.close();
  await context.sql.close();
}
