import { requireDocument } from '../../document/authorize.ts';
import { WATCH_LEVELS } from '../../document/feed/concerned.ts';
import { withDetails } from '../../document/feed/inbox-details-service.ts';
import { getInbox, markRead } from '../../document/feed/inbox-service.ts';
import { getWatchLevel, setWatchLevel } from '../../document/feed/watch-service.ts';
import { FieldError } from '../../errors.ts';
import { pageNumberOf, readForm, requireChoice } from '../form.ts';
import { INBOX_PATH, INBOX_SIZE, inboxPage } from '../pages/app/inbox-page.tsx';
import { notificationsPage, WATCH_CHOICES } from '../pages/app/notifications-page.tsx';
import { pathOfRef } from './addresses.ts';
import type { AppParts } from './app-parts.ts';
import { addDocumentRoutes } from './document-routes.ts';

/**
 * Adds `/inbox`, and `/notifications/…`, where users choose which events of a document they get
 * there.
 */
export function addInboxRoutes(parts: AppParts): void {
  const { context } = parts;

  parts.get<{ Querystring: { page?: unknown } }>(INBOX_PATH, async (asked) => {
    const { actor, request } = asked;
    const page = pageNumberOf(request.query.page);
    const slice = { number: page, size: INBOX_SIZE };
    const { items, total } = await getInbox(context, actor, { onlyUnread: false }, slice);
    const entries = { items: await withDetails(context, items), total };
    const shown = inboxPage({ username: actor.username, now: context.now(), ...entries, page });
    return parts.show(asked, shown);
  });

  parts.post(INBOX_PATH, (asked) => {
    const { until } = readForm(asked.request.body, ['until']);
    return parts.act(asked, INBOX_PATH, async () => {
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
