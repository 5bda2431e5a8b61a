import type { Draft, DraftSlot } from './drafts.ts';

const WAIT_MS = 500;

/** The longest text that is noted with each key, in UTF-16 code units. It takes less than 1 ms. */
const NOTED = 50_000;

/** Stores the unsaved text in this browser while the user writes. */
export interface DraftKeeper {
  /** Whether the browser stored the last draft. */
  isKept(): boolean;
  /** Notes the draft at once, and stores it within half a second. */
  keepSoon(): void;
  /** Stores the draft now, or deletes it if there is nothing to save. */
  keep(): Promise<void>;
  cancel(): void;
  /** Deletes the draft. The next one goes to the given slot. */
  remove(next?: DraftSlot): Promise<void>;
}

interface Kept {
  draft(): Draft;
  isDirty(): boolean;
  /** How long it is, about. */
  length(): number;
}

/** @param onKept called after each attempt to store the draft */
export function createDraftKeeper(
  slotAtFirst: DraftSlot,
  { draft, isDirty, length }: Kept,
  onKept: () => void,
): DraftKeeper {
  let slot = slotAtFirst;
  let isKept = true;
  let timer: number | undefined;

  function cancel(): void {
    clearTimeout(timer);
    timer = undefined;
  }

  async function keep(): Promise<void> {
    cancel();
    if (isDirty()) isKept = await slot.keep(draft());
    else await slot.remove();
    onKept();
  }

  const note = () => slot.note(isDirty() ? draft() : undefined);
  const keepNow = () => {
    if (timer !== undefined) void keep();
  };
  addEventListener('pagehide', () => {
    note();
    keepNow();
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') keepNow();
  });
  addEventListener('beforeunload', (event) => {
    // Before `pagehide`, so that the browser has time to write.
    keepNow();
    // No need to ask if the draft is stored.
    if (!isKept && isDirty()) event.preventDefault();
  });

  return {
    isKept: () => isKept,
    keepSoon() {
      if (length() <= NOTED) note();
      timer ??= window.setTimeout(() => void keep(), WAIT_MS);
    },
    keep,
    cancel,
    async remove(next = slot) {
      const before = slot;
      slot = next;
      await before.remove();
    },
  };
}
