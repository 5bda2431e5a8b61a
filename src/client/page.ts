import '../surfaces/web/client/page.ts';
import { openFrameLinks } from '../features/pages/client/frame-links.ts';
import { connectPeople } from '../features/presence/client/people.ts';

// Each of these finds its own elements and does nothing on a page without them.
connectPeople();
openFrameLinks();
