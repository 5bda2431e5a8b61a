import { showMissingParts } from './missing-parts.ts';
import { type NewerFrame, replaceFrame } from './replace-frame.ts';

// Only pages with a user's HTML in a frame load this.
showMissingParts();
document.addEventListener('newerframe', (event) => {
  const { detail } = event as CustomEvent<NewerFrame>;
  detail.loaded = replaceFrame(detail.frame, detail.next);
});
