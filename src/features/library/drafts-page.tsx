import type { JSX } from 'preact';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { Icon } from '../../surfaces/web/pages/icons.tsx';
import { EmptyState, PageHead } from '../../surfaces/web/pages/parts.tsx';

/**
 * Lists the texts that the user typed in this browser and did not save. The browser's script fills
 * in the rows, because drafts never leave the browser.
 *
 * @param accountId the account whose drafts can be shown
 */
export function draftsPage(accountId: string): AppPage {
  return {
    title: 'Drafts',
    place: 'drafts',
    children: (
      <div class="sheet">
        <PageHead title="Drafts" />
        <p class="aside">
          Text that you typed in this browser and haven’t saved. Other browsers have their own
          drafts.
        </p>
        <noscript>
          <p>
            Drafts are stored in the browser by a script, so this list needs JavaScript. Without it,
            the editor stores none.
          </p>
        </noscript>
        <ul class="items" id="drafts" data-account={accountId} aria-label="Drafts" />
        <div id="no-drafts" hidden>
          <EmptyState title="No drafts">
            <p>The editor stores what you type here until you save it.</p>
          </EmptyState>
        </div>
        <p id="drafts-fault" role="alert" />
        <template id="draft-brief">
          <Row kind="brief" />
        </template>
        <template id="draft-page">
          <Row kind="page" />
        </template>
      </div>
    ),
  };
}

/** Renders the template of a row, in which the script sets the texts and the addresses. */
function Row({ kind }: { kind: 'brief' | 'page' }): JSX.Element {
  return (
    <li class="item" data-row>
      <span class="thumbnail">
        <Icon name={kind === 'brief' ? 'file-text' : 'app-window'} />
      </span>
      <div class="item-main">
        <a class="item-title" href="/drafts">
          Untitled
        </a>
        <p class="item-facts">
          <span class="item-address" />
          <span>
            Changed <time />
          </span>
        </p>
      </div>
      <div class="item-end">
        <a class="secondary small" href="/drafts" data-act="continue">
          Continue
        </a>
        <button type="button" class="quiet small" data-act="discard">
          Discard
        </button>
      </div>
    </li>
  );
}
