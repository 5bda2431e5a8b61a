import type { JSX } from 'preact';
import {
  type Addressed,
  documentPath,
  managedOwnerPath,
  personPath,
  REPORTS_PATH,
} from '../../surfaces/web/addresses.ts';
import type { Faults } from '../../surfaces/web/form.ts';
import { renderAccountPage } from '../../surfaces/web/pages/account-page.tsx';
import { administrationPage } from '../../surfaces/web/pages/administration-page.tsx';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { dialogScreen } from '../../surfaces/web/pages/dialog-screen.tsx';
import { FormFault, Notes } from '../../surfaces/web/pages/form-field.tsx';
import { Ago } from '../../surfaces/web/pages/format.tsx';
import { Icon } from '../../surfaces/web/pages/icons.tsx';
import { type Listed, Pager } from '../../surfaces/web/pages/pager.tsx';
import {
  ButtonForm,
  DocumentField,
  EmptyState,
  FormActions,
  Tabs,
} from '../../surfaces/web/pages/parts.tsx';
import { TextField } from '../../surfaces/web/pages/text-field.tsx';
import { MAX_WORDS, type Outcome, REPORT_KINDS, type ReportKind } from './report-kinds.ts';
import type { ReportedRow, ReportRow, ReportState } from './report-store.ts';
import { OwnerOf } from './takedown-pages.tsx';
import { MAX_REASON } from './takedown-service.ts';

/** The document of a form, and what was typed. */
export interface ReportForm {
  document: Addressed & { id: string };
  kind: string;
  words: string;
  email: string;
  faults: Faults;
}

const INTRODUCTION =
  'Tell the administrators of this instance what is wrong with it. Its author doesn’t learn who reported it.';

function ReportFields(props: { form: ReportForm; asksEmail: boolean; back: string }): JSX.Element {
  const { form, asksEmail, back } = props;
  const { document, faults } = form;
  return (
    <form class="form" method="post" action={documentPath('report', document)}>
      <DocumentField document={document} />
      <FormFault fault={faults.form} />
      <fieldset class="choices" aria-describedby={faults.kind && 'kind-fault'}>
        <legend>What is wrong?</legend>
        {Object.entries(REPORT_KINDS).map(([value, label]) => (
          <label class="choice">
            <input type="radio" name="kind" value={value} checked={form.kind === value} required />
            <span>{label}</span>
          </label>
        ))}
        <Notes id="kind" fault={faults.kind} />
      </fieldset>
      <TextField
        name="words"
        label="In your words"
        value={form.words}
        hint="Where in the text, and why."
        fault={faults.words}
        maxLength={MAX_WORDS}
        isOptional
      />
      {asksEmail && (
        <div class="field">
          <label for="email">Email address</label>
          <input
            id="email"
            name="email"
            type="email"
            value={form.email}
            autocomplete="email"
            aria-invalid={faults.email ? 'true' : undefined}
            aria-describedby="email-hint"
          />
          <p class="hint" id="email-hint">
            If you want an answer. It is deleted once you have it.
          </p>
          {faults.email && <p class="fault">{faults.email}</p>}
        </div>
      )}
      <FormActions label="Report" back={back} />
    </form>
  );
}

const addressOf = ({ ownerNamespace, name }: Addressed) => `${ownerNamespace}/${name}`;

/** Asks a visitor who isn't signed in what is wrong with a public document. */
export function renderReportPage(site: Site, form: ReportForm, back: string): string {
  return renderAccountPage(site, {
    viewer: 'signed out',
    title: `Report ${addressOf(form.document)}`,
    description: INTRODUCTION,
    children: (
      <>
        <p>{INTRODUCTION}</p>
        <ReportFields form={form} asksEmail back={back} />
      </>
    ),
  });
}

export function renderReportedPage(site: Site, document: Addressed, back: string): string {
  return renderAccountPage(site, {
    viewer: 'signed out',
    title: 'Thank you',
    description: 'The document was reported.',
    children: (
      <>
        <p>
          You have reported <bdi>{addressOf(document)}</bdi>. An administrator will look at it.
        </p>
        <p>
          <a href={back}>Back to the document</a>
        </p>
      </>
    ),
  });
}

/** Asks a signed-in user what is wrong with a public document. */
export function reportPage(form: ReportForm): AppPage {
  return dialogScreen({
    title: `Report ${addressOf(form.document)}`,
    children: (
      <>
        <p>{INTRODUCTION}</p>
        <ReportFields form={form} asksEmail={false} back={documentPath('read', form.document)} />
      </>
    ),
  });
}

/** Lists the documents that have reports, for administrators of the instance. */
export function reportsPage(
  list: Listed<ReportedRow> & { state: ReportState; takesReports: boolean; now: string },
): AppPage {
  const { state } = list;
  return administrationPage('reports', {
    title: 'Reports',
    children: (
      <>
        <Tabs
          label="Which reports"
          tabs={[
            { href: REPORTS_PATH, label: 'Open', isHere: state === 'open' },
            { href: `${REPORTS_PATH}?state=closed`, label: 'Closed', isHere: state === 'closed' },
          ]}
        />
        {list.items.length === 0 ? (
          <EmptyState title={state === 'open' ? 'No open reports' : 'No closed reports'}>
            <p>
              {list.takesReports
                ? '“Report” is at the foot of every public document.'
                : 'Nobody can report documents here. The setting REPORTS turns that on.'}
            </p>
          </EmptyState>
        ) : (
          <ul class="items" aria-label="Reported documents">
            {list.items.map((item) => (
              <ReportedItem item={item} now={list.now} />
            ))}
          </ul>
        )}
        <Pager
          label="Pages of the list"
          list={list}
          path={(page) => `${REPORTS_PATH}?state=${state}&page=${page}`}
        />
      </>
    ),
  });
}

