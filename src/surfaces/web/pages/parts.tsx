import type { ComponentChildren, JSX } from 'preact';
import type { SeenBy } from '../../../base/schema/visibility.ts';
import { Icon, type IconName } from './icons.tsx';

const SEEN_BY = {
  public: {
    icon: 'globe',
    label: 'Public',
    inShort: 'anyone can read',
    means: 'Anyone on the web can read this.',
  },
  internal: {
    icon: 'building-2',
    label: 'Internal',
    inShort: 'members can read',
    means: 'Members of the organization can read this.',
  },
  private: {
    icon: 'lock',
    label: 'Private',
    inShort: 'invited people only',
    means: 'Only the owner and people who are invited can read this.',
  },
  link: {
    icon: 'link',
    label: 'Anyone with the link',
    inShort: 'can read',
    means: 'Anyone who has the secret link can read this, without an account.',
  },
} as const satisfies Record<
  SeenBy,
  { icon: IconName; label: string; inShort: string; means: string }
>;

/** Returns who can see a document as a label, its icon, and what it means: in brief and in full. */
export function visibilityWords<By extends SeenBy>(by: By): (typeof SEEN_BY)[By] {
  return SEEN_BY[by];
}

/** Says who can see a document. */
export function VisibilityBadge({ seenBy }: { seenBy: SeenBy }): JSX.Element {
  const { icon, label, means } = SEEN_BY[seenBy];
  return (
    <span class="visibility" title={means}>
      <Icon name={icon} />
      <span>{label}</span>
    </span>
  );
}

/** Renders what replaces an empty list: what the list is for, and how to fill it. */
export function EmptyState(props: { title: string; children: ComponentChildren }): JSX.Element {
  return (
    <section class="empty-state">
      <h2>{props.title}</h2>
      {props.children}
    </section>
  );
}

/** Renders the screen's heading with its actions. */
export function PageHead(props: {
  title: ComponentChildren;
  /** The document that the screen is about, if the heading names only its title. */
  address?: { ownerNamespace: string; name: string };
  children?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="page-head">
      <div>
        <h1>{props.title}</h1>
        {props.address && (
          <p class="page-address">
            {props.address.ownerNamespace}/{props.address.name}
          </p>
        )}
      </div>
      {props.children && <div class="page-actions">{props.children}</div>}
    </div>
  );
}

/** @param props.tabs.isHere `within` on another page that the tab leads to */
export function Tabs(props: {
  label: string;
  tabs: readonly { href: string; label: string; isHere: boolean | 'within'; count?: number }[];
}): JSX.Element {
  return (
    <nav class="tabs" aria-label={props.label}>
      <ul>
        {props.tabs.map(({ href, label, isHere, count }) => (
          <li>
            <a
              href={href}
              aria-current={isHere === 'within' ? 'true' : isHere ? 'page' : undefined}
            >
              {label}
              {count !== undefined && <span class="count">{count}</span>}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Renders fields that a form sends besides the visible ones. */
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

/**
 * Renders the field that says which document a form acts on. Its address may lead to another one by
 * the time the form is sent. Every form of a document's screens has it.
 */
export function DocumentField({ document }: { document: { id: string } }): JSX.Element {
  return <input type="hidden" name="document" value={document.id} />;
}

export function ButtonForm(props: {
  action: string;
  fields?: Readonly<Record<string, string>>;
  label: ComponentChildren;
  /** The name for screen readers, when the label alone is ambiguous. */
  name?: string;
  /** Whether the answer can be another screen, which a dialog around the form must not take. */
  leaves?: boolean;
  class?:
    | 'primary'
    | 'primary small'
    | 'secondary'
    | 'secondary small'
    | 'danger'
    | 'quiet'
    | 'quiet small';
}): JSX.Element {
  return (
    <form method="post" action={props.action} target={props.leaves ? '_top' : undefined}>
      <HiddenFields fields={props.fields} />
      <button type="submit" class={props.class ?? 'secondary'} aria-label={props.name}>
        {props.label}
      </button>
    </form>
  );
}

/** Renders the button of a form, and a link that leaves the form, if it has one. */
export function FormActions(props: {
  label: string;
  /** The address that Cancel leads to. */
  back?: string;
  class?: 'primary' | 'danger';
}): JSX.Element {
  return (
    <p class="form-actions">
      <button type="submit" class={props.class ?? 'primary'}>
        {props.label}
      </button>
      {props.back !== undefined && (
        <a class="quiet" href={props.back} data-closes>
          Cancel
        </a>
      )}
    </p>
  );
}

/** Renders a form that confirms a destructive action, with a Cancel link. */
export function ConfirmForm(props: {
  action: string;
  fields?: Readonly<Record<string, string>>;
  label: string;
  /** The address that Cancel leads to. */
  back: string;
}): JSX.Element {
  return (
    <form method="post" action={props.action}>
      <HiddenFields fields={props.fields} />
      <FormActions label={props.label} back={props.back} class="danger" />
    </form>
  );
}

/** Renders a button that copies a link; without scripts, the link itself. */
export function CopyButton({ text, name }: { text: string; name: string }): JSX.Element {
  return (
    <>
      <button
        type="button"
        class="secondary needs-script"
        data-action="copy-text"
        data-text={text}
        aria-label={name}
      >
        <span class="label">Copy</span>
      </button>
      <noscript>
        <a href={text}>{name}</a>
      </noscript>
    </>
  );
}

/** Renders a read-only text field with a button that copies its text. */
export function CopyLine(props: { text: string; label: string; button?: string }): JSX.Element {
  return (
    <div class="copy-line">
      <input type="text" readonly value={props.text} aria-label={props.label} />
      <button
        type="button"
        class="secondary needs-script"
        data-action="copy-text"
        data-text={props.text}
      >
        <span class="label">{props.button ?? 'Copy'}</span>
      </button>
    </div>
  );
}
