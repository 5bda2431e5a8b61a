import type { Means, Via } from '../base/schema/means.ts';
import type { DocumentAction } from './document/access-rules.ts';
import type { ReviewAction } from './review/review-access.ts';

/** What someone does at a document, the least first: of several, a program is shown doing the most. */
export const DOINGS = ['waits', 'reads', 'comments', 'edits'] as const;
export type Doing = (typeof DOINGS)[number];

/** How long someone is shown after they were last heard of. */
export const PRESENT_FOR_MS = 60_000;

/** How long reading doesn't replace what a program has done before. It reads before and after. */
const DOING_FOR_MS = 10_000;

/** How many documents a program can be shown at. One that goes through hundreds is at none of them. */
const MAX_DOCUMENTS = 20;

/** The actor of a call; a browser's has no credential. */
interface Caller {
  id: string;
  via: Via;
  credentialId?: string;
}

/** Someone at a document. */
export interface Present {
  documentId: string;
  /** The connection of a page, or the credential of a program. */
  key: string;
  accountId: string;
  /** The browser's session; `null` for programs. */
  sessionId: string | null;
  via: Means;
  viaName: string | null;
  doing: Doing;
  /** The source line of the caret, from 1, if known. */
  line: number | null;
}

/** Someone whom this process knows to be at a document. */
export interface PresentHere extends Present {
  /** When they were last heard of. */
  at: string;
  /** Whether a connection is open or a call waits, so that they are still there. */
  isThere: boolean;
  /** What was stored last. */
  stored: { at: string; doing: Doing } | undefined;
}

/** Who is at which document, as far as this process knows. Kept in memory; nothing waits for it. */
export interface Presence {
  /** Adds an open page. @returns a function that removes it, and the page, whose line can be set */
  open(page: Omit<Present, 'via' | 'viaName' | 'line'>): { page: PresentHere; close: () => void };
  /** Call when a program has found a document to do something with it. Does nothing for browsers. */
  called(caller: Caller, documentId: string, action: DocumentAction | ReviewAction): void;
  /**
   * Call while a program waits for events.
   *
   * @param documentIds `undefined` for those that it was at in the last minute
   * @returns a function to call when it waits no longer
   */
  waits(caller: Caller, documentIds: readonly string[] | undefined): () => void;
  /** Forgets programs that weren't heard of for a minute, and returns all others. */
  all(): PresentHere[];
  /** Returns those who have left since the last call, if they were stored. */
  takeLeft(): PresentHere[];
}

/** @param now returns the time, as ISO 8601 */
export function createPresence(now: () => string): Presence {
  const pages = new Set<PresentHere>();
  /** By credential and document. */
  const programs = new Map<string, Map<string, PresentHere>>();
  /** How many calls wait. */
  const waiting = new WeakMap<PresentHere, number>();
  let left: PresentHere[] = [];

  function programAt(caller: Caller, documentId: string, doing: Doing): PresentHere | undefined {
    const { id: accountId, credentialId: key, via } = caller;
    if (key === undefined) return undefined;
    const documents = programs.get(key) ?? new Map<string, PresentHere>();
    const known = documents.get(documentId);
    if (known) return known;
    if (documents.size >= MAX_DOCUMENTS) {
      if (doing === 'reads') return undefined;
      const [idle] = documents.values().filter(({ isThere }) => !isThere);
      if (!idle) return undefined;
      documents.delete(idle.documentId);
      left.push(idle);
    }
    const added: PresentHere = {
      documentId,
      key,
      accountId,
      sessionId: null,
      via: via.means,
      viaName: via.name,
      doing,
      line: null,
      at: now(),
      isThere: false,
      stored: undefined,
    };
    programs.set(key, documents);
    documents.set(documentId, added);
    return added;
  }

  return {
    open(opened) {
      const page: PresentHere = {
        ...opened,
        via: 'web',
        viaName: null,
        line: null,
        at: now(),
        isThere: true,
        stored: undefined,
      };
      pages.add(page);
      const close = () => {
        if (pages.delete(page)) left.push(page);
      };
      return { page, close };
    },
    called(caller, documentId, action) {
      const doing = doingOf(action);
      const program = programAt(caller, documentId, doing);
      if (!program) return;
      // Another of its calls waits.
      if (doing === 'reads' && program.isThere) return;
      const at = now();
      const isOver = Date.parse(at) - Date.parse(program.at) >= DOING_FOR_MS;
      if (!isOver && DOINGS.indexOf(doing) < DOINGS.indexOf(program.doing)) return;
      program.doing = doing;
      program.at = at;
    },
    waits(caller, documentIds) {
      const { credentialId: key = '' } = caller;
      const ids = documentIds ?? [...(programs.get(key)?.keys() ?? [])];
      const at = ids.flatMap((id) => programAt(caller, id, 'waits') ?? []);
      for (const each of at) {
        each.doing = 'waits';
        each.at = now();
        each.isThere = true;
        waiting.set(each, (waiting.get(each) ?? 0) + 1);
      }
      return () => {
        for (const each of at) {
          const count = (waiting.get(each) ?? 1) - 1;
          waiting.set(each, count);
          each.isThere = count > 0;
          each.at = now();
        }
      };
    },
    all() {
      const since = new Date(Date.parse(now()) - PRESENT_FOR_MS).toISOString();
      for (const [key, documents] of programs) {
        for (const { documentId, isThere, at } of documents.values()) {
          if (!isThere && at <= since) documents.delete(documentId);
        }
        if (documents.size === 0) programs.delete(key);
      }
      return [...pages, ...programs.values().flatMap((documents) => documents.values())];
    },
    takeLeft() {
      const taken = left.filter(({ stored }) => stored);
      left = [];
      return taken;
    },
  };
}

function doingOf(action: DocumentAction | ReviewAction): Doing {
  switch (action) {
    case 'editContent':
      return 'edits';
    case 'comment':
    case 'close':
    case 'accept':
      return 'comments';
    default:
      return 'reads';
  }
}
