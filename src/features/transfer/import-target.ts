import type { Kind } from '../../base/schema/kind.ts';
import type { Visibility } from '../../base/schema/visibility.ts';
import { nameFromFile, nameFromHeading } from '../../base/text/document-name.ts';
import type { Call } from '../../core/context.ts';
import type { OwnerRef } from '../../core/owner/document-owner-service.ts';
import { type ImportBudget, stemOf } from './import-rules.ts';

export interface ImportOptions {
  visibility: Visibility;
  /** What to do if the name is taken: skip the file, or add a number to the name. */
  ifTaken: 'skip' | 'number';
  /**
   * Requires that the actor is still signed in. Called before each document is created, because the
   * client decides how long its files take to arrive.
   *
   * @throws UNAUTHORIZED
   */
  requireSession(): Promise<void>;
}

/** Where to import, and for whom. */
export interface Target {
  call: Call;
  owner: OwnerRef & { id: string };
  options: ImportOptions;
  budget: ImportBudget;
  /** The next number to try, by kind and name. */
  numbers: Map<string, number>;
}

/** Returns the name that a file gives its document; `undefined` if it gives none. */
export async function baseNameOf(
  { markdown, actor }: Call,
  kind: Kind,
  path: string,
  text: string,
): Promise<string | undefined> {
  const own = nameFromFile(stemOf(path));
  if (own !== undefined) return own;
  const heading = await (kind === 'brief'
    ? markdown.firstHeading(actor.id, text)
    : markdown.htmlTitle(actor.id, text));
  return heading && nameFromHeading(heading);
}
