import type { JSX } from 'preact';
import { NAMESPACE_RESERVED_DAYS } from '../../core/owner/namespace.ts';
import type { DefaultBriefPermission } from '../../core/owner/organization-access.ts';
import { organizationPath } from '../../surfaces/web/addresses.ts';
import type { Faults } from '../../surfaces/web/form.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { Field, FormFault } from '../../surfaces/web/pages/form-field.tsx';
import { profilePath } from '../../surfaces/web/pages/format.tsx';
import type { MemberPrograms, PoliciesWithEffects } from '../policies/policy-change-service.ts';
import { PolicyForm, ProgramForm } from '../policies/policy-form.tsx';
import { type ProfileFields, ProfileForm } from '../profiles/profile-fields.tsx';
import type { Usage } from '../quotas/usage-service.ts';
import { UsageList } from '../quotas/usage-view.tsx';
import { Choices } from '../sharing/access-forms.tsx';
import { type OwnOrganization, organizationTab } from './organization-frame.tsx';

export interface OrganizationSettingsPage {
  organization: OwnOrganization;
  /** What deleting the organization deletes; only for admins. */
  contents:
    | {
        briefs: number;
        pages: number;
        members: number;
      }
    | undefined;
  /** How its documents are protected; only for admins. */
  protection: { protected: boolean; twoPeople: boolean } | undefined;
  /** The first members who have no second factor; only for admins. */
  withoutSecondFactor: readonly string[] | undefined;
  /** What it allows; only for admins. */
  policies: (PoliciesWithEffects & { programs: readonly MemberPrograms[] }) | undefined;
  /** What it uses; only for admins. */
  usage: Usage | undefined;
  /** The organization's profile; only for admins. */
  profile: ProfileFields | undefined;
  profileFaults?: Faults | undefined;
  /** The errors of the form that deletes the organization. */
  faults: Faults;
}

const CREATION = {
  yes: {
    label: 'Members and admins',
    hint: 'All members can create briefs and pages, and have full access to the ones they create.',
  },
  no: {
    label: 'Admins only',
    hint: 'Members can’t create documents. They keep full access to the ones they already created.',
  },
} as const;

const DEFAULTS = {
  none: {
    label: 'Default',
    hint: 'Members can read public and internal documents.',
  },
  read: {
    label: 'Can read',
    hint: 'The same, and new documents in the web app are internal instead of private.',
  },
  write: {
    label: 'Can edit',
    hint: 'Members can read, edit and rename every document except private ones.',
  },
} as const satisfies Record<DefaultBriefPermission, { label: string; hint: string }>;

/** Shows an organization's settings. Admins can change them; members can see them. */
export function organizationSettingsPage(page: OrganizationSettingsPage): AppPage {
  const { organization, contents } = page;
  const { namespace, name } = organization;
  return organizationTab({
    organization,
    tab: 'settings',
    children: (
      <div class="organization-settings">
        <dl class="identity">
          <dt>Name</dt>
          <dd>{name}</dd>
          <dt>Namespace</dt>
          <dd>
            <a href={profilePath(namespace)}>{namespace}</a>
          </dd>
        </dl>
        {contents ? (
          <>
            {page.profile && (
              <section class="section" aria-labelledby="profile">
                <h2 id="profile">Public profile</h2>
                <ProfileForm
                  action={`${organizationPath(namespace)}/profile`}
                  owner={namespace}
                  fields={page.profile}
                  faults={page.profileFaults ?? {}}
                />
              </section>
            )}
            <RulesForm organization={organization} />
            {page.protection && (
              <ProtectionForm namespace={namespace} protection={page.protection} />
            )}
            {page.withoutSecondFactor && (
              <SecondFactorForm organization={organization} without={page.withoutSecondFactor} />
            )}
            {page.policies && <PolicyForm namespace={namespace} {...page.policies} />}
            {page.policies && <ProgramForm namespace={namespace} {...page.policies} />}
            {page.usage && <UsageSection usage={page.usage} />}
            <WebhooksSection namespace={namespace} />
            <ActivitySection namespace={namespace} />
            <ExportSection namespace={namespace} />
            <DeleteSection page={page} contents={contents} />
          </>
        ) : (
          <RulesInWords organization={organization} />
        )}
      </div>
    ),
  });
}

function RulesForm({ organization }: { organization: OwnOrganization }): JSX.Element {
  const { namespace, membersCanCreate, defaultBriefPermission } = organization;
  const creation = membersCanCreate ? 'yes' : 'no';
  return (
    <section class="section" aria-labelledby="rules">
      <h2 id="rules">What members can do</h2>
      <form class="form" method="post" action={organizationPath(namespace, 'settings')}>
        <input type="hidden" name="fromCreation" value={creation} />
        <input type="hidden" name="fromDefault" value={defaultBriefPermission} />
        <fieldset class="choices">
          <legend>Who can create documents</legend>
          <Choices name="creation" options={CREATION} chosen={creation} />
        </fieldset>
        <fieldset class="choices">
          <legend>Members’ access to documents</legend>
          <Choices name="default" options={DEFAULTS} chosen={defaultBriefPermission} />
          <p class="hint">Private documents are always limited to admins and invited people.</p>
        </fieldset>
        <div>
          <button type="submit" class="primary">
            Save settings
          </button>
        </div>
      </form>
    </section>
  );
}

const PROTECTION = {
  off: {
    label: 'Not protected',
    hint: 'Admins of a document, and agents with their tokens, can make it public.',
  },
  on: {
    label: 'Protected',
    hint:
      'Documents become public only after an admin, or a reviewer whom an admin asked there, has ' +
      'approved the text in the web app. Public text changes only by suggestions that an admin accepts there.',
  },
} as const;

