import { FieldError } from '../../base/errors.ts';
import { requireDocument } from '../../core/document/authorize.ts';
import { WATCH_LEVELS } from '../../core/event/concerned.ts';
import { pathOfRef } from '../../surfaces/web/addresses.ts';
import type { AppParts } from '../../surfaces/web/app-parts.ts';
import { addDocumentRoutes } from '../../surfaces/web/document-routes.ts';
import { pageNumberOf, readForm, requireChoice } from '../../surfaces/web/form.ts';
import { withDetails } from './inbox-details-service.ts';
import { INBOX_PATH, INBOX_SIZE, INBOX_VIEWS, inboxPage, inboxPath } from './inbox-page.tsx';
import { getInbox, markDocumentRead, markRead } from './inbox-service.ts';
import { notificationsPage, WATCH_CHOICES } from './notifications-page.tsx';
import { getWatchLevel, setWatchLevel } from './watch-service.ts';

/**
 * Adds `/inbox`, and `/notifications/…`, where users choose which events of a document they get
 * there.
 */
export function addInboxRoutes(parts: AppParts): void {
  const { context } = parts;

  parts.get<{ Querystring: { page?: unknown; show?: unknown } }>(INBOX_PATH, async (asked) => {
    const { actor, request } = asked;
    const page = pageNumberOf(request.query.page);
    const slice = { number: page, size: INBOX_SIZE };
    const show = INBOX_VIEWS.find((each) => each === request.query.show) ?? 'all';
    const which = {
      onlyUnread: show === 'unread',
      reason: show === 'review' || show === 'mention' ? show : undefined,
    };
    const { items, total } = await getInbox(context, actor, which, slice);
    const entries = { items: await withDetails(context, items), total };
    const shown = inboxPage({
      username: actor.username,
      now: context.now(),
      ...entries,
      page,
      show,
    });
    return parts.show(asked, shown);
  });

  parts.post(INBOX_PATH, (asked) => {
    const { until, document, show } = readForm(asked.request.body, ['until', 'document', 'show']);
    const view = INBOX_VIEWS.find((each) => each === show) ?? 'all';
    return parts.act(asked, inboxPath(view), async () => {
      if (document !== '') {
        await markDocumentRead(context, asked.actor, document);
        return undefined;
      }
      if (!/^\d{1,15}$/.test(until)) {
        throw new FieldError('BAD_REQUEST', 'until', 'must be the position of an entry.');
      }
      await markRead(context, asked.actor, Number(until));
      return undefined;
    });
  });

  addDocumentRoutes(parts, 'notifications', {
    get: async (asked, ref) => {
      const { document } = await requireDocument(context.sql.read, asked.actor, ref, 'read');
      const level = await getWatchLevel(context, asked.actor, ref);
      return parts.show(asked, notificationsPage(document, level));
    },
    post: (asked, ref) => {
      const form = readForm(asked.request.body, ['level']);
      return parts.act(asked, pathOfRef('notifications', ref), async () => {
        const level = requireChoice(WATCH_LEVELS, form.level, 'level');
        await setWatchLevel(context, asked.actor, ref, level);
        return { message: `Notifications: ${WATCH_CHOICES[level].label.toLowerCase()}.` };
      });
    },
  });
}
