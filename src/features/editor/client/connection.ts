import type { ShownPeople } from '../../presence/client/people.ts';
import type { SentChange } from './co-editing.ts';

/** How long to wait before connecting again, in ms: at first, and at most. */
const FIRST_PAUSE_MS = 500;
const LAST_PAUSE_MS = 15_000;
/** After this many attempts without success, the way is blocked, probably by a proxy. */
const ATTEMPTS = 3;
/** How often to exchange changes where no connection can be made. */
const EXCHANGE_MS = 2_000;
/** How long an answer can take before the connection counts as dead. */
const ANSWER_MS = 10_000;
/** The largest message. Longer ones go by POST. */
const MAX_MESSAGE = 100_000;
/** The service's reason for closing when access has ended. */
const LOST = 4403;

/** The account has too many pages open. */
const TOO_MANY = 4429;

/** The document, as the service describes it to editors. */
export interface DocumentState {
  version: number;
  etag: string;
  owner: string;
  name: string;
  title: string;
  visibility: string;
  path: string;
  readPath: string;
}

/** Someone else who has the document open, and where they write. */
export interface Peer {
  clientId: string;
  username: string;
  caret: { number: number; anchor: number; head: number } | null;
}

export interface Joined {
  list: string;
  number: number;
  changes: SentChange[];
  text?: string;
  taken?: number;
  document: DocumentState;
}

export interface Known {
  list?: string | undefined;
  number?: number;
  version?: number;
}

export interface Push {
  list: string;
  seen: number;
  changes: { clientId: string; changes: unknown; replaces?: boolean | undefined }[];
}

type Message =
  | ({ type: 'joined' } & Joined)
  | { type: 'changes'; list: string; changes: SentChange[]; from: number }
  | { type: 'document'; document: DocumentState; saved: number }
  | { type: 'peers'; peers: Peer[] }
  | { type: 'people'; people: ShownPeople }
  | { type: 'happened'; left?: Writer }
  | { type: 'lost' }
  | { type: 'saved'; isNamed: boolean }
  | { type: 'refused'; code: string; message: string };

/** A program, and for whom it writes. */
export type Writer = Pick<SentChange, 'author' | 'viaName'>;

/** What the service says. */
interface Heard {
  joined(joined: Joined): void;
  changes(from: number, list: string, changes: SentChange[]): void;
  document(document: DocumentState, saved: number): void;
  peers(peers: Peer[]): void;
  /**
   * Something else has happened to the document, such as a comment.
   *
   * @param left the program that left a comment or suggestion
   */
  happened(left: Writer | undefined): void;
  /** The last request to save was answered. */
  saved(isNamed: boolean): void;
  /** The last push was refused. */
  refused(status: number, body: string): void;
  /** Whether there is a connection. */
  online(isOnline: boolean): void;
}

/** The way to the document's list of changes on the service. */
export interface Connection {
  push(push: Push): void;
  /** Sends changes as the page goes, without an answer. */
  leave(push: Push): void;
  caret(caret: { number: number; anchor: number; head: number }): void;
  /** @param message what the user says about this version */
  save(message?: string): void;
  /** Joins anew, because the list was lost. */
  join(): void;
}

/**
 * Connects to a document's list, again and again. Where no WebSocket can be opened, exchanges
 * changes with requests.
 *
 * @param clientId returns the editor's id
 * @param known returns what the editor has
 */
export function connect(
  documentId: string,
  clientId: () => string,
  known: () => Known,
  heard: Heard,
): Connection {
  const path = `/live/edit/${documentId}`;
  let socket: WebSocket | undefined;
  let pause = FIRST_PAUSE_MS;
  let attempts = 0;
  let wasOpen = false;
  let isByRequests = false;
  let answerTimer = 0;

  function open(): void {
    if (!navigator.onLine) {
      addEventListener('online', open, { once: true });
      return;
    }
    const url = new URL(path, location.href);
    url.protocol = url.protocol.replace('http', 'ws');
    const opened = new WebSocket(url);
    opened.addEventListener('open', () => {
      socket = opened;
      [wasOpen, attempts, pause] = [true, 0, FIRST_PAUSE_MS];
      send({ type: 'join', client: clientId(), known: known() });
    });
    opened.addEventListener('message', ({ data }) => {
      clearTimeout(answerTimer);
      hear(JSON.parse(data));
    });
    opened.addEventListener('close', ({ code }) => {
      clearTimeout(answerTimer);
      if (socket === opened) socket = undefined;
      heard.online(false);
      // The answer to a request says why.
      if (code === LOST) {
        void exchange();
        return;
      }
      attempts += 1;
      if (code === TOO_MANY || (!wasOpen && attempts >= ATTEMPTS)) {
        isByRequests = true;
        void exchangeAlways();
        return;
      }
      setTimeout(open, pause * (0.5 + Math.random()));
      pause = Math.min(pause * 2, LAST_PAUSE_MS);
    });
  }

  function hear(message: Message): void {
    switch (message.type) {
      case 'joined':
        heard.online(true);
        heard.joined(message);
        return;
      case 'changes':
        heard.changes(message.from, message.list, message.changes);
        return;
      case 'document':
        heard.document(message.document, message.saved);
        return;
      case 'peers':
        heard.peers(message.peers);
        return;
      case 'people':
        document.dispatchEvent(new CustomEvent('people', { detail: message.people }));
        return;
      case 'happened':
        heard.happened(message.left);
        return;
      case 'saved':
        heard.saved(message.isNamed);
        return;
      case 'refused':
        heard.refused(422, JSON.stringify({ error: message }));
        return;
      case 'lost':
        send({ type: 'join', client: clientId(), known: known() });
        return;
    }
  }

  function send(message: object, isAnswered = true): void {
    if (socket?.readyState !== WebSocket.OPEN) return;
    socket.send(JSON.stringify(message));
    if (!isAnswered) return;
    clearTimeout(answerTimer);
    answerTimer = window.setTimeout(() => socket?.close(), ANSWER_MS);
  }

  function post(push: Push | undefined, keepalive = false): Promise<Response> {
    return fetch(path, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify({ client: clientId(), known: known(), push }),
      keepalive,
    });
  }

  /** Sends changes and gets those of others by a request. */
  async function exchange(push?: Push): Promise<void> {
    let response: Response;
    let body: string;
    try {
      response = await post(push);
      body = await response.text();
    } catch {
      heard.online(false);
      // What wasn't sent is sent again when the connection is there again.
      socket?.close();
      return;
    }
    if (!response.ok) {
      heard.refused(response.status, body);
      return;
    }
    heard.online(true);
    const joined: Joined = JSON.parse(body);
    heard.joined(joined);
  }

  let waiting: Push | undefined;

  async function exchangeAlways(): Promise<void> {
    for (;;) {
      const push = waiting;
      waiting = undefined;
      await exchange(push);
      await new Promise((resolve) => setTimeout(resolve, EXCHANGE_MS));
    }
  }

  addEventListener('offline', () => {
    socket?.close();
    heard.online(false);
  });
  open();
  return {
    push(push) {
      if (isByRequests) waiting = push;
      else if (JSON.stringify(push).length > MAX_MESSAGE) void exchange(push);
      else send({ type: 'push', push });
    },
    leave: (push) => void post(push, true).catch(() => {}),
    caret: (caret) => send({ type: 'caret', ...caret }, false),
    save(message) {
      if (isByRequests) heard.saved(false);
      else send({ type: 'save', message });
    },
    join: () =>
      isByRequests ? undefined : send({ type: 'join', client: clientId(), known: known() }),
  };
}
