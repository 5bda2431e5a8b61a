import type { ComponentChildren, JSX } from 'preact';
import type { Visibility } from '../../../document/access.ts';
import { Icon, type IconName } from '../icons.tsx';

const VISIBILITY = {
  public: { icon: 'globe', label: 'Public', means: 'Anyone on the web can read this.' },
  internal: {
    icon: 'building-2',
    label: 'Internal',
    means: 'Members of the organization can read this.',
  },
  private: {
    icon: 'lock',
    label: 'Private',
    means: 'Only the owner and people who are invited can read this.',
  },
} as const satisfies Record<Visibility, { icon: IconName; label: string; means: string }>;

/** What a visibility is called, and what follows from it. */
export function visibilityWords(visibility: Visibility): (typeof VISIBILITY)[Visibility] {
  return VISIBILITY[visibility];
}

/** Who may read, as an icon and a word. */
export function VisibilityBadge({ visibility }: { visibility: Visibility }): JSX.Element {
  const { icon, label, means } = VISIBILITY[visibility];
  return (
    <span class="visibility" title={means}>
      <Icon name={icon} />
      <span>{label}</span>
    </span>
  );
}

/** A person's initials; the name stands beside it. */
export function Avatar({ username }: { username: string }): JSX.Element {
  const parts = username.split('-');
  const initials = parts.length > 1 ? `${parts[0]?.[0]}${parts[1]?.[0]}` : username.slice(0, 2);
  return (
    <span class="avatar" aria-hidden="true">
      {initials}
    </span>
  );
}

/** What stands where a list has nothing yet: what it is for, and how it fills. */
export function EmptyState(props: { title: string; children: ComponentChildren }): JSX.Element {
  return (
    <section class="empty-state">
      <h2>{props.title}</h2>
      {props.children}
    </section>
  );
}

/** A page's heading, with what can be done on the page as a whole. */
export function PageHead(props: {
  title: ComponentChildren;
  children?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="page-head">
      <h1>{props.title}</h1>
      {props.children && <div class="page-actions">{props.children}</div>}
    </div>
  );
}

/** Addresses of parts of one thing, of which one is shown. */
export function Tabs(props: {
  label: string;
  tabs: readonly { href: string; label: string; isHere: boolean; count?: number }[];
}): JSX.Element {
  return (
    <nav class="tabs" aria-label={props.label}>
      <ul>
        {props.tabs.map(({ href, label, isHere, count }) => (
          <li>
            <a href={href} aria-current={isHere ? 'page' : undefined}>
              {label}
              {count !== undefined && <span class="count">{count}</span>}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** What a form sends besides what its button says. */
export function HiddenFields({
  fields = {},
}: {
  fields?: Readonly<Record<string, string>> | undefined;
}): JSX.Element {
  return (
    <>
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
    </>
  );
}

/** A form of one button. */
export function ButtonForm(props: {
  action: string;
  fields?: Readonly<Record<string, string>>;
  label: ComponentChildren;
  /** For those who do not see what the button stands beside. */
  name?: string;
  class?: 'primary' | 'secondary' | 'secondary small' | 'danger' | 'quiet';
}): JSX.Element {
  return (
    <form method="post" action={props.action}>
      <HiddenFields fields={props.fields} />
      <button type="submit" class={props.class ?? 'secondary'} aria-label={props.name}>
        {props.label}
      </button>
    </form>
  );
}

/** The last step before something that cannot be undone, and the way back. */
export function ConfirmForm(props: {
  action: string;
  fields?: Readonly<Record<string, string>>;
  label: string;
  /** Where it stays as it is. */
  back: string;
}): JSX.Element {
  return (
    <form method="post" action={props.action}>
      <HiddenFields fields={props.fields} />
      <p class="form-actions">
        <button type="submit" class="danger">
          {props.label}
        </button>
        <a class="quiet" href={props.back} data-closes>
          Keep it
        </a>
      </p>
    </form>
  );
}

/** Text with a button that copies it. */
export function CopyLine(props: { text: string; label: string }): JSX.Element {
  return (
    <div class="copy-line">
      <input type="text" readonly value={props.text} aria-label={props.label} />
      <button
        type="button"
        class="secondary needs-script"
        data-action="copy-text"
        data-text={props.text}
      >
        <span class="label">Copy</span>
      </button>
    </div>
  );
}
