import type { ComponentChildren, JSX } from 'preact';
import type { FeedPart } from '../../base/pagination/result-page.ts';
import { formatSize } from '../../base/text/size.ts';
import { AUDIT_ACTIONS, isAuditAction } from '../../core/audit/actions.ts';
import { AUDIT_PATH, managedOwnerPath, type OwnerName } from '../../surfaces/web/addresses.ts';
import { administrationPage } from '../../surfaces/web/pages/administration-page.tsx';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { DayInput } from '../../surfaces/web/pages/form-field.tsx';
import { Moment } from '../../surfaces/web/pages/format.tsx';
import { settingsPage } from '../../surfaces/web/pages/settings-page.tsx';
import { type OwnOrganization, organizationTab } from '../organizations/organization-frame.tsx';
import type { AuditEntry } from './audit-entry.ts';
import type { AuditNames } from './audit-service.ts';

/** What the administrator's form asks for, as it was sent. */
export interface AuditForm {
  person: string;
  organization: string;
  action: string;
  /** Days, as `2026-01-31`. */
  since: string;
  until: string;
}

/** A list as a page shows it. */
export interface AuditList extends FeedPart<AuditEntry> {
  /** The address of the list, with its filter. */
  path: string;
  /** The address of all of it as JSON lines. */
  exportPath: string;
  /** Whether there are newer entries. */
  isLater: boolean;
}

/** Shows what concerns the reader's own account. */
export function activityPage(list: AuditList, username: string): AppPage {
  return settingsPage(
    'activity',
    <section aria-labelledby="activity">
      <h2 id="activity">Activity</h2>
      <p class="aside">
        Sign-ins, tokens, sharing and deletions that concern your account and your documents. If you
        don’t recognise something, change your password and revoke tokens.
      </p>
      <Entries list={list} reader={username} />
    </section>,
  );
}

/** Shows an organization's admins what concerns it. */
export function organizationAuditPage(
  organization: OwnOrganization,
  list: AuditList,
  username: string,
): AppPage {
  return organizationTab({
    organization,
    tab: 'settings',
    children: (
      <div class="settings-column">
        <section aria-labelledby="activity">
          <h2 id="activity">Activity</h2>
          <p class="aside">
            What concerns the organization’s documents and members. Where somebody was is shown only
            for members.
          </p>
          <Entries list={list} reader={username} />
        </section>
      </div>
    ),
  });
}

/** Shows an administrator of the instance everything. */
export function wholeAuditPage(
  list: AuditList,
  page: { form: AuditForm; fault: string | undefined; username: string; names: AuditNames },
): AppPage {
  const { form, fault, username, names } = page;
  const isFiltered = Object.values(form).some((value) => value !== '');
  return administrationPage('audit', {
    children: (
      <>
        <AuditFilterForm form={form} />
        {fault ? (
          <p class="form-fault" role="alert">
            {fault}
          </p>
        ) : (
          <Entries
            list={list}
            reader={username}
            names={names}
            none={isFiltered ? 'No entry fits.' : 'Nothing yet.'}
          />
        )}
      </>
    ),
  });
}

/** The actions, by what they are done to. */
const ACTIONS = [
  ...Map.groupBy(Object.entries(AUDIT_ACTIONS), ([action]) => action.split('.')[0] as string),
];

