import { makeDialog } from '../app/dialog.ts';
import { onDemand } from './on-demand.ts';
import { makeButton } from './save-state.ts';
import type { Reconcile } from './session.ts';

/** Shows both versions side by side, over the editor; the code for it comes when it is needed. */
export function reconcileWith(nonce: string): Reconcile {
  return ({ theirs, mine }, on) => {
    void onDemand(import('./merge.ts')).then((code) => {
      if (!code) return;
      const dialog = makeDialog();
      dialog.element.classList.add('merge-dialog');
      const content = document.createElement('div');
      content.className = 'merge';
      dialog.fill('Saved by somebody else meanwhile', content);
      const merge = code.createMerge(content, { theirs, mine: mine(), nonce });

      const tools = document.createElement('div');
      tools.className = 'merge-tools';
      const count = document.createElement('p');
      count.setAttribute('role', 'status');
      const say = () => {
        const left = merge.differences();
        const differences = left === 1 ? 'One difference' : `${left} differences`;
        count.textContent =
          left === 0 ? 'No differences: yours is theirs now.' : `${differences} left.`;
      };
      merge.onChange(say);
      const save = makeButton('Save merged', () => {
        on.save(merge.text());
        dialog.element.close();
      });
      save.className = 'primary small';
      tools.append(
        count,
        makeButton('Previous', merge.previous),
        makeButton('Next', merge.next),
        makeButton('Take theirs', merge.takeTheirs),
        makeButton('Keep mine', merge.next),
        save,
      );
      content.before(tools);
      say();
      dialog.element.showModal();
      tools.querySelector('button')?.focus();
      dialog.element.addEventListener('close', () => {
        on.close(merge.text());
        merge.destroy();
        dialog.element.remove();
      });
    });
  };
}
