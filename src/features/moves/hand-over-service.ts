import { FieldError, ServiceError } from '../../base/errors.ts';
import { VIA_WEB } from '../../base/schema/means.ts';
import type { Visibility } from '../../base/schema/visibility.ts';
import { audit } from '../../core/audit/audit.ts';
import type { Actor, Context } from '../../core/context.ts';
import {
  type DocumentRow,
  findDocumentById,
  isNameTaken,
} from '../../core/document/document-store.ts';
import { findFreeName, NameTaken } from '../../core/document/name-taken.ts';
import { deleteWithdrawal } from '../../core/document/withdrawal-store.ts';
import { requireAccount } from '../../core/identity/account-service.ts';
import type { AccountRow } from '../../core/identity/account-store.ts';
import { requireAdmin } from '../../core/identity/admin.ts';
import { requirePerson } from '../../core/identity/person-acts.ts';
import { queueNoticeTo } from '../../core/outbox/plain-notice.ts';
import { queueSecurityNotice } from '../../core/outbox/queue-service.ts';
import { findHeldRole } from '../../core/owner/membership-store.ts';
import { parseNamespace } from '../../core/owner/namespace.ts';
import { changeOwnedByTwo } from '../../core/owner/owner-service.ts';
import { findOwner } from '../../core/owner/owner-store.ts';
import { requirePublishable } from '../../core/owner/policy-service.ts';
import { requireQuota } from '../../core/quota/quota-service.ts';
import { findUsage } from '../../core/quota/usage-store.ts';
import { requireAdmissible } from '../../core/review/protection-service.ts';
import { listManagers } from '../../core/review/protection-store.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { carryOut, type Owner } from './document-move-service.ts';
import {
  listOwned,
  type OwnedDocument,
  updateFileOwner,
  updateLinkMaker,
} from './hand-over-store.ts';

/** How many documents one transaction moves. Others that write wait meanwhile. */
const AT_ONCE = 20;

/** To whom documents are handed over, and which. */
export interface HandOver {
  /** A username, or the namespace of an organization. */
  to: string;
  /** Ids, or names: `plan`, `pages/dice`. All of the account, if absent. */
  documents?: readonly string[] | undefined;
  /** Whether uploaded files go along, because the account will be deleted. */
  withFiles?: boolean;
}

interface Plan {
  by: Actor | undefined;
  from: AccountRow;
  owner: Owner;
  /** Who answers for the owner; the first gets secret links and files. */
  managers: readonly string[];
  documents: readonly OwnedDocument[];
}

/**
 * Gives documents of an account to a person or an organization, as moving each would, also if the
 * account is disabled. Nobody is shown a text. What the account made secret links of works on; a name
 * that is taken gets a number; what can't be public at the new owner becomes private. Not handed over
 * is what is in the trash or taken down.
 *
 * Moves a few documents at a time. Who is interrupted calls it again for the rest.
 *
 * @param by the administrator; without one, an operator's command, which the history shows as the
 *   former owner
 * @returns how many
 * @throws FORBIDDEN; NOT_FOUND; UNPROCESSABLE naming `to` or `documents`; QuotaExceeded of the new
 *   owner, before anything moves
 */
export async function handOver(
  context: Context,
  by: Actor | undefined,
  username: string,
  input: HandOver,
): Promise<number> {
  const plan = await planHandOver(context, by, username, input);
  const { from, owner, documents, managers } = plan;
  for (let at = 0; at < documents.length; at += AT_ONCE) {
    await changeOwnedByTwo(context, [from.username, owner.namespace], async (tx) => {
      await requireSame(tx, plan);
      if (at === 0) await announce(context, tx, plan);
      for (const { id } of documents.slice(at, at + AT_ONCE)) {
        const document = await findDocumentById(tx, id, from.id);
        if (document?.ownerId === from.id) await giveAway(context, tx, plan, document);
      }
    });
    context.documentChanged();
  }
  const [to] = managers;
  if (input.withFiles && to) {
    await context.sql.transaction((tx) => updateFileOwner(tx, { from: from.id, to }));
  }
  return documents.length;
}

async function planHandOver(
  context: Context,
  by: Actor | undefined,
  username: string,
  { to, documents: named, withFiles }: HandOver,
): Promise<Plan> {
  const { read } = context.sql;
  if (by) await requireAdmin(read, by);
  const from = await requireAccount(read, username);
  const namespace = parseNamespace(to.trim());
  const found = namespace && (await findOwner(read, namespace));
  if (!found) throw refused('to', `there is no user or organization “${to.slice(0, 100)}”.`);
  if (found.id === from.id) throw refused('to', `${from.username} owns them already.`);
  const owner = { id: found.id, type: found.type, namespace: found.namespace };
  const managers = (await listManagers(read, owner.id)).sort();
  if (managers.length === 0) {
    throw refused('to', `nobody can use ${owner.namespace}: enable an account first.`);
  }
  await requireHarmless(read, by, from, { ...owner, managers });
  const documents = choose(await listOwned(read, from.id), named);
  const files = withFiles && owner.type === 'user' ? await findUsage(read, from.id) : undefined;
  const texts = documents.reduce((sum, document) => sum + document.bytes, 0);
  const bytes = texts + (files?.fileBytes ?? 0);
  await requireQuota(context, read, owner.id, { documents: documents.length, bytes });
  return { by, from, owner, managers, documents };
}

