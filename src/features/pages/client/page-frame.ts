import { showMissingParts } from './missing-parts.ts';

// Only pages with a user's HTML in a frame load this.
showMissingParts();
