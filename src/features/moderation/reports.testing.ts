import { randomUUID } from 'node:crypto';
import type { Service } from '../../../test/harness.ts';
import { insertReport } from './report-store.ts';

/** Stores a report of a document by somebody without an account. @returns its id */
export async function makeReport(service: Service, documentId: string): Promise<string> {
  const { sql, newId, now } = service.app.context;
  const id = newId();
  const reporterKey = `network:${randomUUID()}`;
  const by = { reporterId: null, email: null, reporterKey, createdAt: now() };
  await sql.transaction((tx) =>
    insertReport(tx, { id, documentId, kind: 'spam', words: 'Look.', ...by }),
  );
  return id;
}
