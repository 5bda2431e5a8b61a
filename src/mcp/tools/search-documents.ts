import { Type } from 'typebox';
import {
  type SearchItem,
  searchDocuments as search,
} from '../../document/search/search-service.ts';
import { OneOf } from '../../schema/fields.ts';
import { parseTime } from '../../schema/time.ts';
import { invalidArgument } from '../arguments.ts';
import { KIND_NAMES } from '../document.ts';
import { defineTool } from '../tool.ts';

/** Results in an answer. */
const SIZE = 8;

/** The longest excerpt, in UTF-16 units. */
const MAX_EXCERPT = 120;

export const searchDocuments = defineTool({
  name: 'search_documents',
  title: 'Search documents',
  description:
    'Finds documents that have all words of a query in their text, name or title: your own, those ' +
    'shared with you and those of your organizations. Says why each matches, when it changed and who ' +
    'changed it. Read one with read_document.',
  scope: 'documents:read',
  effect: { reads: true, bringsIn: true },
  input: Type.Object(
    {
      query: Type.String({ minLength: 1, description: 'Words; the last may be a beginning.' }),
      kind: Type.Optional(OneOf(KIND_NAMES, 'Only this kind.')),
      owner: Type.Optional(Type.String({ description: 'Only of this user or organization.' })),
      shared: Type.Optional(Type.Boolean({ description: 'Only those that others own.' })),
      changed_since: Type.Optional(
        Type.String({ description: 'Only what changed after this time (ISO 8601).' }),
      ),
      page: Type.Optional(Type.Integer({ minimum: 1, description: 'Which result page.' })),
    },
    { additionalProperties: false },
  ),
  handler: async ({ context, actor, input }) => {
    const { query, kind, owner, shared, changed_since: since, page = 1 } = input;
    const after = since === undefined ? undefined : readTime(since);
    const isWanted = (item: Pick<SearchItem, 'kind' | 'ownerNamespace' | 'updatedAt'>) =>
      (kind === undefined || item.kind === kind) &&
      (owner === undefined || item.ownerNamespace === owner.toLowerCase()) &&
      (!shared || item.ownerNamespace !== actor.username) &&
      (after === undefined || item.updatedAt > after);
    const found = await search(context, actor, { query, size: SIZE, page, isWanted });
    const { items, next } = found;
    const more = next === undefined ? '' : ` Page ${next} has more.`;
    const count = items.length === 0 ? 'Nothing found' : `Documents found, page ${page}`;
    return {
      summary: `${count}.${more}`,
      data: { ...(next !== undefined && { nextPage: next }) },
      quotations:
        items.length === 0
          ? []
          : [
              {
                what: 'what was found (one document a line)',
                text: items.map(inOneLine).join('\n'),
              },
            ],
    };
  },
});

function readTime(text: string): string {
  const time = parseTime(text);
  if (time === undefined) throw invalidArgument('changed_since', 'must be a time, as ISO 8601');
  return time;
}

/** As JSON: titles and excerpts are their authors' words. */
function inOneLine({ kind, ownerNamespace, name, title, visibility, ...item }: SearchItem): string {
  return JSON.stringify({
    name: `${ownerNamespace}/${name}`,
    ...(kind === 'page' && { kind }),
    ...(title && { title }),
    visibility,
    changed: item.updatedAt.slice(0, 16),
    ...(item.updatedBy && { by: item.updatedBy }),
    ...(item.excerpt.text && { match: item.excerpt.text.slice(0, MAX_EXCERPT) }),
  });
}
