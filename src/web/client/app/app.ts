import { connectDialogs } from './dialog.ts';
import { connectMenus } from './menu.ts';
import { connectMenuForms } from './menu-forms.ts';
import { connectPeopleFields } from './people-field.ts';
import { connectRows } from './rows.ts';
import { connectShortcuts } from './shortcuts.ts';
import { forgetForm } from './shown-once.ts';
import { adoptToasts, takeCarriedToasts } from './toast.ts';

// Each of these finds its own elements and does nothing on a page without them.
adoptToasts();
takeCarriedToasts();
connectDialogs();
connectMenus();
connectRows();
connectShortcuts();
forgetForm();
connectMenuForms();
connectPeopleFields();