function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function AuditFilterForm({ form }: { form: AuditForm }): JSX.Element {
  const text = (name: 'person' | 'organization', label: string) => (
    <div class="field">
      <label for={name}>{label}</label>
      <input
        id={name}
        name={name}
        value={form[name]}
        maxLength={100}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
      />
    </div>
  );
  const day = (name: 'since' | 'until', label: string) => (
    <div class="field">
      <label for={name}>{label}</label>
      <DayInput id={name} name={name} value={form[name]} />
    </div>
  );
  return (
    <search>
      <form class="form audit-filter" action={AUDIT_PATH}>
        {text('person', 'Person')}
        {text('organization', 'Organization')}
        <div class="field">
          <label for="action">Action</label>
          <select id="action" name="action" autocomplete="off">
            <option value="">All</option>
            {ACTIONS.map(([subject, actions]) => (
              <optgroup label={capitalized(subject.replaceAll('_', ' '))}>
                {actions.map(([action, words]) => (
                  <option value={action} selected={action === form.action}>
                    {capitalized(words)}
                  </option>
                ))}
              </optgroup>
            ))}
          </select>
        </div>
        {day('since', 'From')}
        {day('until', 'Until')}
        <div class="audit-filter-end">
          <button type="submit" class="secondary">
            Filter
          </button>
          {Object.values(form).some((value) => value !== '') && (
            <a class="quiet" href={AUDIT_PATH}>
              Clear
            </a>
          )}
        </div>
      </form>
    </search>
  );
}

function Entries(props: {
  list: AuditList;
  reader: string;
  /** For administrators of the instance, whose pages lead to everybody. */
  names?: AuditNames;
  /** Said if there are no entries. */
  none?: string;
}): JSX.Element {
  const { list, reader, names, none = 'Nothing yet.' } = props;
  const { items, cursor, path, exportPath, isLater } = list;
  const separator = path.includes('?') ? '&' : '?';
  return (
    <>
      {items.length === 0 ? (
        <p>{none}</p>
      ) : (
        <ul class="rows">
          {items.map((entry) => (
            <EntryRow entry={entry} reader={reader} names={names} />
          ))}
        </ul>
      )}
      <p class="form-actions">
        {isLater && (
          <a class="secondary small" href={path}>
            Newest
          </a>
        )}
        {cursor !== null && (
          <a class="secondary small" rel="next" href={`${path}${separator}after=${cursor}`}>
            Older
          </a>
        )}
        {items.length > 0 && (
          <a class="secondary small" href={exportPath} download>
            Download all
          </a>
        )}
      </p>
    </>
  );
}

function EntryRow(props: {
  entry: AuditEntry;
  reader: string;
  names: AuditNames | undefined;
}): JSX.Element {
  const { entry, reader, names } = props;
  const { at, action, subject } = entry;
  const words = isAuditAction(action) ? AUDIT_ACTIONS[action] : action;
  const isOfReader = subject === reader && !names;
  return (
    <li>
      <div>
        <strong title={action}>{capitalized(words)}</strong>
        {subject !== null && !isOfReader && (
          <>
            {' '}
            <Subject entry={entry} subject={subject} names={names} />
          </>
        )}
        {names && <Whose entry={entry} names={names} />}
        <p class="aside">
          <Moment at={at} />
          {joined([
            <ByWhom entry={entry} reader={reader} names={names} />,
            fromWhere(entry),
            ...detailsOf(entry),
          ])}
        </p>
      </div>
    </li>
  );
}

function OwnerLink({ owner }: { owner: OwnerName }): JSX.Element {
  return <a href={managedOwnerPath(owner)}>{owner.namespace}</a>;
}

/** What it was done to. For administrators, its owner is a link. */
function Subject(props: {
  entry: AuditEntry;
  subject: string;
  names: AuditNames | undefined;
}): JSX.Element {
  const { entry, subject, names } = props;
  const owners = [entry.ownerId, entry.accountId].map((id) => (id && names?.get(id)) || undefined);
  for (const owner of owners) {
    if (owner && (subject === owner.namespace || subject.startsWith(`${owner.namespace}/`))) {
      return (
        <>
          <OwnerLink owner={owner} />
          {subject.slice(owner.namespace.length)}
        </>
      );
    }
  }
  return <>{subject}</>;
}

/** Whose account and whose thing it is, unless the rest of the entry says so. */
function Whose({ entry, names }: { entry: AuditEntry; names: AuditNames }): JSX.Element {
  const { actorId, accountId, ownerId, subject, detail } = entry;
  const [account, owner] = [accountId, ownerId].map((id) =>
    id !== null && id !== actorId ? names.get(id) : undefined,
  );
  const isSaid = (one: OwnerName) =>
    subject?.split('/')[0] === one.namespace || detail.username === one.namespace;
  return (
    <>
      {account && !isSaid(account) && (
        <>
          {' '}
          of <OwnerLink owner={account} />
        </>
      )}
      {owner && ownerId !== accountId && !isSaid(owner) && (
        <>
          {' '}
          in <OwnerLink owner={owner} />
        </>
      )}
    </>
  );
}

