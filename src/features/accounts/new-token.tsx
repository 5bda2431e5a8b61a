import type { JSX } from 'preact';
import { MAX_SHOWN_NAME_CHARACTERS } from '../../base/text/shown-name.ts';
import { ALL_SCOPES, type Scope, USUAL_SCOPES } from '../../core/identity/scope.ts';
import { SCOPE_DESCRIPTIONS } from '../../core/identity/scope-descriptions.ts';
import type { Demand } from '../../core/owner/program-service.ts';
import type { Faults } from '../../surfaces/web/form.ts';
import { Checkboxes, Field, FormFault, Notes } from '../../surfaces/web/pages/form-field.tsx';
import { FormActions } from '../../surfaces/web/pages/parts.tsx';
import { settingsPath } from '../../surfaces/web/pages/settings-page.tsx';
import { Demands, ReachField } from '../policies/reach.tsx';

export const LIFETIMES = [
  { value: '7', label: '7 days', days: 7 },
  { value: '30', label: '30 days', days: 30 },
  { value: '90', label: '90 days', days: 90 },
  { value: '365', label: '1 year', days: 365 },
  { value: 'none', label: 'Never', days: undefined },
] as const;

export interface TokenForm {
  name: string;
  scopes: readonly Scope[];
  lifetime: string;
  /** What to limit it to, as typed. */
  reach: string;
}

export const EMPTY_FORM: TokenForm = {
  name: '',
  scopes: ['documents:read', 'documents:write'],
  lifetime: '30',
  reach: '',
};

/** What an agent needs to write documents, share them and answer comments. */
export const AGENT_FORM: TokenForm = {
  ...EMPTY_FORM,
  scopes: ['documents:read', 'documents:write', 'comments', 'sharing'],
};

export function NewToken(props: {
  form: TokenForm;
  faults: Faults;
  /** Whether to offer `admin`. */
  canAdminister: boolean;
  /** What organizations demand of it. */
  demands: readonly Demand[];
}): JSX.Element {
  const { form, faults, canAdminister, demands } = props;
  const offered = canAdminister ? ALL_SCOPES : USUAL_SCOPES;
  return (
    <section aria-labelledby="new-token">
      <h2 id="new-token">Create token</h2>
      <form class="form" method="post" action={settingsPath('tokens')}>
        <FormFault fault={faults.form} />
        <Field
          name="name"
          label="Name"
          value={form.name}
          fault={faults.name}
          hint="Where you’ll use it, such as “laptop” or “CI”."
          autocomplete="off"
          maxLength={MAX_SHOWN_NAME_CHARACTERS}
          focused={faults.name !== undefined}
        />
        <Checkboxes
          name="scopes"
          legend="Permissions"
          options={offered.map((scope) => [scope, SCOPE_DESCRIPTIONS[scope]] as const)}
          checked={form.scopes}
          fault={faults.scopes}
        />
        <ReachField value={form.reach} fault={faults.reach} what="token" />
        <Lifetime chosen={form.lifetime} fault={faults.lifetime} />
        <Demands demands={demands} what="token" />
        <FormActions label="Create token" />
      </form>
    </section>
  );
}

function Lifetime({ chosen, fault }: { chosen: string; fault: string | undefined }): JSX.Element {
  return (
    <div class="field">
      <label for="lifetime">Expires</label>
      <select
        id="lifetime"
        name="lifetime"
        aria-invalid={fault ? 'true' : undefined}
        aria-describedby={fault ? 'lifetime-hint lifetime-fault' : 'lifetime-hint'}
      >
        {LIFETIMES.map(({ value, label }) => (
          <option value={value} selected={value === chosen}>
            {label}
          </option>
        ))}
      </select>
      <p class="hint" id="lifetime-hint">
        When it has expired, create a new token. A token that never expires is risky if leaked.
      </p>
      <Notes id="lifetime" fault={fault} />
    </div>
  );
}