/**
 * Requires that a program doesn't let its person, or somebody whom it could have invented, read what
 * they couldn't.
 *
 * @throws FORBIDDEN
 */
async function requireHarmless(
  db: Reader,
  by: Actor | undefined,
  from: AccountRow,
  { id, type, managers }: Owner & { managers: readonly string[] },
): Promise<void> {
  const isTheirs = type === 'organization' && (await findHeldRole(db, id, from.id)) !== undefined;
  if (!isTheirs || (by && managers.includes(by.id))) requirePerson(by, 'handOver');
}

/** @throws UNPROCESSABLE naming `documents` */
function choose(
  owned: readonly OwnedDocument[],
  named: readonly string[] | undefined,
): readonly OwnedDocument[] {
  if (!named) return owned;
  const byName = new Map(
    owned.flatMap((document) => {
      const name = `${document.kind === 'page' ? 'pages/' : ''}${document.name}`;
      return [[document.id, document] as const, [name, document] as const];
    }),
  );
  const chosen = named.map((name) => {
    const document = byName.get(name);
    if (!document) throw refused('documents', `it has no document “${name.slice(0, 100)}”.`);
    return document;
  });
  return [...new Set(chosen)];
}

/** Checks, in each transaction, what may have changed since. */
async function requireSame(tx: Writer, { by, from, owner }: Plan): Promise<void> {
  if (by) await requireAdmin(tx, by);
  const account = await requireAccount(tx, from.username);
  const found = await findOwner(tx, owner.namespace);
  if (account.id === from.id && found?.id === owner.id) return;
  throw new ServiceError(
    'CONFLICT',
    'An account or organization was renamed or deleted meanwhile.',
  );
}

async function giveAway(
  context: Context,
  tx: Writer,
  { by, from, owner, managers }: Plan,
  row: DocumentRow,
): Promise<void> {
  // As it was before the account was disabled.
  const visibilityBefore = (await deleteWithdrawal(tx, row.id)) ?? row.visibility;
  const document = { ...row, visibility: visibilityBefore };
  const actor = by ?? { id: from.id, username: from.username, scopes: [], via: VIA_WEB };
  const name = await nameThere(tx, owner, document);
  const there = { ownerId: owner.id, ownerType: owner.type, name };
  const visibility = await visibilityThere(tx, actor, document, there);
  const to = managers[0] as string;
  await updateLinkMaker(tx, document.id, { from: from.id, to });
  await carryOut(context, tx, {
    document,
    to: { ...there, visibility },
    owner,
    actor,
    audited: by,
    stays: owner.type === 'user' ? owner.id : undefined,
  });
}

/** Returns its name, with a number if the new owner has another document of this name. */
async function nameThere(tx: Writer, owner: Owner, document: DocumentRow): Promise<string> {
  const { id, kind, name } = document;
  const wanted = { ownerId: owner.id, kind, name };
  if (!(await isNameTaken(tx, { ...wanted, exceptId: id }))) return name;
  const free = await findFreeName(tx, wanted);
  if (free === undefined) throw new NameTaken({ ...wanted, owner: owner.namespace });
  return free;
}

/** Returns its visibility, or `private` if the new owner's rules don't let it be public. */
async function visibilityThere(
  tx: Writer,
  actor: Actor,
  document: DocumentRow,
  to: { ownerId: string; name: string },
): Promise<Visibility> {
  const { visibility, kind } = document;
  try {
    await requirePublishable(tx, to.ownerId, visibility);
    await requireAdmissible(tx, actor, document, { ...to, kind, visibility });
    return visibility;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return 'private';
  }
}

/** Records what begins, and mails who gets the documents, and whose they were. */
async function announce(context: Context, tx: Writer, plan: Plan): Promise<void> {
  const { by, from, owner, managers } = plan;
  const number = plan.documents.length;
  const what = number === 1 ? 'one document' : `${number} documents`;
  await audit(context, tx, {
    action: 'account.handed_over',
    ...(by && { actor: by }),
    accountId: from.id,
    ownerId: owner.id,
    subject: from.username,
    detail: { to: owner.namespace, documents: number },
  });
  await queueNoticeTo(context, tx, managers, {
    subject: `${from.username}’s documents were handed over to ${owner.namespace}`,
    says: [
      `${by ? 'An administrator' : 'An operator'} of this server has handed ${what} of ${from.username} over to ${owner.namespace}. ${number === 1 ? 'It has' : 'They have'} a new address; the former one leads to it as long as the account ${from.username} exists.`,
    ],
    link: { label: `Documents of ${owner.namespace}`, path: `/${owner.namespace}` },
    reason: `You get this mail because you answer for what ${owner.namespace} owns.`,
  });
  const event = { what: 'handed over', number, to: owner.namespace } as const;
  await queueSecurityNotice(context, tx, from.id, event, { byAdmin: !!by, byOperator: !by });
}

function refused(field: string, problem: string): FieldError {
  return new FieldError('UNPROCESSABLE', field, problem);
}
