import type { Draft, DraftSlot } from './drafts.ts';

const WAIT_MS = 500;

/** Stores the unsaved text in this browser while the user writes. */
export interface DraftKeeper {
  /** Whether the browser stored the last draft. */
  isKept(): boolean;
  /** Stores the draft within half a second. */
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
  unsent?(): Draft['unsent'];
}

/** @param onKept called after each attempt to store the draft */
export function createDraftKeeper(
  slotAtFirst: DraftSlot,
  { draft, isDirty, unsent }: Kept,
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

  const keepNow = () => {
    if (timer !== undefined) void keep();
  };
  addEventListener('pagehide', () => {
    slot.leave(isDirty() ? { ...draft(), unsent: unsent?.() } : undefined);
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
