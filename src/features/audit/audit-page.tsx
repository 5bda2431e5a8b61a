import type { ComponentChildren, JSX } from 'preact';
import { AUDIT_ACTIONS, isAuditAction } from '../../core/audit/actions.ts';
import { administrationPage } from '../../surfaces/web/pages/administration-page.tsx';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { Moment } from '../../surfaces/web/pages/format.tsx';
import { settingsPage } from '../../surfaces/web/pages/settings-page.tsx';
import { type OwnOrganization, organizationTab } from '../organizations/organization-frame.tsx';
import type { AuditEntry } from './audit-entry.ts';
import type { AuditPart } from './audit-service.ts';

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
export interface AuditList extends AuditPart {
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
  { form, fault, username }: { form: AuditForm; fault: string | undefined; username: string },
): AppPage {
  return administrationPage('audit', {
    children: (
      <>
        <AuditFilterForm form={form} />
        {fault ? (
          <p class="form-fault" role="alert">
            {fault}
          </p>
        ) : (
          <div class="settings-column">
            <Entries list={list} reader={username} />
          </div>
        )}
      </>
    ),
  });
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
      <input id={name} name={name} type="date" value={form[name]} />
    </div>
  );
  return (
    <search>
      <form class="form audit-filter" action="/admin/audit">
        {text('person', 'Person')}
        {text('organization', 'Organization')}
        <div class="field">
          <label for="action">Action</label>
          <select id="action" name="action" autocomplete="off">
            <option value="">All</option>
            {Object.keys(AUDIT_ACTIONS).map((action) => (
              <option value={action} selected={action === form.action}>
                {action}
              </option>
            ))}
          </select>
        </div>
        {day('since', 'From')}
        {day('until', 'Until')}
        <div>
          <button type="submit" class="secondary">
            Filter
          </button>
        </div>
      </form>
    </search>
  );
}

function Entries({ list, reader }: { list: AuditList; reader: string }): JSX.Element {
  const { entries, cursor, path, exportPath, isLater } = list;
  const separator = path.includes('?') ? '&' : '?';
  return (
    <>
      {entries.length === 0 ? (
        <p>Nothing yet.</p>
      ) : (
        <ul class="rows">
          {entries.map((entry) => (
            <EntryRow entry={entry} reader={reader} />
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
          <a class="secondary small" rel="next" href={`${path}${separator}before=${cursor}`}>
            Older
          </a>
        )}
        {entries.length > 0 && (
          <a class="secondary small" href={exportPath} download>
            Download all
          </a>
        )}
      </p>
    </>
  );
}

function EntryRow({ entry, reader }: { entry: AuditEntry; reader: string }): JSX.Element {
  const { at, action, subject } = entry;
  const words = isAuditAction(action) ? AUDIT_ACTIONS[action] : action;
  const isOfReader = subject === reader;
  return (
    <li>
      <div>
        <strong title={action}>{words.charAt(0).toUpperCase() + words.slice(1)}</strong>
        {subject !== null && !isOfReader && <> {subject}</>}
        <p class="aside">
          <Moment at={at} />
          {joined([byWhom(entry, reader), fromWhere(entry), ...detailsOf(entry)])}
        </p>
      </div>
    </li>
  );
}

/** Says who did it, and with what. */
function byWhom({ actor, actorId, means, meansName }: AuditEntry, reader: string): string {
  if (means === 'command')
    return `by an operator of this server${meansName ? ` (${meansName})` : ''}`;
  if (means === 'service') return 'by the service';
  const who =
    actorId === null ? 'by someone not signed in' : actor === reader ? 'by you' : `by ${actor}`;
  if (means === 'web') return who;
  const name = meansName === null ? '' : ` “${meansName}”`;
  return `${who} with ${means === 'token' ? 'the token' : 'the app'}${name}`;
}

function fromWhere({ address, device }: AuditEntry): string | undefined {
  const parts = [address, device].filter((part) => part !== null);
  return parts.length === 0 ? undefined : `from ${parts.join(', ')}`;
}

/** What is said of an entry's details, besides those that are ids. */
const DETAILS: Readonly<Record<string, string>> = {
  access: 'access',
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
  links: 'links',
  membersCanCreate: 'members can create',
  name: 'new name',
  password: 'password',
  protected: 'protected',
  sessions: 'browsers',
  to: 'to',
  twoPeople: 'two people',
  username: 'user',
  visibility: 'visibility',
};

function detailsOf({ detail }: AuditEntry): string[] {
  return Object.entries(detail).flatMap(([name, value]) => {
    const label = DETAILS[name];
    if (label === undefined || value === null || value === false) return [];
    return [value === true ? label : `${label}: ${value}`];
  });
}

function joined(parts: readonly (string | undefined)[]): ComponentChildren {
  return parts.filter((part) => part !== undefined).map((part) => <> · {part}</>);
}
