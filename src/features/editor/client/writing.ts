import type { SaveState } from './save-state.ts';
import type { Source } from './session-types.ts';
import type { Parts } from './settings.ts';
import type { Versions } from './versions.ts';

/** State shared by the parts of a session. */
export interface Writing {
  parts: Parts;
  source: Source;
  versions: Versions;
  show(state: SaveState): void;
  /** Shows whether there is anything to save. */
  showDirty(): void;
  /** Shows why the text isn't saved. */
  fault(text: string, actions?: HTMLElement[]): void;
  keepDraft(): Promise<void>;
  changed(): void;
  /** @param adoptions how many times this save was merged with others' and retried */
  save(adoptions?: number): Promise<void>;
}