function ReportedItem({ item, now }: { item: ReportedRow; now: string }): JSX.Element {
  const { documentId, documentType, ownerNamespace, documentName, count, firstAt, lastAt } = item;
  return (
    <li class="item">
      <span class="thumbnail">
        <Icon name={documentType === 'brief' ? 'file-text' : 'app-window'} />
      </span>
      <div class="item-main">
        <a class="item-title" href={`${REPORTS_PATH}/${documentId}`}>
          {ownerNamespace}/{documentName}
        </a>
        <p class="item-facts">
          <span>{count === 1 ? '1 report' : `${count} reports`}</span>
          <span>
            First <Ago at={firstAt} now={now} />
          </span>
          {count > 1 && (
            <span>
              Last <Ago at={lastAt} now={now} />
            </span>
          )}
          <OwnerOf document={item} />
          <DocumentState item={item} />
        </p>
      </div>
    </li>
  );
}

function DocumentState(props: {
  item: Pick<ReportedRow, 'takenDownAt' | 'deletedAt'>;
}): JSX.Element | null {
  const { takenDownAt, deletedAt } = props.item;
  if (deletedAt !== null) return <span>Deleted</span>;
  return takenDownAt === null ? null : <span>Taken down</span>;
}

const OUTCOME_WORDS: Record<Outcome, string> = {
  taken_down: 'Taken down',
  dismissed: 'Dismissed',
  closed: 'Closed',
};

/** Shows an administrator the reports of one document, and what to do about them. */
export function documentReportsPage(page: {
  reports: readonly ReportRow[];
  form: { reason: string; fault?: string | undefined };
  now: string;
}): AppPage {
  const { reports, form, now } = page;
  const [newest] = reports as [ReportRow];
  const { documentId, documentType: kind, ownerNamespace, documentName: name } = newest;
  const document = { id: documentId, kind, ownerNamespace, name };
  const isOpen = reports.some(({ closedAt }) => closedAt === null);
  const isThere = newest.takenDownAt === null && newest.deletedAt === null;
  const path = `${REPORTS_PATH}/${documentId}`;
  return administrationPage('reports', {
    about: addressOf(document),
    title: addressOf(document),
    children: (
      <>
        <p>
          {isThere ? (
            <a href={documentPath('read', document)}>Open the {kind}</a>
          ) : (
            <DocumentState item={newest} />
          )}
        </p>
        <p>
          <a href={managedOwnerPath({ type: newest.ownerType, namespace: ownerNamespace })}>
            {ownerNamespace} in the administration
          </a>
        </p>
        <ul class="items" aria-label="Reports">
          {reports.map((report) => (
            <li class="item">
              <div class="item-main">
                <strong class="item-title">{REPORT_KINDS[report.kind as ReportKind]}</strong>
                {report.words !== '' && (
                  <p dir="auto" class="preserved">
                    {report.words}
                  </p>
                )}
                <p class="item-facts">
                  <span>
                    <Ago at={report.createdAt} now={now} />
                  </span>
                  <span>
                    {report.reporter === null ? (
                      (report.email ?? 'Somebody without an account')
                    ) : (
                      <a href={personPath(report.reporter)}>{report.reporter}</a>
                    )}
                  </span>
                  {report.outcome !== null && <span>{OUTCOME_WORDS[report.outcome]}</span>}
                </p>
              </div>
            </li>
          ))}
        </ul>
        {isOpen && (
          <>
            {isThere && (
              <form class="form" method="post" action={`${path}/take-down`}>
                <TextField
                  name="reason"
                  label="Take it down, because"
                  value={form.reason}
                  hint="Those who manage the document read it, by mail, too."
                  fault={form.fault}
                  maxLength={MAX_REASON}
                  rows={2}
                />
                <FormActions label="Take down" class="danger" />
              </form>
            )}
            <div class="form-actions">
              <ButtonForm
                action={`${path}/close`}
                fields={{ outcome: 'dismissed' }}
                label="Dismiss"
                name="Dismiss the reports: nothing is wrong"
              />
              <ButtonForm
                action={`${path}/close`}
                fields={{ outcome: 'closed' }}
                label="Close"
                name="Close the reports"
                class="quiet"
              />
            </div>
            <p class="hint">Each of these answers all open reports of the document, by mail.</p>
          </>
        )}
      </>
    ),
  });
}

/** Suggests a reason for a takedown: the kind of most reports. */
export function suggestedReason(reports: readonly ReportRow[]): string {
  const open = reports.filter(({ closedAt }) => closedAt === null);
  const kinds = Map.groupBy(open, ({ kind }) => kind);
  const [most] = [...kinds].sort(([, one], [, other]) => other.length - one.length);
  return most && most[0] !== 'other' ? `${REPORT_KINDS[most[0]]}.` : '';
}
