import { ChangeSet, StateEffect } from '@codemirror/state';
import { type EditorView, keymap } from '@codemirror/view';
import { changes } from '../../../base/text/changes.ts';
import { readRefusal } from '../../../surfaces/web/client/app/refusal.ts';
import { showToast } from '../../../surfaces/web/client/app/toast.ts';
import type { Session } from './session-types.ts';
import type { Parts } from './settings.ts';
import {
  commentCount,
  type LineThreads,
  type PlacedThread,
  setThreads,
  threadGutter,
  threadLines,
} from './thread-gutter.ts';
import { createThreadPanel } from './thread-panel.ts';

/** How often to look for new comments. */
const EVERY_MS = 60_000;

/**
 * Threads as sent by the service. Positions are in the text with this entity tag, with LF line
 * ends.
 */
interface Answer {
  etag: string;
  threads: { id: string; html: string; range: PlacedThread['range'] }[];
  /** What the user has done, to show in a toast. */
  message?: string;
}

/** How much of the text around a passage says which one it is. */
const AROUND = 32;

const COMPOSER =
  '<form class="new-comment stack" method="post">' +
  '<label for="new-comment" class="visually-hidden">Comment</label>' +
  '<textarea id="new-comment" name="body" rows="4" required></textarea>' +
  '<button type="submit" class="primary small">Comment</button></form>';

const JSON_ONLY = { accept: 'application/json' };

