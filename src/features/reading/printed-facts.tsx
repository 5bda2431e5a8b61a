import type { JSX } from 'preact';
import { Day } from '../../surfaces/web/pages/format.tsx';

/** The facts about a text that are printed, because paper has no bar. */
export interface PrintedFacts {
  owner: string;
  name: string;
  /** Undefined for readers who can't see the history. */
  revision: number | undefined;
  /** When this revision was saved. */
  savedAt: string;
  /** A username; undefined when the account is gone. */
  savedBy: string | undefined;
  /** The absolute address; undefined if it is a secret. */
  url: string | undefined;
}

/** Returns the facts to print of a text that a secret link opened. */
export function linkedFacts(document: {
  ownerNamespace: string;
  name: string;
  updatedAt: string;
}): PrintedFacts {
  const { ownerNamespace: owner, name, updatedAt: savedAt } = document;
  return { owner, name, savedAt, revision: undefined, savedBy: undefined, url: undefined };
}

/** Renders the facts in one line, shown only on paper. */
export function PrintedFactsLine(facts: PrintedFacts): JSX.Element {
  const { owner, name, revision, savedAt, savedBy, url } = facts;
  return (
    <p class="printed-facts">
      {`${owner} / ${name} · ${revision === undefined ? '' : `Revision ${revision}, `}`}
      <Day at={savedAt} />
      {savedBy !== undefined && ` by ${savedBy}`}
      {url !== undefined && ` · ${url}`}
    </p>
  );
}
