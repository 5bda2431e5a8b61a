import type { JSX } from 'preact';
import { VERSION } from '../../base/package.ts';
import { formatSize } from '../../base/text/size.ts';
import type { Release } from '../../core/config/newest-release.ts';
import { administrationPage } from '../../surfaces/web/pages/administration-page.tsx';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { Ago, Moment } from '../../surfaces/web/pages/format.tsx';
import { ButtonForm } from '../../surfaces/web/pages/parts.tsx';
import { FactsTable } from './parts.tsx';
import type { StorageFacts } from './storage-service.ts';
import type { TestMail, Work } from './work-service.ts';

const PATH = '/admin/work';

const QUEUES = {
  mail: 'Mail',
  webhooks: 'Webhooks',
  search: 'Search index',
  packing: 'Packing of old texts',
  feed: 'Events',
} as const;

const FAULTS: Readonly<Record<string, string>> = {
  address: 'the address can’t be used',
  connection: 'no connection',
  timeout: 'no answer in time',
  status: 'the answer wasn’t a success',
  disabled: 'disabled',
};

/** The most of a kind of work that is counted. */
const MOST = 10_000;

/** Shows what processes do in the background, and what fails. */
export function workPage(
  page: {
    work: Work;
    sendsMail: boolean;
    /** The name of the provider that people sign in through. */
    provider: string | undefined;
    newest: Release | undefined;
    now: string;
  } & Tests,
): AppPage {
  const { work, sendsMail, provider, newest, mail, signIn, now } = page;
  return administrationPage('work', {
    actions: (
      <>
        {sendsMail && (
          <ButtonForm action={`${PATH}/test-mail`} label="Send me a test mail" class="primary" />
        )}
        {provider && <ButtonForm action={`${PATH}/test-sign-in`} label={`Try ${provider}`} />}
      </>
    ),
    children: (
      <>
        {mail && <TestedMail tested={mail} />}
        {signIn && provider && <TestedSignIn provider={provider} fault={signIn.fault} />}
        <section aria-labelledby="queues">
          <h2 id="queues">Waiting now</h2>
          <FactsTable
            label="Waiting now"
            columns={[{ label: 'Work' }, { label: 'Waiting', isNumber: true }, { label: 'Oldest' }]}
            rows={work.queues.map((queue) => [
              QUEUES[queue.work],
              queue.waiting >= MOST ? `${MOST.toLocaleString('en')} or more` : queue.waiting,
              queue.since === null ? '–' : <Ago at={queue.since} now={now} />,
            ])}
          />
          {!sendsMail && <p class="aside">No mail server is set (SMTP_URL), so no mail is sent.</p>}
        </section>
        <FailingMails work={work} />
        <FailingDeliveries work={work} />
        <Version newest={newest} />
      </>
    ),
  });
}

function Version({ newest }: { newest: Release | undefined }): JSX.Element {
  return (
    <p class="aside">
      This is Briefs {VERSION}.{' '}
      {newest && (
        <>
          <a href={newest.url}>Version {newest.version}</a> has been released.
        </>
      )}
    </p>
  );
}

/** What an administrator has just tried. */
export interface Tests {
  mail?: TestMail;
  /** @property fault what is wrong, if anything */
  signIn?: { fault: string | undefined };
}

function TestedSignIn(tested: { provider: string; fault: string | undefined }): JSX.Element {
  const { provider, fault } = tested;
  if (fault !== undefined) {
    return (
      <p class="form-fault" role="alert">
        Nobody can sign in with {provider}: <code>{fault}</code>
      </p>
    );
  }
  return (
    <div class="shown-once" role="status">
      <p>
        {provider} answers, and accepts the client and its secret. Whether it knows the redirect
        address and sends the groups, it says only when somebody signs in.
      </p>
    </div>
  );
}

function TestedMail({ tested: { to, sent, answer } }: { tested: TestMail }): JSX.Element {
  if (!sent) {
    return (
      <p class="form-fault" role="alert">
        The mail to {to} could not be sent: {answer}
      </p>
    );
  }
  return (
    <div class="shown-once" role="status">
      <p>
        The mail server accepted a mail to {to}: <code>{answer}</code>
      </p>
    </div>
  );
}

