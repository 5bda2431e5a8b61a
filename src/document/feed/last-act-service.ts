import type { Actor, Context } from '../../context.ts';
import { decide } from '../access.ts';
import { findDocumentById } from '../document-store.ts';
import type { Kind } from '../kind.ts';
import type { EventType } from './event.ts';
import { type LastActRow, listLastActs } from './last-act-store.ts';

/** What a token or an application did last, on a document that its user can still read. */
export interface LastAct {
  type: EventType;
  at: string;
  document: { kind: Kind; ownerNamespace: string; name: string };
}

/** The most of them that are looked up. */
const MAX_ACTS = 100;

/** Returns what each of the actor's tokens and applications did last, by {@link actorKey}. */
export async function lastActsOf(context: Context, actor: Actor): Promise<Map<string, LastAct>> {
  const { read } = context.sql;
  const rows = (await listLastActs(read, actor.id)).slice(0, MAX_ACTS);
  const acts = await Promise.all(
    rows.map(async (row): Promise<[string, LastAct][]> => {
      const document = await findDocumentById(read, row.documentId, actor.id);
      if (!document || decide(document, 'read') !== 'allow') return [];
      const { kind, ownerNamespace, name } = document;
      const act = { type: row.type, at: row.at, document: { kind, ownerNamespace, name } };
      return [[actorKey(row), act]];
    }),
  );
  return new Map(acts.flat());
}

/** Identifies a token or an application by what events call it. */
export function actorKey({ via, viaName }: Pick<LastActRow, 'via' | 'viaName'>): string {
  return `${via} ${viaName ?? ''}`;
}
