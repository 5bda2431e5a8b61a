import type { JSX } from 'preact';
import { shownTitle } from '../../core/document/shown-title.ts';
import { fromTemplatePath } from '../../surfaces/web/addresses.ts';
import { Icon } from '../../surfaces/web/pages/icons.tsx';
import type { Template } from './template-service.ts';

/** Offers texts to start a new brief with. Each is a link, so that it works without scripts. */
export function TemplateMenu({
  templates,
}: {
  templates: readonly Template[];
}): JSX.Element | null {
  const [first] = templates;
  if (!first) return null;
  const hasOthers = templates.some(({ ownerNamespace }) => ownerNamespace !== first.ownerNamespace);
  return (
    <details class="menu template-menu" data-menu>
      <summary class="quiet small">Templates</summary>
      <ul class="menu-items">
        {templates.map((template) => (
          <li>
            <a class="menu-item" href={fromTemplatePath(template)}>
              <Icon name="file-text" />
              <span class="template-title">{shownTitle(template)}</span>
              {hasOthers && <span class="hint">{template.ownerNamespace}</span>}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}
