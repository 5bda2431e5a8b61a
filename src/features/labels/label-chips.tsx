import type { JSX } from 'preact';

/**
 * Lists a document's labels.
 *
 * @param props.hrefOf returns the address of the list of documents with a label; without it, labels
 *   are not links
 */
export function LabelChips(props: {
  labels: readonly string[];
  hrefOf?: ((label: string) => string) | undefined;
}): JSX.Element | null {
  const { labels, hrefOf } = props;
  if (labels.length === 0) return null;
  return (
    <ul class="labels" aria-label="Labels">
      {labels.map((label) => (
        <li>
          {hrefOf ? (
            <a class="label-chip" href={hrefOf(label)}>
              {label}
            </a>
          ) : (
            <span class="label-chip">{label}</span>
          )}
        </li>
      ))}
    </ul>
  );
}
