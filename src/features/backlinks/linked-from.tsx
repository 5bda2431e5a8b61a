import type { JSX } from 'preact';
import { shownTitle } from '../../core/document/shown-title.ts';
import { documentPath, type Titled } from '../../surfaces/web/addresses.ts';

/** Lists what links to a document; nothing if nothing does. */
export function LinkedFrom({ documents }: { documents: readonly Titled[] }): JSX.Element | null {
  if (documents.length === 0) return null;
  return (
    <aside class="linked-from" aria-labelledby="linked-from-title">
      <h2 id="linked-from-title">Linked from</h2>
      <ul>
        {documents.map((document) => (
          <li>
            <a
              href={documentPath('read', document)}
              title={`${document.ownerNamespace}/${document.name}`}
            >
              {shownTitle(document)}
            </a>
          </li>
        ))}
      </ul>
    </aside>
  );
}
