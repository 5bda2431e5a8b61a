import '../surfaces/web/client/app/app.ts';
import { connectWhoWrote } from '../features/authorship/client/who-wrote-link.ts';
import { openChanges } from '../features/revisions/client/changes-link.ts';

// Each of these finds its own elements and does nothing on a page without them.
openChanges();
connectWhoWrote();

if (document.querySelector('#comments')) void import('../features/discussion/client/comments.ts');
if (document.querySelector('#comments, #editor-threads')) {
  void import('../features/discussion/client/mentions.ts').then((mentions) =>
    mentions.connectMentions(),
  );
}
const past = document.querySelector<HTMLElement>('[data-history]');
if (past) {
  void import('../features/revisions/client/history-view.ts').then(({ connectHistory }) =>
    connectHistory(past),
  );
}
if (document.querySelector('#drafts')) void import('../features/editor/client/draft-list.ts');
if (document.querySelector('[data-proposed-from]')) {
  void import('../features/organizations/client/proposed-namespace.ts');
}
