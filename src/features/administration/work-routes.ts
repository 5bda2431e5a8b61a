import type { AppParts, AppRequest } from '../../surfaces/web/app-parts.ts';
import { forAdministrators } from '../../surfaces/web/for-administrators.ts';
import { readForm, requireChoice } from '../../surfaces/web/form.ts';
import { describeStorage } from './storage-service.ts';
import { storagePage, type Tests, workPage } from './work-page.tsx';
import { describeWork, RETRIED, retryWork, sendTestMail, testProvider } from './work-service.ts';

const PATH = '/admin/work';

/** Adds `/admin/work` and `/admin/storage`. */
export function addWorkRoutes(parts: AppParts): void {
  const { context, act, site, show, upstreamName } = parts;
  const { get, post } = forAdministrators(parts);

  async function showWork(asked: AppRequest, tested: Tests = {}) {
    const work = await describeWork(context, asked.call.actor);
    const { sendsMail } = site;
    const newest = await context.newestRelease();
    const page = { work, sendsMail, provider: upstreamName, newest, ...tested, now: context.now() };
    return show(asked, workPage(page));
  }

  get(PATH, (asked) => showWork(asked));

  post(`${PATH}/test-mail`, async (asked) =>
    showWork(asked, { mail: await sendTestMail(asked.call) }),
  );

  post(`${PATH}/test-sign-in`, async (asked) =>
    showWork(asked, { signIn: { fault: await testProvider(asked.call) } }),
  );

  post(`${PATH}/retry`, (asked) =>
    act(asked, PATH, async () => {
      const { work } = readForm(asked.request.body, ['work']);
      const tried = await retryWork(asked.call, requireChoice(RETRIED, work, 'work'));
      const what = work === 'mail' ? 'mails' : 'deliveries';
      return { message: `${tried} ${what} are tried again now.` };
    }),
  );

  get('/admin/storage', async (asked) =>
    show(asked, storagePage({ facts: await describeStorage(context, asked.call.actor) })),
  );
}
