import type { ServiceError } from '../../base/errors.ts';
import { requireAccount } from '../../core/identity/account-service.ts';
import { seeOther } from '../../surfaces/web/account-parts.ts';
import { personPath } from '../../surfaces/web/addresses.ts';
import type { AppParts, AppRequest } from '../../surfaces/web/app-parts.ts';
import { forAdministrators } from '../../surfaces/web/for-administrators.ts';
import {
  type Faults,
  faultsOf,
  isCorrectable,
  pageNumberOf,
  readForm,
} from '../../surfaces/web/form.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { LIST_SIZE } from '../../surfaces/web/pages/pager.tsx';
import { unlinkPerson } from '../factors/provider-service.ts';
import { resetSecondFactor } from '../factors/reset-factor-service.ts';
import { handOver } from '../moves/hand-over-service.ts';
import { fateOf, handOverOf, handOverPage, NO_HAND_OVER, readHandOver } from './hand-over-form.tsx';
import { linkPage, newPersonPage, peoplePage } from './people-page.tsx';
import { getPerson, listPeople } from './people-service.ts';
import { PEOPLE_FILTERS } from './people-store.ts';
import {
  ACT_NAMES,
  ACTS,
  type ActName,
  actPage,
  changeAddressPage,
  deletePersonPage,
  personPage,
  renamePersonPage,
} from './person-page.tsx';
import {
  changePerson,
  createPerson,
  deletePerson,
  describeDeletion,
  endSessionsOf,
  makeResetLink,
  revokeAccessOf,
  unlockPerson,
} from './person-service.ts';

const PATH = '/admin/people';

interface PersonRoute {
  Params: { username: string };
}

interface ListRoute {
  Querystring: { q?: unknown; filter?: unknown; page?: unknown };
}

