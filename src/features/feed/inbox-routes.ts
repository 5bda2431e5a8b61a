import { FieldError } from '../../base/errors.ts';
import { requireDocument } from '../../core/document/authorize.ts';
import { WATCH_LEVELS } from '../../core/event/concerned.ts';
import { pathOfRef } from '../../surfaces/web/addresses.ts';
import type { AppParts } from '../../surfaces/web/app-parts.ts';
import { addDocumentRoutes } from '../../surfaces/web/document-routes.ts';
import { pageNumberOf, readForm, requireChoice } from '../../surfaces/web/form.ts';
import { withDetails } from './inbox-details-service.ts';
import { INBOX_PATH, INBOX_SIZE, inboxPage, inboxPath } from './inbox-page.tsx';
import { getInbox, markDocumentRead, markRead, putOffDocument } from './inbox-service.ts';
import { INBOX_VIEWS } from './inbox-store.ts';
import { LATER_CHOICES, laterUntil } from './later.ts';
import { notificationsPage, WATCH_CHOICES } from './notifications-page.tsx';
import { getWatchLevel, setWatchLevel } from './watch-service.ts';

/**
 * Adds `/inbox`, and `/notifications/…`, where users choose which events of a document they get
 * there.
 */
export function addInboxRoutes(parts: AppParts): void {
  const { context } = parts;

  parts.get<{ Querystring: { page?: unknown; show?: unknown } }>(INBOX_PATH, async (asked) => {
    const { call, request } = asked;
    const page = pageNumberOf(request.query.page);
    const slice = { number: page, size: INBOX_SIZE };
    const show = INBOX_VIEWS.find((each) => each === request.query.show) ?? 'all';
    const { items, total } = await getInbox(call, show, slice);
    const entries = { items: await withDetails(context, items), total };
    const shown = inboxPage({
      username: call.actor.username,
      now: context.now(),
      ...entries,
      page,
      show,
    });
    return parts.show(asked, shown);
  });

  parts.post(INBOX_PATH, (asked) => {
    const form = readForm(asked.request.body, ['until', 'document', 'show', 'later', 'offset']);
    const { until, document, show, later } = form;
    const view = INBOX_VIEWS.find((each) => each === show) ?? 'all';
    return parts.act(asked, inboxPath(view), async () => {
      if (document !== '' && later === 'now') {
        await putOffDocument(asked.call, document, null);
        return undefined;
      }
      if (document !== '' && later !== '') {
        const choice = requireChoice(LATER_CHOICES, later, 'later');
        const time = laterUntil(choice, context.now(), Number(form.offset) || 0);
        await putOffDocument(asked.call, document, time);
        const message = `Comes back ${choice === 'tomorrow' ? 'tomorrow' : 'on Monday'} at 8.`;
        return { message, undo: { action: INBOX_PATH, fields: { document, later: 'now', show } } };
      }
      if (document !== '') {
        await markDocumentRead(asked.call, document);
        return undefined;
      }
      if (!/^\d{1,15}$/.test(until)) {
        throw new FieldError('BAD_REQUEST', 'until', 'must be the position of an entry.');
      }
      await markRead(asked.call, Number(until));
      return undefined;
    });
  });

  addDocumentRoutes(parts, 'notifications', {
    get: async (asked, ref) => {
      const { document } = await requireDocument(context.sql.read, asked.call.actor, ref, 'read');
      const level = await getWatchLevel(asked.call, ref);
      return parts.show(asked, notificationsPage(document, level));
    },
    post: (asked, ref) => {
      const form = readForm(asked.request.body, ['level']);
      return parts.act(asked, pathOfRef('notifications', ref), async () => {
        const level = requireChoice(WATCH_LEVELS, form.level, 'level');
        await setWatchLevel(asked.call, ref, level);
        return { message: `Notifications: ${WATCH_CHOICES[level].label.toLowerCase()}.` };
      });
    },
  });
}
