import type { JSX } from 'preact';
import {
  type LinkMakers,
  MAX_PROGRAM_DAYS,
  type OutsideInviters,
  type Policies,
  type ProgramUsers,
} from '../../core/owner/policy.ts';
import { organizationPath } from '../../surfaces/web/addresses.ts';
import { Choices } from '../sharing/access-forms.tsx';
import type { Effects, MemberPrograms } from './policy-change-service.ts';

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
          <Choices name="links" options={LINKS} chosen={linkMakers} />
          <p class="hint">
            {effects.links} working now, {effects.stoppedLinks} stopped.
          </p>
        </fieldset>
        <fieldset class="choices">
          <legend>Who can invite people who aren’t members</legend>
          <Choices name="outside" options={INVITERS} chosen={outsideInviters} />
          <p class="hint">
            {effects.outsideCollaborators} with access now, {effects.stoppedCollaborators} stopped.
          </p>
        </fieldset>
        <fieldset class="choices">
          <legend>Public documents</legend>
          <Choices name="public" options={PUBLIC} chosen={publicDocuments ? 'yes' : 'no'} />
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

const PROGRAM_USERS: Record<ProgramUsers, string> = {
  anyone: 'Everyone who has access',
  members: 'Members',
  admins: 'Admins',
  nobody: 'Nobody',
};

/** How many members' programs the form lists. */
const MEMBERS_SHOWN = 100;

/** Renders which tokens and apps reach an organization, for its admins. */
export function ProgramForm(props: {
  namespace: string;
  policies: Policies;
  effects: Effects;
  programs: readonly MemberPrograms[];
}): JSX.Element {
  const { namespace, policies, effects, programs } = props;
  const { tokenHolders, appUsers, programDays } = policies;
  return (
    <section class="section" aria-labelledby="programs">
      <h2 id="programs">Tokens and apps</h2>
      <p class="aside">
        Programs that you stop here read public documents only. They work again once you allow it.
      </p>
      <form class="form" method="post" action={`${organizationPath(namespace)}/policies/programs`}>
        <UsersField
          name="tokens"
          label="Whose access tokens reach it"
          chosen={tokenHolders}
          hint={`Of members: ${effects.tokens} working now, ${effects.stoppedTokens} stopped.`}
        />
        <UsersField
          name="apps"
          label="Whose connected apps reach it"
          chosen={appUsers}
          hint={`Of members: ${effects.apps} working now, ${effects.stoppedApps} stopped.`}
        />
        <div class="field">
          <label for="program-days">For how many days</label>
          <input
            id="program-days"
            name="days"
            type="number"
            min="1"
            max={MAX_PROGRAM_DAYS}
            value={programDays ?? undefined}
            aria-describedby="program-days-hint"
          />
          <p class="hint" id="program-days-hint">
            Tokens that live longer don’t reach it. Apps have to be connected again. Empty: no
            limit.
          </p>
        </div>
        {programs.length > 0 && <ProgramsOfMembers programs={programs} />}
        <div>
          <button type="submit" class="primary">
            Save
          </button>
        </div>
      </form>
    </section>
  );
}

function UsersField(props: {
  name: string;
  label: string;
  chosen: ProgramUsers;
  hint: string;
}): JSX.Element {
  const { name, label, chosen, hint } = props;
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <select id={name} name={name} aria-describedby={`${name}-hint`}>
        {Object.entries(PROGRAM_USERS).map(([value, words]) => (
          <option value={value} selected={value === chosen}>
            {words}
          </option>
        ))}
      </select>
      <p class="hint" id={`${name}-hint`}>
        {hint}
      </p>
    </div>
  );
}

function ProgramsOfMembers({ programs }: { programs: readonly MemberPrograms[] }): JSX.Element {
  return (
    <details>
      <summary>Members with tokens or apps ({programs.length})</summary>
      <ul>
        {programs.slice(0, MEMBERS_SHOWN).map((member) => (
          <li>
            {member.username}:{' '}
            {[
              reachWords('token', member.tokens, member.stoppedTokens),
              reachWords('app', member.apps, member.stoppedApps),
            ]
              .filter((part) => part !== undefined)
              .join(', ')}
          </li>
        ))}
      </ul>
      {programs.length > MEMBERS_SHOWN && (
        <p class="hint">And {programs.length - MEMBERS_SHOWN} more.</p>
      )}
    </details>
  );
}

function reachWords(what: 'token' | 'app', reaching: number, stopped: number): string | undefined {
  const all = reaching + stopped;
  if (all === 0) return undefined;
  const counted = `${all} ${all === 1 ? what : `${what}s`}`;
  return stopped === 0 ? counted : `${counted} (${stopped} stopped)`;
}
