import { FieldError } from '../../base/errors.ts';
import { ALL_KINDS, type Kind } from '../../base/schema/kind.ts';
import type { Call } from '../../core/context.ts';
import type { CompletionRequest } from '../../surfaces/mcp/features.ts';
import { namespaceOf } from '../../surfaces/mcp/person.ts';
import { type LibraryItem, listLibrary } from '../library/library-service.ts';

/** The most values in an answer (MCP, "Completion"). */
const MAX_VALUES = 100;

/**
 * Completes the owner, name or kind of a document, in a prompt or in a resource's URI, from the
 * actor's own documents, shared ones and those of the actor's organizations, last changed first.
 * Other arguments have no values to offer.
 */
export async function complete(
  call: Call,
  request: CompletionRequest,
): Promise<{ values: string[]; hasMore: boolean }> {
  const { name, value } = request.argument;
  if (name === 'kind') return { values: beginning(ALL_KINDS, value), hasMore: false };
  if (name !== 'owner' && name !== 'name') return { values: [], hasMore: false };
  const given = request.given;
  const kind = request.kind ?? kindOf(given.kind);
  const { items, hasMore } = await find(call, {
    ...(kind && { kind }),
    ...(name === 'name' && given.owner && { owner: namespaceOf(given.owner).toLowerCase() }),
    filter: value,
  });
  const values =
    name === 'owner'
      ? [call.actor.username, ...items.map(({ ownerNamespace }) => ownerNamespace)]
      : items.map((item) => item.name);
  return { values: beginning(new Set(values), value).slice(0, MAX_VALUES), hasMore };
}

async function find(
  call: Call,
  which: { kind?: Kind; owner?: string; filter: string },
): Promise<{ items: LibraryItem[]; hasMore: boolean }> {
  try {
    const list = { place: 'recent', size: MAX_VALUES, ...which } as const;
    const { items, next } = await listLibrary(call, list);
    return { items, hasMore: next !== undefined };
  } catch (error) {
    // What was typed can't be an owner or is too long, so nothing begins with it.
    if (error instanceof FieldError && error.code === 'BAD_REQUEST') {
      return { items: [], hasMore: false };
    }
    throw error;
  }
}

function kindOf(text: string | undefined): Kind | undefined {
  return ALL_KINDS.find((kind) => kind === text);
}

function beginning(values: Iterable<string>, typed: string): string[] {
  const start = typed.trim().toLowerCase();
  return [...values].filter((value) => value.startsWith(start));
}
