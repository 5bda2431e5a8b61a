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

/** How many templates stand below an empty text; the menu has all. */
const IN_ROW = 5;

/** Offers the first templates below an empty text. The editor's script shows it there. */
export function TemplateRow({ templates }: { templates: readonly Template[] }): JSX.Element | null {
  if (templates.length === 0) return null;
  return (
    <nav class="template-row needs-script" id="template-row" aria-label="Start with a template">
      <span aria-hidden="true">Or start with</span>
      {templates.slice(0, IN_ROW).map((template) => (
        <a class="secondary small" href={fromTemplatePath(template)}>
          {shownTitle(template)}
        </a>
      ))}
    </nav>
  );
}
