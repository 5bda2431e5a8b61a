import { BackEndUnavailable, ServiceError } from '../../base/errors.ts';
import { bestEffortWrite } from '../../core/best-effort-write.ts';
import { type Context, later } from '../../core/context.ts';
import { decide, isInsider } from '../../core/document/access-rules.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import type { Visit } from '../../core/identity/session-service.ts';
import { type Doing, PRESENT_FOR_MS, type PresentHere } from '../../core/presence.ts';
import { type CommentSetting, canReview } from '../../core/review/review-access.ts';
import { findReviewSettings } from '../../core/review/review-setting-store.ts';
import { type Person, type ShownPeople, showPeople } from './people.tsx';
import {
  deletePresent,
  deletePresentBefore,
  hasPresentBefore,
  listPresent,
  listPresentKeys,
  upsertPresent,
} from './presence-store.ts';

/** How often to write who has come or gone, and to look who has at other processes. */
const EVERY_MS = 500;

/** How often to write that someone is still there. */
const STILL_THERE_MS = 20_000;

/** An open page of a document: of a reader, or an editor. */
export interface OpenPage {
  documentId: string;
  /** As it was when the page connected. */
  document: DocumentRow;
  /** Absent for someone who has only a link. */
  visit: Visit | undefined;
  doing: Doing;
  /** Finds the document again. @throws ServiceError once the access or the session has ended */
  see(): Promise<DocumentRow>;
  show(people: ShownPeople): void;
  /** Ends the connection, because `see` failed. */
  lose(fault: unknown): void;
}

/** Who is at the documents that are open in this process, also at other processes. */
export interface PeopleAtDocuments {
  /** Adds a page: it is shown to others, and shows others, if both are allowed. */
  open(page: OpenPage): { moveTo(line: number): void; close(): void };
  /** Takes the pages of this process away. */
  stop(): Promise<void>;
}

/** A page that shows who else is there. */
interface Watcher extends OpenPage {
  shown: string;
}

/**
 * Creates the list of who is where. Only insiders are shown, so nobody is named for reading something
 * public, and only to insiders and people whose link lets them comment.
 *
 * @param onFailure called with faults, after which it goes on
 */
