import { connectThemeChoice } from './appearance.ts';
import { markBareLinks } from './bare-links.ts';
import { followContents } from './contents.ts';
import {
  addCopyButtons,
  connectCopyDocument,
  connectCopyLink,
  connectCopyText,
  connectHeadingLinks,
} from './copy.ts';
import { drawDiagrams } from './diagrams.ts';
import { followFragments } from './fragment.ts';
import { openFrameLinks } from './frame-links.ts';
import { focusWideBlocks } from './scrollable.ts';
import { connectThemeSwitch } from './theme-switch.ts';

// Each of these finds its own elements and does nothing on a page without them.
connectThemeSwitch();
connectThemeChoice();
connectCopyDocument();
connectCopyLink();
connectCopyText();
connectHeadingLinks();
addCopyButtons();
focusWideBlocks();
addEventListener('resize', () => focusWideBlocks(), { passive: true });
// Fonts change the width of blocks.
void document.fonts.ready.then(() => focusWideBlocks());
followContents();
followFragments();
drawDiagrams();
openFrameLinks();
markBareLinks();

// Enhances content that scripts add. They dispatch this event instead of importing from here, so
// that this module stays independent of them.
document.addEventListener('contentadded', ({ target }) => {
  if (!(target instanceof Element)) return;
  connectCopyText(target);
  addCopyButtons(target);
  focusWideBlocks(target);
  drawDiagrams(target);
});
