import type { JSX } from 'preact';
import { Icon, type IconName } from './icons.tsx';

export function MenuLink(link: {
  href: string;
  icon: IconName;
  label: string;
  /** Whether it opens as a dialog over the screen. */
  isDialog?: boolean;
}): JSX.Element {
  return (
    <li>
      <a class="menu-item" href={link.href} data-dialog={link.isDialog ? '' : undefined}>
        <Icon name={link.icon} />
        <span>{link.label}</span>
      </a>
    </li>
  );
}

export function CopyLinkItem(props: {
  link: string;
  /** Whom the link works for. */
  hint?: string;
}): JSX.Element {
  const { link, hint } = props;
  return (
    <li class="needs-script">
      <button type="button" class="menu-item" data-action="copy-text" data-text={link}>
        <Icon name="link" />
        <span>
          <span class="label">Copy link</span>
          {hint && <span class="menu-hint">{hint}</span>}
        </span>
      </button>
    </li>
  );
}

/** Begins a group of menu items. */
export function MenuGroup({ label }: { label: string }): JSX.Element {
  return <li class="menu-group">{label}</li>;
}
