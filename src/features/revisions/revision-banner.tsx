import type { ComponentChildren, JSX } from 'preact';
import { Day } from '../../surfaces/web/pages/format.tsx';

/** A pinned text, which its link always shows. */
export interface PinnedRevision {
  number: number;
  /** A username; undefined when the account is gone. */
  author: string | undefined;
  createdAt: string;
  /** The address of the current text. */
  current: string;
}

/** Renders a banner above a text that says which revision it is. */
export function RevisionBanner(props: {
  label: string;
  facts: ComponentChildren;
  children?: ComponentChildren;
}): JSX.Element {
  return (
    <aside class="revision-banner" aria-label={props.label}>
      <p>
        <strong>{props.label}</strong>, {props.facts}
      </p>
      {props.children && <div class="revision-acts">{props.children}</div>}
    </aside>
  );
}

/** Renders the banner for anyone with the link of a pinned revision. */
export function PinnedBanner(revision: PinnedRevision): JSX.Element {
  const { number, author, createdAt, current } = revision;
  return (
    <RevisionBanner
      label={`Revision ${number}`}
      facts={
        <>
          saved {author !== undefined && `by ${author} `}on <Day at={createdAt} />. This link always
          shows this text.
        </>
      }
    >
      <a class="secondary small" href={current}>
        Current text
      </a>
    </RevisionBanner>
  );
}
