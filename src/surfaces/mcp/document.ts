import { isDeepStrictEqual } from 'node:util';
import type { ResourceLink } from '@modelcontextprotocol/server';
import { type TObject, Type } from 'typebox';
import { ALL_KINDS, KINDS, type Kind } from '../../base/schema/kind.ts';
import { VISIBILITIES } from '../../base/schema/visibility.ts';
import { type Call, type Context, callOf } from '../../core/context.ts';
import {
  appUrl,
  documentUrl,
  type RevisionRef,
  refOfAddress,
  refOfPath,
  renderUrl,
} from '../../core/document/addresses.ts';
import type { Seen } from '../../core/document/authorize.ts';
import type { DocumentMoved } from '../../core/document/document-moved.ts';
import { type DocumentRef, normaliseRef } from '../../core/document/document-ref.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import { linkSecretOf } from '../../core/document/link.ts';
import { LinkLocked, openLink } from '../../core/document/linked-document-service.ts';
import { REVIEW_LIMITS } from '../../core/review/thread.ts';
import { parseRevisionName } from '../../core/revision/revision-name.ts';
import { MAX_MESSAGE, RevisionNumber } from '../../core/revision/revision-schema.ts';
import { invalidArgument } from './arguments.ts';
import { Choice } from './choice.ts';
import { OptionalText } from './optional-text.ts';
import { namespaceOf } from './person.ts';
import { documentUri, parseDocumentUri } from './uri.ts';

export const KindArgument = Type.Optional(Choice(ALL_KINDS, { default: 'brief' }));

export const DOCUMENT_NAME = { description: 'Or owner/name, or an address.' };

/** The arguments that name a document. Read them with {@link refOf}. */
export const DocumentArguments = {
  kind: KindArgument,
  owner: OptionalText(),
  name: Type.String(DOCUMENT_NAME),
};

export const VisibilityArgument = Type.Optional(
  Choice(VISIBILITIES, {
    description: 'For everyone, collaborators, or the organization’s members.',
  }),
);

export const IfMatchArgument = OptionalText({ description: 'An etag.' });

export const BaseRevisionArgument = Type.Optional(RevisionNumber('The revision you read.'));

export const MessageArgument = Type.Optional(
  Type.String({ maxLength: MAX_MESSAGE, description: 'For the history.' }),
);

export const ResolvesArgument = Type.Optional(
  Type.Array(Type.String(), {
    minItems: 1,
    maxItems: REVIEW_LIMITS.together,
    description: 'Threads that this answers.',
  }),
);

/** Returns what every tool shows of a document. */
export function presentSummary(
  addresses: { webUrl: string; renderUrl: string },
  { document, level, etag }: Seen<DocumentRow>,
) {
  const { kind, id, name, ownerNamespace } = document;
  return {
    kind,
    owner: ownerNamespace,
    name,
    id,
    url: documentUrl(addresses.webUrl, document),
    appUrl: appUrl(addresses.webUrl, document),
    ...(kind === 'page' && { renderUrl: renderUrl(addresses.renderUrl, document) }),
    visibility: document.visibility,
    permission: level,
    sizeBytes: document.sizeBytes,
    updatedAt: document.updatedAt,
    revision: document.version,
    etag,
  };
}

/**
 * Returns a reference to the document that arguments name. `name` is a name, `owner/name`, the
 * document's address on any surface, or its resource URI. The owner defaults to the actor, and the
 * kind to `brief`.
 *
 * @param argument what the tool calls `name`
 * @throws InvalidArguments if the address is not a document's of this service, if it is a
 *   revision's, or if the arguments disagree
 */
export function refOf(call: Call, input: NamedDocument, argument = 'name'): DocumentRef {
  const { revision, ...ref } = revisionRefOf(call, input, argument);
  if (revision === undefined) return ref;
  throw invalidArgument(
    argument,
    `means revision ${revision}; leave out "@${revision}" to mean the document`,
  );
}

interface NamedDocument {
  kind?: Kind;
  owner?: string;
  name: string;
}

/**
 * Does the same as {@link refOf}, and also accepts a revision's address.
 *
 * @throws InvalidArguments
 */
export function revisionRefOf(call: Call, input: NamedDocument, argument = 'name'): RevisionRef {
  const { kind, owner, ...named } = refInName(call, input.name, argument);
  const asked = input.owner;
  if (kind && input.kind && kind !== input.kind) {
    throw invalidArgument('kind', `is ${input.kind}, but ${argument} is the address of a ${kind}`);
  }
  if (owner && asked && owner.toLowerCase() !== asked.toLowerCase()) {
    throw invalidArgument('owner', `is "${input.owner}", but ${argument} says "${owner}"`);
  }
  return {
    kind: kind ?? input.kind ?? 'brief',
    owner: owner ?? asked ?? call.actor.username,
    ...named,
  };
}

/** The arguments that name documents, in every tool that has them. */
interface NamingArguments {
  kind?: Kind;
  owner?: string;
  name?: string;
  documents?: string[];
}