function ProtectionForm(props: {
  namespace: string;
  protection: { protected: boolean; twoPeople: boolean };
}): JSX.Element {
  const { namespace, protection } = props;
  return (
    <section class="section" aria-labelledby="protection">
      <h2 id="protection">Approval</h2>
      <form class="form" method="post" action={`${organizationPath(namespace)}/protection`}>
        <fieldset class="choices">
          <legend>Before a document is public</legend>
          <Choices
            name="protected"
            id="protection"
            options={PROTECTION}
            chosen={protection.protected ? 'on' : 'off'}
          />
        </fieldset>
        <div class="choice">
          <input
            type="checkbox"
            name="twoPeople"
            value="on"
            id="two-people"
            checked={protection.twoPeople}
            autocomplete="off"
            aria-describedby="two-people-hint"
          />
          <label for="two-people">Two people</label>
          <p class="hint" id="two-people-hint">
            Who wrote unapproved words can’t approve or accept them alone. Applies to all protected
            documents of the organization.
          </p>
        </div>
        {protection.protected && (
          <p class="hint">
            Without protection, texts that no one has read can become public, also by agents with an
            admin’s token.
          </p>
        )}
        <div>
          <button type="submit" class="primary">
            Save
          </button>
        </div>
      </form>
    </section>
  );
}

const SECOND_FACTOR = {
  off: { label: 'Optional', hint: 'Members sign in as they choose.' },
  on: {
    label: 'Required',
    hint:
      'Members without a passkey or one-time codes lose their access as members until they have ' +
      'one, in the web app and for their tokens and apps. What was shared with them by name stays.',
  },
} as const;

function SecondFactorForm(props: {
  organization: OwnOrganization;
  without: readonly string[];
}): JSX.Element {
  const { organization, without } = props;
  const { namespace, secondFactorRequired } = organization;
  return (
    <section class="section" aria-labelledby="second-factor">
      <h2 id="second-factor">Second factor</h2>
      <form class="form" method="post" action={`${organizationPath(namespace)}/second-factor`}>
        <fieldset class="choices">
          <legend>To sign in as a member</legend>
          <Choices
            name="required"
            id="second-factor"
            options={SECOND_FACTOR}
            chosen={secondFactorRequired ? 'on' : 'off'}
          />
          <p class="hint">
            {without.length === 0
              ? 'All members have one.'
              : `Without one now: ${without.join(', ')}.`}
          </p>
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

function RulesInWords({ organization }: { organization: OwnOrganization }): JSX.Element {
  const { membersCanCreate, defaultBriefPermission, name } = organization;
  return (
    <section class="section" aria-labelledby="rules">
      <h2 id="rules">What members can do</h2>
      <p>{CREATION[membersCanCreate ? 'yes' : 'no'].hint}</p>
      <p>{DEFAULTS[defaultBriefPermission].hint}</p>
      <p class="aside">Admins of {name} can change this.</p>
    </section>
  );
}

function UsageSection({ usage }: { usage: Usage }): JSX.Element {
  return (
    <section class="section" aria-labelledby="storage">
      <h2 id="storage">Storage and limits</h2>
      <UsageList usage={usage} limits={['documents', 'bytes', 'webhooks', 'documentsPerDay']} />
    </section>
  );
}

function WebhooksSection({ namespace }: { namespace: string }): JSX.Element {
  return (
    <section class="section" aria-labelledby="webhooks">
      <h2 id="webhooks">Webhooks</h2>
      <p class="aside">Send events of the organization’s documents to your own service.</p>
      <a class="secondary" href={organizationPath(namespace, 'webhooks')}>
        Manage webhooks
      </a>
    </section>
  );
}

function ActivitySection({ namespace }: { namespace: string }): JSX.Element {
  return (
    <section class="section" aria-labelledby="activity">
      <h2 id="activity">Activity</h2>
      <p class="aside">
        Who shared, moved or deleted documents, and who joined, left or was removed.
      </p>
      <a class="secondary" href={organizationPath(namespace, 'audit')}>
        See activity
      </a>
    </section>
  );
}

function ExportSection({ namespace }: { namespace: string }): JSX.Element {
  return (
    <section class="section" aria-labelledby="export">
      <h2 id="export">Export</h2>
      <p class="aside">Download every brief and page of the organization in one archive.</p>
      <a class="secondary" href={`/export?owner=${namespace}`}>
        Export all documents
      </a>
    </section>
  );
}

function DeleteSection(props: {
  page: OrganizationSettingsPage;
  contents: NonNullable<OrganizationSettingsPage['contents']>;
}): JSX.Element {
  const { organization, faults } = props.page;
  const { namespace, name } = organization;
  const { briefs, pages, members } = props.contents;
  return (
    <section class="section" aria-labelledby="delete">
      <h2 id="delete">Delete {name}</h2>
      <p>
        This deletes {count(briefs, 'brief', 'briefs')} and {count(pages, 'page', 'pages')}, removes{' '}
        {count(members, 'member', 'members')} including you, and cancels all invitations. All links
        will stop working. Nobody can take the namespace <strong>{namespace}</strong> for{' '}
        {NAMESPACE_RESERVED_DAYS} days. This can’t be undone.
      </p>
      <form
        class="form"
        method="post"
        action={`${organizationPath(namespace)}/delete`}
        autocomplete="off"
      >
        <FormFault fault={faults.form} />
        <Field
          name="confirm"
          label={`Type ${namespace} to confirm`}
          fault={faults.confirm}
          autocomplete="off"
          maxLength={39}
          focused={faults.confirm !== undefined}
        />
        <div>
          <button type="submit" class="danger">
            Delete organization
          </button>
        </div>
      </form>
    </section>
  );
}

function count(number: number, one: string, many: string): string {
  return number === 1 ? `1 ${one}` : `${number} ${many}`;
}
