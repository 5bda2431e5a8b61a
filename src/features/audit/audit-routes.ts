import type { FastifyReply } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import { isAuditAction } from '../../core/audit/actions.ts';
import { requireAllowed } from '../../core/owner/organization-service.ts';
import { AUDIT_PATH, organizationPath } from '../../surfaces/web/addresses.ts';
import type { AppParts, AppRequest } from '../../surfaces/web/app-parts.ts';
import { forAdministrators } from '../../surfaces/web/for-administrators.ts';
import { readForm, requireDay } from '../../surfaces/web/form.ts';
import { settingsPath } from '../../surfaces/web/pages/settings-page.tsx';
import type { OwnOrganization } from '../organizations/organization-frame.tsx';
import { LINES_TYPE, linesOf } from './audit-lines.ts';
import {
  type AuditForm,
  type AuditList,
  activityPage,
  organizationAuditPage,
  wholeAuditPage,
} from './audit-page.tsx';
import {
  allEntries,
  namesIn,
  organizationAudit,
  ownAudit,
  type ReadAudit,
  type WholeAuditQuery,
  wholeAudit,
} from './audit-service.ts';

const PAGE_SIZE = 50;
const EMPTY = { items: [], cursor: null };

interface OrganizationRoute {
  Params: { org: string };
}

/** Adds the pages of the audit trail: the user's, an organization's, and the whole. */
export function addAuditRoutes(parts: AppParts): void {
  const { context, get, show } = parts;

  const own = settingsPath('activity');
  get(own, async (asked) => {
    const list = await listAt(asked, own, ownAudit(asked.call, {}));
    return show(asked, activityPage(list, asked.call.actor.username));
  });
  get(`${own}.ndjson`, async (asked) => send(asked, ownAudit(asked.call, {})));

  const address = '/organizations/:org/audit';
  get<OrganizationRoute>(address, async (asked) => {
    const { call, request } = asked;
    const { org } = request.params;
    const organization = await requireAllowed(context.sql.read, call.actor, 'seeAudit', org);
    const path = organizationPath(org, 'audit');
    const list = await listAt(asked, path, organizationAudit(call, org, {}));
    return show(
      asked,
      organizationAuditPage(organization as OwnOrganization, list, call.actor.username),
    );
  });
  get<OrganizationRoute>(`${address}.ndjson`, async (asked) =>
    send(asked, organizationAudit(asked.call, asked.request.params.org, {})),
  );

  const administrators = forAdministrators(parts);
  administrators.get(AUDIT_PATH, async (asked) => {
    const form = readAuditForm(asked);
    const path = withQuery(AUDIT_PATH, form);
    const username = asked.call.actor.username;
    try {
      const list = await listAt(asked, path, wholeAudit(asked.call, queryOf(form)));
      const names = await namesIn(context, list.items);
      return await show(asked, wholeAuditPage(list, { form, fault: undefined, username, names }));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const list = { ...EMPTY, path, exportPath: '', isLater: false };
      const page = { form, fault: error.sentence, username, names: new Map() };
      return show(asked, wholeAuditPage(list, page), 422);
    }
  });
  administrators.get(`${AUDIT_PATH}.ndjson`, async (asked) => {
    return send(asked, wholeAudit(asked.call, queryOf(readAuditForm(asked))));
  });

  async function listAt(asked: AppRequest, path: string, read: ReadAudit): Promise<AuditList> {
    const { after } = readForm(asked.request.query, ['after']);
    const isLater = /^[0-9a-f-]{36}$/.test(after);
    const part = await read({ ...(isLater && { after }), size: PAGE_SIZE });
    return { ...part, path, exportPath: exportPathOf(path), isLater };
  }

  async function send({ request, reply }: AppRequest, read: ReadAudit): Promise<FastifyReply> {
    // A refusal is a page, so it comes before the headers.
    await read({ size: 1 });
    const day = context.now().slice(0, 10);
    reply.headers({
      'content-type': LINES_TYPE,
      'content-disposition': `attachment; filename="audit-${day}.ndjson"`,
      'cache-control': 'private, no-store',
    });
    const { requireSession } = request;
    return reply.send(request.method === 'HEAD' ? '' : linesOf(allEntries(read, requireSession)));
  }
}

function readAuditForm({ request }: AppRequest): AuditForm {
  return readForm(request.query, ['person', 'organization', 'action', 'since', 'until']);
}

/** Ignores what isn't an action. `until` includes its day. @throws BAD_REQUEST for what isn't a day */
function queryOf({ person, organization, action, since, until }: AuditForm): WholeAuditQuery {
  return {
    person: person.trim() || undefined,
    organization: organization.trim() || undefined,
    action: isAuditAction(action) ? action : undefined,
    since: dayOf('since', since),
    until: dayOf('until', until, 1),
  };
}

function dayOf(field: string, text: string, after = 0): string | undefined {
  if (text.trim() === '') return undefined;
  const time = requireDay(field, text);
  return new Date(time + after * 24 * 60 * 60_000).toISOString();
}

function withQuery(path: string, form: AuditForm): string {
  const given = Object.entries(form).filter(([, value]) => value !== '');
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

function exportPathOf(path: string): string {
  return path.replace(/(\?|$)/, '.ndjson$1');
}
