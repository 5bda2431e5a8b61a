import { makeDialog } from '../../../surfaces/web/client/app/dialog.ts';
import { onDemand } from './on-demand.ts';
import { timeOf } from './restore.ts';
import { makeButton } from './save-state.ts';
import type { Reconcile, Saved } from './session-types.ts';

/** Returns who saved the current version and when, to begin a sentence with. */
export function whoSaved({ by, at }: Saved): string {
  return `${by ?? 'Someone'} saved a newer version${at === undefined ? '' : ` ${timeOf(at)}`}`;
}

/** Shows both versions side by side in a dialog. Loads the code for it on demand. */
export function reconcileWith(nonce: string): Reconcile {
  return ({ base, latest, mine }, on) => {
    void onDemand(import('./merge.ts')).then((code) => {
      if (!code) return;
      const dialog = makeDialog();
      dialog.element.classList.add('merge-dialog');
      const content = document.createElement('div');
      content.className = 'merge';
      dialog.fill(whoSaved(latest), content);
      const current = latest.content;
      const merge = code.createMerge(content, { base, current, mine: mine(), nonce });

      const tools = document.createElement('div');
      tools.className = 'merge-tools';
      const count = document.createElement('p');
      count.setAttribute('role', 'status');
      const choices = [
        makeButton('Previous', merge.previous),
        makeButton('Next', merge.next),
        makeButton('Use current', () => merge.choose('current')),
        makeButton('Use yours', () => merge.choose('mine')),
        makeButton('Use both', () => merge.choose('both')),
      ];
      const save = makeButton('Save', () => {
        on.save(merge.text());
        dialog.element.close();
      });
      save.className = 'primary small';
      const say = () => {
        const left = merge.undecided();
        const text =
          left === 0
            ? 'No conflicts left.'
            : `${left === 1 ? '1 conflict' : `${left} conflicts`} left. Other changes are merged.`;
        if (count.textContent !== text) count.textContent = text;
        const hadFocus = tools.contains(document.activeElement);
        save.disabled = left > 0;
        for (const button of choices) button.disabled = left === 0;
        // Disabling a button drops its focus.
        if (left === 0 && hadFocus) save.focus();
      };
      merge.onChange(say);
      tools.append(count, ...choices, save);
      content.before(tools);
      say();
      dialog.element.showModal();
      (save.disabled ? choices[2] : save)?.focus();
      dialog.element.addEventListener('close', () => {
        on.close(merge.text());
        merge.destroy();
        dialog.element.remove();
      });
    });
  };
}
