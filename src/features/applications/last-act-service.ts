import type { EventType } from '../../base/schema/event.ts';
import type { Kind } from '../../base/schema/kind.ts';
import type { Call } from '../../core/context.ts';
import { decide } from '../../core/document/access-rules.ts';
import { findDocumentById } from '../../core/document/document-store.ts';
import { type LastActRow, listLastActs } from './last-act-store.ts';

/** The last event that a token or application caused, if its user can still read the document. */
export interface LastAct {
  type: EventType;
  version: number | null;
  at: string;
  document: { kind: Kind; ownerNamespace: string; name: string };
}

/** The most tokens and applications to look up. */
const MAX_ACTS = 100;

/**
 * Returns the last event of each of the actor's tokens and applications. The keys are from
 * {@link actorKey}. Leaves out those whose last event is about a document that the actor can't
 * read.
 */
export async function lastActsOf(call: Call): Promise<Map<string, LastAct>> {
  const { read } = call.sql;
  const rows = (await listLastActs(read, call.actor.id)).slice(0, MAX_ACTS);
  const acts = await Promise.all(
    rows.map(async (row): Promise<[string, LastAct][]> => {
      const document = await findDocumentById(read, row.documentId, call.actor.id);
      if (!document || decide(document, 'read') !== 'allow') return [];
      const { kind, ownerNamespace, name } = document;
      const { type, version, at } = row;
      return [[actorKey(row), { type, version, at, document: { kind, ownerNamespace, name } }]];
    }),
  );
  return new Map(acts.flat());
}

/** Returns a key for a token or application, from its means and name. */
export function actorKey({ via, viaName }: Pick<LastActRow, 'via' | 'viaName'>): string {
  return `${via} ${viaName ?? ''}`;
}
