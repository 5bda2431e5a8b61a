import { followContents } from './contents.ts';
import { addCopyButtons, connectCopyDocument, connectCopyLink } from './copy.ts';
import { drawDiagrams } from './diagrams.ts';
import { followFragments } from './fragment.ts';
import { focusWideBlocks } from './scrollable.ts';
import { connectThemeSwitch } from './theme-switch.ts';

// Each of these finds its own elements and does nothing on a page without them.
connectThemeSwitch();
connectCopyDocument();
connectCopyLink();
addCopyButtons();
focusWideBlocks();
followContents();
followFragments();
drawDiagrams();