function FailingMails({ work: { mails } }: { work: Work }): JSX.Element {
  return (
    <section aria-labelledby="mails">
      <h2 id="mails">Failing mails</h2>
      {mails.length === 0 ? (
        <p class="aside">None.</p>
      ) : (
        <>
          <FactsTable
            label="Failing mails"
            columns={[
              { label: 'To' },
              { label: 'Kind' },
              { label: 'Attempts', isNumber: true },
              { label: 'Last error', breaks: true },
              { label: 'Next attempt' },
            ]}
            rows={mails.map((mail) => [
              mail.username ?? 'An address',
              mail.kind.replaceAll('_', ' '),
              mail.attempts,
              mail.fault ?? '–',
              <Moment at={mail.nextAt} />,
            ])}
          />
          <Retry work="mail" />
        </>
      )}
    </section>
  );
}

function FailingDeliveries({ work: { deliveries } }: { work: Work }): JSX.Element {
  return (
    <section aria-labelledby="deliveries">
      <h2 id="deliveries">Failing webhooks</h2>
      {deliveries.length === 0 ? (
        <p class="aside">None.</p>
      ) : (
        <>
          <FactsTable
            label="Failing webhooks"
            columns={[
              { label: 'Owner' },
              { label: 'Host', breaks: true },
              { label: 'Attempts', isNumber: true },
              { label: 'Last error', breaks: true },
              { label: 'Next attempt' },
            ]}
            rows={deliveries.map((delivery) => [
              delivery.owner,
              delivery.host,
              delivery.attempts,
              delivery.code === null
                ? (FAULTS[delivery.fault ?? ''] ?? '–')
                : `HTTP status ${delivery.code}`,
              <Moment at={delivery.nextAt} />,
            ])}
          />
          <Retry work="webhooks" />
        </>
      )}
    </section>
  );
}

function Retry({ work }: { work: string }): JSX.Element {
  return <ButtonForm action={`${PATH}/retry`} fields={{ work }} label="Try again now" />;
}

/** Shows how much is stored, and what was created in the last 30 days. */
export function storagePage({ facts }: { facts: StorageFacts }): AppPage {
  const { totals, countedAt, days } = facts;
  const most = Math.max(1, ...days.map(({ accounts, documents }) => Math.max(accounts, documents)));
  return administrationPage('storage', {
    children: (
      <>
        <section aria-labelledby="totals">
          <h2 id="totals">In all</h2>
          <dl class="identity">
            <dt>Database</dt>
            <dd>{formatSize(totals.databaseBytes)}</dd>
            <dt>Blobs</dt>
            <dd>{formatSize(totals.blobBytes)}</dd>
            <dt>Accounts</dt>
            <dd>{totals.accounts.toLocaleString('en')}</dd>
            <dt>Organizations</dt>
            <dd>{totals.organizations.toLocaleString('en')}</dd>
            <dt>Documents</dt>
            <dd>{totals.documents.toLocaleString('en')}</dd>
            <dt>Revisions</dt>
            <dd>{totals.revisions.toLocaleString('en')}</dd>
            <dt>Files</dt>
            <dd>{totals.files.toLocaleString('en')}</dd>
          </dl>
          <p class="aside">
            Counted <Moment at={countedAt} />, at most every ten minutes.
          </p>
        </section>
        <section aria-labelledby="growth">
          <h2 id="growth">Created in the last 30 days</h2>
          <table class="facts-table" aria-labelledby="growth">
            <thead>
              <tr>
                <th scope="col">Day</th>
                <th scope="col" class="number">
                  Accounts
                </th>
                <th scope="col" class="number">
                  Documents
                </th>
                <th scope="col">
                  <span class="visually-hidden">Documents as a bar</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {days.toReversed().map(({ day, accounts, documents }) => (
                <tr>
                  <td>{day}</td>
                  <td class="number">{accounts}</td>
                  <td class="number">{documents}</td>
                  <td>
                    {documents > 0 && <progress max={most} value={documents} aria-hidden="true" />}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </>
    ),
  });
}