/** Shows the document's comments beside their lines, and opens them in a panel. */
export function showThreads(parts: Parts, view: EditorView, session: Session): void {
  const { form, settings } = parts;
  const button = form.querySelector<HTMLButtonElement>('#editor-threads');
  const cards = new Map<string, string>();
  let shown: Promise<void> | undefined;
  let shownLine = 0;

  const panel = createThreadPanel({
    async send(sent, submitter) {
      const path = pathOf();
      if (path === undefined) return undefined;
      // A new comment quotes what the service has to know.
      if (sent.matches('.new-comment')) await session.flush();
      const body = new URLSearchParams(
        new FormData(sent, submitter) as unknown as Record<string, string>,
      );
      let [isOk, text] = [false, ''];
      try {
        const response = await fetch(path, { method: 'POST', body, headers: JSON_ONLY });
        [isOk, text] = [response.ok, await response.text()];
      } catch {
        return 'Not sent: no connection.';
      }
      if (!isOk) return readRefusal(text).sentence;
      const answer: Answer = JSON.parse(text);
      if (answer.message !== undefined) showToast(answer.message);
      // Accepting a suggestion changes the text.
      await session.catchUp(answer.etag);
      await take(answer);
      // The editor's text is older than the card, for example in a conflict.
      if (answer.etag !== session.latest().etag) panel.close();
      else reopen();
      return undefined;
    },
    step,
    closed: () => view.focus(),
  });

  /** Returns the path of the comments; `undefined` while the document isn't saved yet. */
  function pathOf(): string | undefined {
    const { pathname } = new URL(form.action);
    return pathname.startsWith('/edit/') ? pathname.replace('/edit/', '/comments/') : undefined;
  }

  async function refresh(): Promise<void> {
    const path = pathOf();
    if (path === undefined) return;
    try {
      const response = await fetch(path, { headers: JSON_ONLY, cache: 'no-store' });
      if (response.ok) await take(await response.json());
    } catch {
      // Offline; the next attempt may find the service.
    }
  }

  /** Maps threads to the current text. */
  async function take({ etag, threads }: Answer): Promise<void> {
    if (threads.length > 0) {
      shown ??= begin();
      await shown;
    }
    const latest = session.latest();
    // The positions are in a version that the editor doesn't have yet.
    if (etag !== latest.etag) return;
    cards.clear();
    for (const { id, html } of threads) cards.set(id, html);
    const { doc } = view.state;
    const since = ChangeSet.of(changes(latest.content, doc.toString()), latest.content.length);
    const placed = threads.map(({ id, range }): PlacedThread => {
      if (!range) return { id, range };
      const from = since.mapPos(range.from, 1);
      return { id, range: { from, to: Math.max(from, since.mapPos(range.to, -1)) } };
    });
    if (shown) view.dispatch({ effects: setThreads.of(placed) });
    if (!button) return;
    button.hidden = threads.length === 0;
    const count = button.querySelector('.count');
    if (count) count.textContent = String(threads.length);
  }

  /** Adds the gutter once its style is loaded. */
  async function begin(): Promise<void> {
    const style = document.createElement('link');
    style.rel = 'stylesheet';
    style.href = settings.threadsStyle;
    const loaded = new Promise((resolve) => {
      for (const type of ['load', 'error']) style.addEventListener(type, resolve);
    });
    document.head.append(style);
    await loaded;
    view.dispatch({ effects: StateEffect.appendConfig.of(threadGutter(open)) });
  }

  /** Asks for a comment on what is selected, or else on the whole brief. */
  async function compose(): Promise<void> {
    const about = form.elements.namedItem('document');
    if (pathOf() === undefined || !(about instanceof HTMLInputElement)) return;
    shown ??= begin();
    await shown;
    const { doc, selection } = view.state;
    const { from, to } = selection.main;
    shownLine = from === to ? 1 : doc.lineAt(from).number;
    const fields = {
      act: 'open',
      document: about.value,
      quote: doc.sliceString(from, to),
      prefix: doc.sliceString(Math.max(0, from - AROUND), from),
      suffix: doc.sliceString(to, to + AROUND),
    };
    panel.show(from === to ? 'Comment on the whole brief' : 'Comment', [COMPOSER]);
    panel.fill(fields);
  }

  /** Comments on what is selected; else opens what others said. */
  function commentOrOpen(): boolean {
    if (view.state.selection.main.empty || !mayComment()) return openHere();
    void compose();
    return true;
  }

  const mayComment = () =>
    form.querySelector('.tools [data-command="comment"]:not([hidden])') !== null &&
    form.dataset.mode !== 'suggesting';

  function open(line: LineThreads): void {
    shownLine = line.number;
    const found = line.ids.flatMap((id) => cards.get(id) ?? []);
    panel.show(`Line ${line.number}: ${commentCount(found.length)}`, found);
  }

  /** Opens the threads of the cursor's line, or else the next ones. */
  function openHere(): boolean {
    const lines = threadLines(view.state);
    const { number } = view.state.doc.lineAt(view.state.selection.main.head);
    const line = lines.find((one) => one.number >= number) ?? lines[0];
    if (line) goTo(line);
    return line !== undefined;
  }

  function step(by: 1 | -1): void {
    const lines = threadLines(view.state);
    const after = lines.findIndex(({ number }) => number > shownLine);
    const before = lines.findLastIndex(({ number }) => number < shownLine);
    const line = by === 1 ? (lines[after] ?? lines[0]) : (lines[before] ?? lines.at(-1));
    if (line) goTo(line);
  }

  function goTo(line: LineThreads): void {
    view.dispatch({ selection: { anchor: line.at }, scrollIntoView: true });
    open(line);
  }

  /** Shows the line again after one of its threads has changed. */
  function reopen(): void {
    const line = threadLines(view.state).find(({ number }) => number === shownLine);
    if (line) open(line);
    else panel.close();
  }

  button?.addEventListener('click', openHere);
  form.addEventListener('click', ({ target }) => {
    if ((target as Element).closest('[data-command="comment"]')) void compose();
  });
  const here = keymap.of([{ key: 'Mod-Alt-m', run: commentOrOpen, preventDefault: true }]);
  view.dispatch({ effects: StateEffect.appendConfig.of(here) });
  window.setInterval(() => {
    const isSeen = document.visibilityState === 'visible' && document.hasFocus();
    // Text typed into the panel stays.
    if (isSeen && !panel.isOpen()) void refresh();
  }, EVERY_MS);
  session.onNews(() => {
    if (!panel.isOpen()) void refresh();
  });
  void refresh();
}
