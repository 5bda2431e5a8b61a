import { connectDropZone } from './drop-zone.ts';
import { beginProgress, type Progress } from './progress.ts';
import { type Returned, sendForm } from './send-form.ts';

const OUTCOMES = { created: 'imported', skipped: 'left out', failed: 'failed' } as const;

/** Sends the files of an import one by one, and adds what became of each as it comes back. */
export function connectImport(): void {
  const form = document.querySelector<HTMLFormElement>('form[data-transfer="each"]');
  const fates = document.querySelector<HTMLElement>('#fates');
  const zone = form?.querySelector<HTMLElement>('.drop-zone');
  const input = form?.querySelector<HTMLInputElement>('input[type="file"]');
  if (!form || !fates || !zone || !input) return;
  connectDropZone(zone);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const files = Array.from(input.files ?? []);
    if (files.length > 0) void importAll(form, input, files, new FateTable(fates));
  });
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
  for (const [index, file] of files.entries()) {
    const where = { index, files: files.length, sentBytes, allBytes };
    const goesOn = await importOne(form, input.name, file, fates, progress, where);
    if (!goesOn) break;
    sentBytes += file.size;
  }
  progress.end();
  input.value = '';
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
  const say = (bytes: number) =>
    progress.show((sentBytes + bytes) / Math.max(1, allBytes), `File ${index + 1} of ${files}`);
  say(0);
  const data = new FormData(form);
  data.delete(field);
  data.append(field, file);
  try {
    const answer = await sendForm(form.action, data, (sent) => say(Math.min(sent, file.size)));
    return fates.add(file.name, answer);
  } catch {
    fates.fail(file.name, 'was not sent, since there is no connection');
    return true;
  }
}

/** The table of what became of the files. */
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
  add(name: string, { page }: Returned): boolean {
    const rows = page.querySelectorAll('#fates tbody tr');
    for (const row of rows) this.#rows.append(document.adoptNode(row));
    const fault = page.querySelector('form[data-transfer="each"] :is(.fault, .form-fault)');
    if (fault) {
      this.fail(name, `was refused: ${fault.textContent?.trim()}`);
    } else if (rows.length === 0) {
      const reason = page.querySelector('main h1')?.textContent?.trim();
      this.fail(name, `was refused: ${reason ?? 'something went wrong'}`);
      return page.querySelector('form[action="/sign-in"]') === null;
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

  /** Says all of it at once, so that nobody has to listen to each. */
  end(): void {
    this.#summary.textContent = Object.entries(OUTCOMES)
      .map(([outcome, word]) => {
        const rows = this.#rows.querySelectorAll(`[data-outcome="${outcome}"]`);
        return `${rows.length} ${word}`;
      })
      .join(', ');
  }
}
