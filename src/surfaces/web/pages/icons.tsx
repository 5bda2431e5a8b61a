import type { JSX } from 'preact';
import outlines from '../../../../vendor/lucide/icons.json' with { type: 'json' };

export type IconName = keyof typeof outlines;

/** Renders an icon without an accessible name; the element around it has one. */
export function Icon({ name, class: more }: { name: IconName; class?: string }): JSX.Element {
  return (
    <svg
      class={more ? `icon ${more}` : 'icon'}
      viewBox="0 0 24 24"
      aria-hidden="true"
      dangerouslySetInnerHTML={{ __html: outlines[name] }}
    />
  );
}

/** Renders the product's mark: a sheet with two lines, cut like a bookmark. */
export function Mark(): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d="M5 3h14v18l-7-4-7 4zM9 8h6M9 12h4" />
    </svg>
  );
}