/** Says who did it, and with what. */
function ByWhom(props: {
  entry: AuditEntry;
  reader: string;
  names: AuditNames | undefined;
}): JSX.Element {
  const { reader, names } = props;
  const { actor, actorId, means, meansName } = props.entry;
  if (means === 'command')
    return <>by an operator of this server{meansName ? ` (${meansName})` : ''}</>;
  if (means === 'service') return <>by the service</>;
  const known = actorId === null ? undefined : names?.get(actorId);
  const who =
    actorId === null ? (
      'someone not signed in'
    ) : actor === reader ? (
      'you'
    ) : known ? (
      <OwnerLink owner={known} />
    ) : (
      actor
    );
  const name = meansName === null ? '' : ` “${meansName}”`;
  return (
    <>
      by {who}
      {means !== 'web' && ` with ${means === 'token' ? 'the token' : 'the app'}${name}`}
    </>
  );
}

function fromWhere({ address, device }: AuditEntry): string | undefined {
  const parts = [address, device].filter((part) => part !== null);
  return parts.length === 0 ? undefined : `from ${parts.join(', ')}`;
}

/** What is said of an entry's details, besides those that are ids. */
const DETAILS: Readonly<Record<string, string>> = {
  access: 'access',
  appUsers: 'whose apps reach it',
  by: 'by',
  comments: 'comments by',
  days: 'days',
  defaultBriefPermission: 'members’ access',
  enabled: 'enabled',
  expiresAt: 'until',
  factors: 'with',
  from: 'from',
  host: 'host',
  level: 'level',
  bytes: 'storage',
  documents: 'documents',
  documentsPerDay: 'documents a day',
  linkMakers: 'who makes links',
  links: 'links',
  membersCanCreate: 'members can create',
  name: 'new name',
  organizations: 'organizations',
  outcome: 'outcome',
  outsideInviters: 'who invites from outside',
  password: 'password',
  programDays: 'days of tokens and apps',
  protected: 'protected',
  publicDocuments: 'public documents',
  reason: 'reason',
  history: 'with old texts',
  reports: 'reports',
  revision: 'revision',
  required: 'required',
  scopes: 'scopes',
  sessions: 'browsers',
  to: 'to',
  tokenHolders: 'whose tokens reach it',
  tokens: 'tokens',
  twoPeople: 'two people',
  username: 'user',
  uses: 'accounts',
  visibility: 'visibility',
  webhooks: 'webhooks',
};

const POLICIES = new Set(['appUsers', 'linkMakers', 'outsideInviters', 'tokenHolders']);

/** Values of policies that no screen shows as they are. */
const VALUES: Readonly<Record<string, string>> = {
  anyone: 'everyone who has access',
  sharers: 'everyone who can share',
};

function inWords(name: string, value: string | number | boolean): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (POLICIES.has(name)) return VALUES[value] ?? String(value);
  return name === 'bytes' ? formatSize(Number(value)) : String(value);
}

/** What can be turned off. Of the rest, only what there is is said. */
const SAID_IF_OFF = new Set([
  'enabled',
  'membersCanCreate',
  'protected',
  'publicDocuments',
  'required',
  'twoPeople',
]);

function detailsOf({ detail }: AuditEntry): string[] {
  return Object.entries(detail).flatMap(([name, value]) => {
    const label = DETAILS[name];
    if (label === undefined || value === null) return [];
    if (value === false && !SAID_IF_OFF.has(name)) return [];
    return [`${label}: ${inWords(name, value)}`];
  });
}

function joined(parts: readonly (ComponentChildren | undefined)[]): ComponentChildren {
  return parts.filter((part) => part !== undefined).map((part) => <> · {part}</>);
}
