import { FieldError, ServiceError } from '../../base/errors.ts';
import { ALL_KINDS } from '../../base/schema/kind.ts';
import type { Reach } from '../../storage/sql/narrowed.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import type { Call } from '../context.ts';
import { parseNamespace } from '../owner/namespace.ts';
import { requireOrganization } from '../owner/organization-service.ts';
import { refOfAddress, refOfPath } from './addresses.ts';
import { requireDocument } from './authorize.ts';
import { DocumentMoved } from './document-moved.ts';

/** The most documents and owners of one program. */
const MAX_REACH = 100;

/**
 * Finds what a new program is to be limited to.
 *
 * @param text documents, as `owner/name` or addresses, and namespaces of the actor or of its
 *   organizations, separated by commas or white space
 * @returns `undefined` for an empty text: no limit
 * @throws UNPROCESSABLE naming `reach`, also for what the actor can't read
 */
export async function resolveReach(call: Call, text: string): Promise<Reach | undefined> {
  const items = [...new Set(text.split(/[\s,]+/).filter((item) => item !== ''))];
  if (items.length === 0) return undefined;
  if (items.length > MAX_REACH) throw wrong(`choose at most ${MAX_REACH} documents and owners.`);
  const owners: string[] = [];
  const documents: string[] = [];
  for (const item of items) {
    if (item.includes('/')) documents.push(await documentOf(call, item));
    else owners.push(await ownerOf(call, item));
  }
  return { owners, documents };
}

async function ownerOf({ sql, actor }: Call, item: string): Promise<string> {
  const namespace = parseNamespace(item.replace(/^@/, ''));
  if (namespace === actor.username) return actor.id;
  const organization =
    namespace && (await requireOrganization(sql.read, actor, namespace).catch(unlessMissing));
  if (organization && organization.role !== null) return organization.id;
  throw wrong(`“${item}” is neither you nor an organization that you belong to.`);
}

async function documentOf(call: Call, item: string): Promise<string> {
  const path = item.replace(/^[/@]+/, '').split('/');
  const ref = URL.canParse(item) ? refOfAddress(call, item) : refOfPath(path);
  const isSure = ref && (ref.kind !== 'brief' || URL.canParse(item));
  for (const kind of isSure ? [ref.kind] : ALL_KINDS) {
    const seen =
      ref &&
      (await requireDocument(call.sql.read, call.actor, { ...ref, kind }, 'read').catch(
        unlessMissing,
      ));
    if (seen) return seen.document.id;
  }
  throw wrong(`there is no document “${item}” that you can read.`);
}

function unlessMissing(error: unknown): undefined {
  if (!(error instanceof ServiceError || error instanceof DocumentMoved)) throw error;
}

function wrong(problem: string): FieldError {
  return new FieldError('UNPROCESSABLE', 'reach', problem);
}

/** Lists what programs are limited to, as people write it, of what there still is. */
export async function describeReach(db: Reader, reach: Reach | undefined): Promise<string[]> {
  if (!reach) return [];
  const owners = await db
    .selectFrom('owner')
    .where('id', 'in', reach.owners.length > 0 ? reach.owners : [''])
    .select('namespace')
    .execute();
  const documents = await db
    .selectFrom('document')
    .innerJoin('owner', 'owner.id', 'document.ownerId')
    .where('document.id', 'in', reach.documents.length > 0 ? reach.documents : [''])
    .select(['owner.namespace', 'document.name'])
    .execute();
  return [
    ...owners.map(({ namespace }) => `all of ${namespace}`),
    ...documents.map(({ namespace, name }) => `${namespace}/${name}`),
  ].sort();
}