/**
 * Takes what follows `#` from the addresses in a call's arguments: no document's name has that sign.
 * A bare name is left to tools that could create a document of that name, which then refuse it.
 *
 * @param schema the tool's arguments
 */
export function withoutAnchor<Input extends NamingArguments>(
  input: Input,
  schema: TObject,
): { input: Input; anchor: string | undefined } {
  let anchor: string | undefined;
  const plain = (given: string): string => {
    const at = given.indexOf('#');
    if (at < 1 || !(given.includes('/') || 'section' in schema.properties)) return given;
    anchor ??= decodedAnchor(given.slice(at + 1)) || undefined;
    return given.slice(0, at);
  };
  const { name, documents } = input;
  const changed = {
    ...input,
    ...(name !== undefined && { name: plain(name) }),
    ...(documents && { documents: documents.map(plain) }),
  };
  return { input: changed, anchor };
}

function decodedAnchor(anchor: string): string {
  try {
    return decodeURIComponent(anchor);
  } catch {
    return anchor;
  }
}

/**
 * Opens the secret link that a call names a document by. The actor then has what the link allows,
 * beside its own rights, for this document alone.
 *
 * @returns the arguments with the document's name; `undefined` if they have no such link
 * @throws InvalidArguments for a link with a password; NOT_FOUND if it opens nothing
 */
export async function throughLink<Input extends NamingArguments>(
  call: Call,
  { kind: _kind, owner: _owner, ...input }: Input,
): Promise<{ input: Input; call: Call } | undefined> {
  const secret = linkSecretOf(call.webUrl, input.name?.trim() ?? '');
  if (secret === undefined) return undefined;
  const { link, document } = await openLink(call, secret, undefined).catch((error: unknown) => {
    if (!(error instanceof LinkLocked)) throw error;
    throw invalidArgument('name', 'is a secret link with a password, which only browsers can open');
  });
  const { kind, ownerNamespace, name } = document;
  const path = [ownerNamespace, ...KINDS[kind].webSegments, name].join('/');
  return {
    input: { ...input, kind, name: path } as unknown as Input,
    call: callOf(call, { ...call.actor, linkId: link.id }),
  };
}

/** Returns a call's arguments with the current owner and name of a moved document. */
export function argumentsOfMoved<Input extends NamingArguments>(
  call: Call,
  input: Input,
  { from, to }: DocumentMoved,
): Input {
  const nameNow = (given: string): string => {
    const { kind, owner, name, revision } = refInName(call, given, 'name');
    const meant = normaliseRef({
      kind: kind ?? input.kind ?? from.kind,
      owner: owner ?? input.owner ?? call.actor.username,
      name,
    });
    if (!isDeepStrictEqual(meant, normaliseRef(from))) return given;
    const path = [to.owner, ...KINDS[to.kind].webSegments, to.name].join('/');
    return revision === undefined ? path : `${path}@${revision}`;
  };
  const { name, owner, documents } = input;
  return {
    ...input,
    ...(name !== undefined && { name: nameNow(name) }),
    ...(owner !== undefined && { owner: to.owner }),
    ...(documents && { documents: documents.map(nameNow) }),
  };
}

/** Parses a `name` argument. A path such as `ada/plans` does not say which kind it is. */
function refInName(
  context: Context,
  given: string,
  argument: string,
): NamedDocument & { revision?: number } {
  const name = given.trim();
  if (!name.includes('/')) {
    // No name ends like a file.
    const stem = name.replace(/(?<=.)\.(md|html)$/i, '');
    const revision = parseRevisionName(stem);
    return revision ? { name: revision.name, revision: revision.number } : { name: stem };
  }
  if (URL.canParse(name)) {
    const ref = parseDocumentUri(name) ?? refOfAddress(context, name);
    if (ref) return { ...ref, owner: namespaceOf(ref.owner) };
    throw invalidArgument(argument, 'is not the address of a document of this service');
  }
  const ref = refOfPath(namespaceOf(name.replace(/^\//, '')).replace(/\/$/, '').split('/'));
  if (!ref)
    throw invalidArgument(argument, 'must be a name, owner/name, or the address of a document');
  if (ref.kind !== 'brief') return ref;
  // Without `pages`, the path does not say which kind it is.
  const { kind: _, ...named } = ref;
  return named;
}

export function inWords({ kind, ownerNamespace, name }: DocumentRow): string {
  return `${kind} ${ownerNamespace}/${name}`;
}

/** Returns a link to a document, for hosts that read resources. */
export function documentLink({
  kind,
  ownerNamespace: owner,
  name,
  sizeBytes,
}: DocumentRow): ResourceLink {
  return {
    type: 'resource_link',
    uri: documentUri({ kind, owner, name }),
    name: `${owner}/${name}`,
    mimeType: MEDIA_TYPES[kind],
    size: sizeBytes,
  };
}

export const MEDIA_TYPES = {
  brief: 'text/markdown',
  page: 'text/html',
} as const satisfies Record<Kind, string>;
