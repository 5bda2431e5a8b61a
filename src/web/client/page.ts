import { connectThemeChoice } from './appearance.ts';
import { markBareLinks } from './bare-links.ts';
import { followContents } from './contents.ts';
import { addCopyButtons, connectCopyDocument, connectCopyLink, connectCopyText } from './copy.ts';
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
addCopyButtons();
focusWideBlocks();
addEventListener('resize', () => focusWideBlocks(), { passive: true });
// Letters of another width may have come.
void document.fonts.ready.then(() => focusWideBlocks());
followContents();
followFragments();
drawDiagrams();
openFrameLinks();
markBareLinks();

// What a script puts into the page gets what came with the page has. The other scripts tell of it by
// this event rather than import from here, so that this one waits for none.
document.addEventListener('contentadded', ({ target }) => {
  if (!(target instanceof Element)) return;
  connectCopyText(target);
  addCopyButtons(target);
  focusWideBlocks(target);
  drawDiagrams(target);
});
