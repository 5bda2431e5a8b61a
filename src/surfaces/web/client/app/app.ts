import { connectDialogs } from './dialog.ts';
import { keepCopies } from './keep-copies.ts';
import { connectMenus } from './menu.ts';
import { connectRows } from './rows.ts';
import { connectSelfSubmittingForms } from './self-submitting-forms.ts';
import { connectShortcuts } from './shortcuts.ts';
import { forgetForm } from './shown-once.ts';
import { adoptToasts, takeCarriedToasts } from './toast.ts';
import { connectUsernameFields } from './username-field.ts';

// Each of these finds its own elements and does nothing on a page without them.
adoptToasts();
takeCarriedToasts();
connectDialogs();
connectMenus();
connectRows();
connectShortcuts();
forgetForm();
connectSelfSubmittingForms();
connectUsernameFields();
keepCopies();

if (document.querySelector('#comments'))
  void import('../../../../features/review/client/comments.ts');
if (document.querySelector('#drafts')) void import('./draft-list.ts');
if (document.querySelector('#editing-now')) void import('./editing-now.ts');