/** Adds `/admin/people`: the accounts, and what administrators can do with each. */
export function addPeopleRoutes(parts: AppParts): void {
  const { context, goOn, show, upstreamName } = parts;
  const hasPasswords = context.signIn.passwords === 'on';
  const signIn = { hasPasswords, provider: upstreamName };
  const { get, post: postUnproven } = forAdministrators(parts);
  // A stolen session must not make links to new passwords, or administrators.
  const post: typeof postUnproven = (path, handle) => postUnproven(path, parts.proven(handle));

  get('/admin', async ({ reply }) => seeOther(reply, PATH));

  get<ListRoute>(PATH, async (asked) => {
    const { query } = asked.request;
    const filter = PEOPLE_FILTERS.find((one) => one === query.filter) ?? 'all';
    const search = typeof query.q === 'string' ? query.q : '';
    const page = pageNumberOf(query.page);
    const part = { number: page, size: LIST_SIZE };
    const found = await listPeople(context, asked.call.actor, { filter, search }, part);
    const people = { ...found, page };
    return show(asked, peoplePage({ people, filter, search, signIn, now: context.now() }));
  });

  get(`${PATH}/new`, async (asked) =>
    show(
      asked,
      newPersonPage({ username: '', email: '', withLink: hasPasswords, signIn, faults: {} }),
    ),
  );

  post(`${PATH}/new`, async (asked) => {
    const { link: wanted, ...form } = readForm(asked.request.body, ['username', 'email', 'link']);
    const withLink = wanted === 'yes';
    const username = form.username.trim();
    try {
      const input = { username, email: form.email, withLink };
      const { account, link } = await createPerson(context, asked.call.actor, input);
      // Shown in this response rather than after a redirect, so that it is stored nowhere.
      if (link)
        return show(asked, linkPage({ username: account.username, link, isNew: true }), 201);
      return goOn(asked, personPath(account.username), { message: 'Account created.' });
    } catch (error) {
      if (!isCorrectable(error)) throw error;
      return show(
        asked,
        newPersonPage({ ...form, withLink, signIn, faults: faultsOf(error) }),
        422,
      );
    }
  });

  get<PersonRoute>(`${PATH}/:username`, async (asked) => {
    const person = await getPerson(context, asked.call.actor, asked.request.params.username);
    return show(asked, personPage({ person, signIn, now: context.now() }));
  });

  for (const name of ACT_NAMES) {
    get<PersonRoute>(`${PATH}/:username/${name}`, async (asked) =>
      show(asked, actPage({ username: await usernameOf(asked), name })),
    );
    post<PersonRoute>(`${PATH}/:username/${name}`, async (asked) => {
      const username = await usernameOf(asked);
      return correctable(
        asked,
        async () => {
          const link = await act(asked, name, username);
          if (link) return show(asked, linkPage({ username, link, isNew: false }), 201);
          return goOn(asked, personPath(username), { message: ACTS[name].done(username) });
        },
        (error) =>
          actPage({
            username,
            name,
            form: readHandOver(asked.request.body),
            faults: faultsOf(error),
          }),
      );
    });
  }

  /** @returns the link that an act made */
  async function act(
    { call, request }: AppRequest,
    name: ActName,
    username: string,
  ): Promise<string | undefined> {
    if (name === 'reset-link') return makeResetLink(context, call.actor, username);
    const change = {
      verify: () => changePerson(context, call.actor, username, { emailVerified: true }),
      disable: () => {
        const { documents, to } = readHandOver(request.body);
        const handOverTo = documents === 'hand-over' ? to : undefined;
        return changePerson(context, call.actor, username, { disabled: true, handOverTo });
      },
      enable: () => changePerson(context, call.actor, username, { disabled: false }),
      'make-admin': () => changePerson(context, call.actor, username, { admin: true }),
      'remove-admin': () => changePerson(context, call.actor, username, { admin: false }),
      unlock: () => unlockPerson(context, call.actor, username),
      sessions: () => endSessionsOf(context, call.actor, username),
      access: () => revokeAccessOf(context, call.actor, username),
      'second-factor': () => resetSecondFactor(context, call.actor, username),
      unlink: () => unlinkPerson(context, call.actor, username, upstreamName ?? 'the provider'),
    }[name];
    await change();
    return undefined;
  }

  const renameForm = (username: string, to: string, faults: Faults) =>
    renamePersonPage({ username, to, faults });

  get<PersonRoute>(`${PATH}/:username/rename`, async (asked) => {
    const username = await usernameOf(asked);
    return show(asked, renameForm(username, username, {}));
  });

  post<PersonRoute>(`${PATH}/:username/rename`, async (asked) => {
    const username = await usernameOf(asked);
    const { to } = readForm(asked.request.body, ['to']);
    return correctable(
      asked,
      async () => {
        const change = { username: to.trim() };
        const renamed = await changePerson(context, asked.call.actor, username, change);
        const message = `${username} is ${renamed.username} now.`;
        return goOn(asked, personPath(renamed.username), { message });
      },
      (error) => renameForm(username, to, faultsOf(error)),
    );
  });

  get<PersonRoute>(`${PATH}/:username/email`, async (asked) => {
    const { username, email } = await accountOf(asked);
    return show(asked, changeAddressPage({ username, email, faults: {} }));
  });

  post<PersonRoute>(`${PATH}/:username/email`, async (asked) => {
    const username = await usernameOf(asked);
    const { email } = readForm(asked.request.body, ['email']);
    return correctable(
      asked,
      async () => {
        await changePerson(context, asked.call.actor, username, { email });
        return goOn(asked, personPath(username), { message: 'Address changed.' });
      },
      (error) => changeAddressPage({ username, email, faults: faultsOf(error) }),
    );
  });

  get<PersonRoute>(`${PATH}/:username/hand-over`, async (asked) => {
    const username = await usernameOf(asked);
    return show(asked, handOverPage({ username, form: NO_HAND_OVER, faults: {} }));
  });

  post<PersonRoute>(`${PATH}/:username/hand-over`, async (asked) => {
    const username = await usernameOf(asked);
    const form = readHandOver(asked.request.body);
    return correctable(
      asked,
      async () => {
        const number = await handOver(context, asked.call.actor, username, handOverOf(form));
        const message = `${number} ${number === 1 ? 'document' : 'documents'} handed over.`;
        return goOn(asked, personPath(username), { message });
      },
      (error) => handOverPage({ username, form, faults: faultsOf(error) }),
    );
  });

  const deleteForm = async (
    asked: AppRequest,
    username: string,
    form = NO_HAND_OVER,
    faults: Faults = {},
  ) => {
    const deletion = await describeDeletion(context, asked.call.actor, username);
    return deletePersonPage({ username, deletion, form, faults });
  };

  get<PersonRoute>(`${PATH}/:username/delete`, async (asked) =>
    show(asked, await deleteForm(asked, await usernameOf(asked))),
  );

  post<PersonRoute>(`${PATH}/:username/delete`, async (asked) => {
    const username = await usernameOf(asked);
    const { confirmation } = readForm(asked.request.body, ['confirmation']);
    const form = readHandOver(asked.request.body);
    return correctable(
      asked,
      async () => {
        const documents = fateOf(form);
        await deletePerson(context, asked.call.actor, username, { confirmation, documents });
        return goOn(asked, PATH, { message: `${username} is deleted.` });
      },
      (error) => deleteForm(asked, username, form, faultsOf(error)),
    );
  });

  /** Runs the action of a form, which is shown again if the user can fix the error. */
  async function correctable<Result>(
    asked: AppRequest,
    work: () => Promise<Result>,
    again: (error: ServiceError) => AppPage | Promise<AppPage>,
  ) {
    try {
      return await work();
    } catch (error) {
      if (!isCorrectable(error)) throw error;
      return show(asked, await again(error), 422);
    }
  }

  /** @throws NOT_FOUND */
  function accountOf({ request }: AppRequest<PersonRoute>) {
    return requireAccount(context.sql.read, request.params.username);
  }

  /** Returns the username as it is stored. @throws NOT_FOUND */
  async function usernameOf(asked: AppRequest<PersonRoute>): Promise<string> {
    return (await accountOf(asked)).username;
  }
}