export function createPeople(
  context: Context,
  onFailure: (fault: unknown) => void,
): PeopleAtDocuments {
  const { presence, sql } = context;
  const watchers = new Map<string, Set<Watcher>>();
  /** Who was at each open document when its pages were told last. */
  const told = new Map<string, string>();
  let tidiedAt = context.now();
  let ticking: Promise<void> | undefined;
  const timer = setInterval(() => {
    ticking ??= tick().finally(() => {
      ticking = undefined;
    });
  }, EVERY_MS).unref();

  async function tick(): Promise<void> {
    try {
      await write();
      await tidy();
      if (watchers.size > 0) await look();
    } catch (fault) {
      if (!(fault instanceof BackEndUnavailable)) onFailure(fault);
    }
  }

  async function write(): Promise<void> {
    const now = context.now();
    const still = later(now, -STILL_THERE_MS);
    const due = presence.all().filter(({ isThere, at, doing, stored }) => {
      if (!stored || stored.doing !== doing) return true;
      return stored.at <= still && (isThere || at > stored.at);
    });
    const left = presence.takeLeft();
    if (due.length === 0 && left.length === 0) return;
    const rows = due.map((each) => ({ ...each, at: each.isThere ? now : each.at }));
    await bestEffortWrite(context, async () => {
      await sql.transaction(async (tx) => {
        await deletePresent(tx, left);
        await upsertPresent(tx, rows);
      });
      for (const [index, { at, doing }] of rows.entries()) {
        (due[index] as PresentHere).stored = { at, doing };
      }
    });
  }

  /** Deletes what has expired, also of processes that are gone. */
  async function tidy(): Promise<void> {
    const now = context.now();
    if (tidiedAt > later(now, -STILL_THERE_MS)) return;
    tidiedAt = now;
    const before = later(now, -PRESENT_FOR_MS);
    if (!(await hasPresentBefore(sql.read, before))) return;
    await bestEffortWrite(context, () => sql.transaction((tx) => deletePresentBefore(tx, before)));
  }

  async function look(): Promise<void> {
    const lines = linesHere();
    const states = new Map<string, string[]>();
    for (const each of await listPresentKeys(sql.read, later(context.now(), -PRESENT_FOR_MS))) {
      if (!watchers.has(each.documentId)) continue;
      const { documentId, key, doing } = each;
      const state = states.get(documentId) ?? [];
      state.push(`${key} ${doing} ${lines.get(key) ?? each.line}`);
      states.set(documentId, state);
    }
    const changed = [...watchers.keys()].filter((documentId) => {
      const state = states.get(documentId)?.sort().join('\n') ?? '';
      if (told.get(documentId) === state) return false;
      told.set(documentId, state);
      return true;
    });
    await Promise.all(changed.map((documentId) => tell(documentId, lines)));
  }

  /** Lines of pages of this process: they are newer than those in the database. */
  function linesHere(): Map<string, number> {
    return new Map(presence.all().flatMap(({ key, line }) => (line === null ? [] : [[key, line]])));
  }

  async function tell(documentId: string, lines: ReadonlyMap<string, number>): Promise<void> {
    const now = context.now();
    const since = later(now, -PRESENT_FOR_MS);
    const rows = await listPresent(sql.read, { documentId, since, now });
    const { comments } = await findReviewSettings(sql.read, documentId);
    const people: Person[] = rows
      .filter((row) => decide(row, 'read') === 'allow' && isInsider(row))
      .map((row) => ({ ...row, accountId: row.actorId, line: lines.get(row.key) ?? row.line }));
    await Promise.all(
      Array.from(watchers.get(documentId) ?? [], async (watcher) => {
        try {
          const document = await watcher.see();
          const seen = canSeePeople(document, comments) ? people : [];
          const named = isInsider(document) ? seen : seen.map(withoutProgram);
          const { id } = watcher.visit?.actor ?? {};
          const shown = showPeople(named.filter((each) => !isSelf(each, id)));
          const text = JSON.stringify(shown);
          if (text === watcher.shown) return;
          watcher.shown = text;
          watcher.show(shown);
        } catch (fault) {
          // An editor of a document that was protected meanwhile is told with its next change.
          if (fault instanceof ServiceError && fault.code === 'UNPROCESSABLE') return;
          if (!(fault instanceof ServiceError)) onFailure(fault);
          watcher.lose(fault);
        }
      }),
    );
  }

  return {
    open(opened) {
      const { documentId, document, visit, doing } = opened;
      const isIn = isInsider(document);
      const here =
        isIn && visit
          ? presence.open({
              documentId,
              key: context.newId(),
              accountId: visit.actor.id,
              sessionId: visit.sessionId,
              doing,
            })
          : undefined;
      const watcher: Watcher = { ...opened, shown: JSON.stringify(showPeople([])) };
      const all = watchers.get(documentId) ?? new Set();
      // Others couldn't see anyone, so their access isn't checked each time.
      if (isIn || document.link === 'comment') {
        watchers.set(documentId, all.add(watcher));
        told.delete(documentId);
      }
      return {
        moveTo(line) {
          if (here) here.page.line = line;
        },
        close() {
          here?.close();
          all.delete(watcher);
          if (all.size > 0 || watchers.get(documentId) !== all) return;
          watchers.delete(documentId);
          told.delete(documentId);
        },
      };
    },
    async stop() {
      clearInterval(timer);
      await ticking;
      const left = [...presence.all().filter(({ isThere }) => isThere), ...presence.takeLeft()];
      if (left.length === 0) return;
      await bestEffortWrite(context, () => sql.transaction((tx) => deletePresent(tx, left)));
    },
  };
}

/** Tells whether someone sees who is at a document: those who can edit it or comment, by more than reading. */
function canSeePeople(document: DocumentRow, comments: CommentSetting): boolean {
  if (decide(document, 'editContent') === 'allow') return true;
  return canReview(document, comments === 'off' ? 'off' : 'insiders', 'comment');
}

/** Leaves out a program's name, which only insiders see, as in the history (`firstWithNotes`). */
function withoutProgram(person: Person): Person {
  return { ...person, viaName: null };
}

/** Programs of the same account are someone else. */
function isSelf({ via, accountId }: Person, id: string | undefined): boolean {
  return via === 'web' && accountId === id;
}
