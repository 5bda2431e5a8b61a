import { connectDropZone } from './drop-zone.ts';
import { beginProgress, type Progress } from './progress.ts';
import { isSignIn, type Returned, refusalOf, sendForm } from './send-form.ts';

const OUTCOMES = {
  created: 'imported',
  uploaded: 'uploaded',
  skipped: 'skipped',
  failed: 'failed',
} as const;

/** Sends the files of an import one by one, and adds each result to the table. */
export function connectImport(): void {
  const form = document.querySelector<HTMLFormElement>('form[data-transfer="each"]');
  const fates = document.querySelector<HTMLElement>('#fates');
  const zone = form?.querySelector<HTMLElement>('.drop-zone');
  const input = form?.querySelector<HTMLInputElement>('input[type="file"]');
  if (!form || !fates || !zone || !input) return;
  connectDropZone(zone);
  dropHiddenVisibility(form);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const files = Array.from(input.files ?? []);
    if (files.length > 0) void importAll(form, input, files, new FateTable(fates));
  });
}

/**
 * Styles hide the internal visibility when a user is the owner. This hides the public one when an
 * organization forbids it, and deselects what is hidden.
 */
function dropHiddenVisibility(form: HTMLFormElement): void {
  const narrowest = form.querySelector<HTMLInputElement>('#visibility-private');
  const open = form.querySelector<HTMLElement>('.choice:has(#visibility-public)');
  const drop = () => {
    if (open) open.hidden = form.querySelector('[data-never-public]:checked') !== null;
    const chosen = form.querySelector<HTMLInputElement>('[name="visibility"]:checked');
    if (chosen && narrowest && !chosen.checkVisibility()) narrowest.checked = true;
  };
  form.addEventListener('change', drop);
  // Browsers restore earlier choices on reload.
  addEventListener('pageshow', drop);
  drop();
}

async function importAll(
  form: HTMLFormElement,
  input: HTMLInputElement,
  files: readonly File[],
  fates: FateTable,
): Promise<void> {
  const progress = beginProgress(form);
  fates.begin();
  const allBytes = files.reduce((bytes, { size }) => bytes + size, 0);
  let sentBytes = 0;
  let left = files;
  for (const [index, file] of files.entries()) {
    const where = { index, files: files.length, sentBytes, allBytes };
    const goesOn = await importOne(form, input.name, file, fates, progress, where);
    if (!goesOn) break;
    sentBytes += file.size;
    left = files.slice(index + 1);
  }
  progress.end();
  for (const { name } of left) fates.fail(name, 'was not sent: you’re signed out');
  // Otherwise the files stay selected, ready to send after a sign-in in another tab.
  if (left.length === 0) {
    input.value = '';
    input.dispatchEvent(new Event('change', { bubbles: true }));
  }
  fates.end();
}

/** @returns whether the next file can be sent */
async function importOne(
  form: HTMLFormElement,
  field: string,
  file: File,
  fates: FateTable,
  progress: Progress,
  where: { index: number; files: number; sentBytes: number; allBytes: number },
): Promise<boolean> {
  const { index, files, sentBytes, allBytes } = where;
  const say = (bytes: number, remark = '') => {
    const share = (sentBytes + bytes) / Math.max(1, allBytes);
    progress.show(share, `File ${index + 1} of ${files}${remark}`);
  };
  const data = new FormData(form);
  data.delete(field);
  data.append(field, file);
  try {
    for (;;) {
      say(0);
      const answer = await sendForm(form.action, data, (sent) => say(Math.min(sent, file.size)));
      if (answer.status !== TOO_MANY) return fates.add(file.name, answer);
      await waitFor(answer.retryAfterSeconds, (seconds) =>
        say(0, `: too many at once, continuing in ${seconds} s`),
      );
    }
  } catch {
    fates.fail(file.name, 'was not sent: no connection');
    return true;
  }
}

const TOO_MANY = 429;

/** Waits by the clock, because browsers throttle the timers of background tabs. */
async function waitFor(seconds: number, say: (left: number) => void): Promise<void> {
  const until = Date.now() + 1000 * seconds;
  for (let left = seconds; left > 0; left = Math.ceil((until - Date.now()) / 1000)) {
    say(left);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

class FateTable {
  readonly #section: HTMLElement;
  readonly #rows: HTMLElement;
  readonly #summary: HTMLElement;

  constructor(section: HTMLElement) {
    this.#section = section;
    this.#rows = section.querySelector('tbody') as HTMLElement;
    this.#summary = section.querySelector('[data-fates-summary]') as HTMLElement;
  }

  begin(): void {
    this.#rows.replaceChildren();
    this.#summary.textContent = '';
    this.#section.hidden = false;
  }

  /** @returns whether the next file can be sent */
  add(name: string, answer: Returned): boolean {
    if (isSignIn(answer)) return false;
    const { page } = answer;
    const rows = page.querySelectorAll('#fates tbody tr');
    for (const row of rows) this.#rows.append(document.adoptNode(row));
    const fault = page.querySelector('form[data-transfer="each"] :is(.fault, .form-fault)');
    if (fault) {
      this.fail(name, `was refused: ${fault.textContent?.trim()}`);
    } else if (rows.length === 0) {
      this.fail(name, refusalOf(answer));
    }
    return true;
  }

  fail(name: string, reason: string): void {
    const row = document.createElement('tr');
    row.dataset.outcome = 'failed';
    for (const text of [name, `Failed because it ${reason}`]) {
      const cell = document.createElement('td');
      cell.textContent = text;
      row.append(cell);
    }
    this.#rows.append(row);
  }

  /** Announces one summary, so that screen readers don't read out every file. */
  end(): void {
    this.#summary.textContent = Object.entries(OUTCOMES)
      .map(([outcome, word]) => {
        const rows = this.#rows.querySelectorAll(`[data-outcome="${outcome}"]`);
        return `${rows.length} ${word}`;
      })
      .join(', ');
    this.#section.scrollIntoView({ block: 'start' });
  }
}
