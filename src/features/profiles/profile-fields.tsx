import type { JSX } from 'preact';
import { PICTURE_LIMIT_BYTES, PICTURE_TYPES, PROFILE_LIMITS } from '../../base/schema/profile.ts';
import type { Faults } from '../../surfaces/web/form.ts';
import { FileInput, FormFault, Notes } from '../../surfaces/web/pages/form-field.tsx';
import { FormActions } from '../../surfaces/web/pages/parts.tsx';
import { Avatar } from '../../surfaces/web/pages/person.tsx';

export interface ProfileFields {
  /** Absent for an organization, which has a name of its own. */
  displayName?: string;
  summary: string;
  hasPicture: boolean;
}

/** Renders a form for an owner's public profile. */
export function ProfileForm(props: {
  action: string;
  owner: string;
  fields: ProfileFields;
  faults: Faults;
}): JSX.Element {
  const { action, owner, fields, faults } = props;
  return (
    <form class="form" method="post" action={action} enctype="multipart/form-data">
      <FormFault fault={faults.form} />
      {fields.displayName !== undefined && (
        <TextField
          name="displayName"
          label="Display name (optional)"
          value={fields.displayName}
          hint="Shown beside your username."
          autocomplete="name"
          fault={faults.displayName}
        />
      )}
      <TextField
        name="summary"
        label="Summary (optional)"
        value={fields.summary}
        hint="One or two sentences for the profile."
        autocomplete="off"
        fault={faults.summary}
      />
      <div class="field">
        <label for="picture">Picture (optional)</label>
        <div class="picture-field">
          <Avatar username={owner} />
          <FileInput
            id="picture"
            name="picture"
            label="Choose a picture"
            accept={PICTURE_TYPES.join(',')}
            aria-invalid={faults.picture ? 'true' : undefined}
            aria-describedby={faults.picture ? 'picture-hint picture-fault' : 'picture-hint'}
          />
        </div>
        <p class="hint" id="picture-hint">
          A square PNG, JPEG or WebP image, up to {PICTURE_LIMIT_BYTES / 1024} KB. Place and camera
          are removed from photos.
        </p>
        <Notes id="picture" fault={faults.picture} />
      </div>
      {fields.hasPicture && (
        <label class="check">
          <input type="checkbox" name="remove" value="yes" /> Remove the picture
        </label>
      )}
      <FormActions label="Save profile" />
    </form>
  );
}

function TextField(props: {
  name: keyof typeof PROFILE_LIMITS;
  label: string;
  value: string;
  hint: string;
  autocomplete: string;
  fault: string | undefined;
}): JSX.Element {
  const { name, fault } = props;
  return (
    <div class="field">
      <label for={name}>{props.label}</label>
      <input
        id={name}
        name={name}
        value={props.value}
        maxLength={PROFILE_LIMITS[name]}
        autocomplete={props.autocomplete}
        aria-invalid={fault ? 'true' : undefined}
        aria-describedby={fault ? `${name}-hint ${name}-fault` : `${name}-hint`}
        autofocus={fault !== undefined}
      />
      <Notes id={name} hint={props.hint} fault={fault} />
    </div>
  );
}
