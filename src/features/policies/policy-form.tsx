import type { JSX } from 'preact';
import type { LinkMakers, OutsideInviters, Policies } from '../../core/owner/policy.ts';
import { organizationPath } from '../../surfaces/web/addresses.ts';
import { Choice } from '../sharing/access-forms.tsx';
import type { Effects } from './policy-change-service.ts';

const LINKS: Record<LinkMakers, { label: string; hint: string }> = {
  sharers: {
    label: 'Everyone who can share the document',
    hint: 'Also people with full access who aren’t members.',
  },
  members: { label: 'Members', hint: 'Members who can share the document.' },
  admins: { label: 'Admins', hint: 'Links that members made stop working.' },
  nobody: { label: 'Nobody', hint: 'All secret links stop working.' },
};

const INVITERS: Record<OutsideInviters, { label: string; hint: string }> = {
  sharers: {
    label: 'Everyone who can share the document',
    hint: 'Also people with full access who aren’t members.',
  },
  admins: {
    label: 'Admins',
    hint: 'People who collaborate already keep their access. Pending invitations by others stop.',
  },
  nobody: { label: 'Nobody', hint: 'Only members can have access. All others lose it.' },
};

const PUBLIC = {
  yes: { label: 'Allowed', hint: 'Whoever has full access can make a document public.' },
  no: {
    label: 'Not allowed',
    hint: 'No document can become public. Those that are public stay so until someone changes it.',
  },
} as const;

/** Renders what an organization allows, for its admins. */
export function PolicyForm(props: {
  namespace: string;
  policies: Policies;
  effects: Effects;
}): JSX.Element {
  const { namespace, policies, effects } = props;
  const { linkMakers, outsideInviters, publicDocuments } = policies;
  return (
    <section class="section" aria-labelledby="policies">
      <h2 id="policies">Sharing outside</h2>
      <p class="aside">What you stop here isn’t deleted. It works again once you allow it.</p>
      <form class="form" method="post" action={`${organizationPath(namespace)}/policies`}>
        <fieldset class="choices">
          <legend>Who can make secret links</legend>
          {Object.entries(LINKS).map(([value, words]) => (
            <Choice
              name="links"
              value={value}
              id={`links-${value}`}
              {...words}
              isChosen={value === linkMakers}
            />
          ))}
          <p class="hint">
            {effects.links} working now, {effects.stoppedLinks} stopped.
          </p>
        </fieldset>
        <fieldset class="choices">
          <legend>Who can invite people who aren’t members</legend>
          {Object.entries(INVITERS).map(([value, words]) => (
            <Choice
              name="outside"
              value={value}
              id={`outside-${value}`}
              {...words}
              isChosen={value === outsideInviters}
            />
          ))}
          <p class="hint">
            {effects.outsideCollaborators} with access now, {effects.stoppedCollaborators} stopped.
          </p>
        </fieldset>
        <fieldset class="choices">
          <legend>Public documents</legend>
          {Object.entries(PUBLIC).map(([value, words]) => (
            <Choice
              name="public"
              value={value}
              id={`public-${value}`}
              {...words}
              isChosen={(value === 'yes') === publicDocuments}
            />
          ))}
          <p class="hint">{effects.publicDocuments} public now.</p>
        </fieldset>
        <div>
          <button type="submit" class="primary">
            Save
          </button>
        </div>
      </form>
    </section>
  );
}
