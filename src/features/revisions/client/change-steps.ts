/** The bar that goes from one marked change to the next. */
export interface ChangeSteps {
  bar: HTMLElement;
  /** Shows a change by its number; after the last comes the first. */
  go(to: number): void;
}

interface About {
  /** The page that compares the sources. */
  source: string;
  /** The revision since which the changes are, if the bar is to say so. */
  since?: number;
  hide?: () => void;
}

/**
 * Creates the bar above changes that are marked in a text.
 *
 * @param list the changes that are still there
 */
export function createChangeSteps(list: () => readonly Element[], about: About): ChangeSteps {
  return createStepsBar(
    () => list().length,
    about,
    (index) => {
      const changes = list();
      const active = changes[index];
      for (const each of changes) each.classList.toggle('active-change', each === active);
      active?.scrollIntoView({ block: 'center', behavior: 'instant' });
    },
  );
}

/**
 * Creates the bar above changes.
 *
 * @param count how many changes there are now
 * @param show shows one of them
 */
export function createStepsBar(
  count: () => number,
  { source, since, hide }: About,
  show: (index: number) => void,
): ChangeSteps {
  const bar = document.createElement('div');
  bar.className = 'changes-bar';
  bar.setAttribute('role', 'toolbar');
  bar.setAttribute('aria-label', 'Changes');
  const link = document.createElement('a');
  link.href = source;
  link.textContent = 'Source';
  link.className = 'quiet small';
  const output = document.createElement('output');
  const origin = document.createElement('span');
  origin.className = 'changes-since';
  origin.textContent = since === undefined ? '' : ` since revision ${since}`;
  const say = (words: string) => output.replaceChildren(words, origin);
  say(count() === 1 ? '1 change' : `${count()} changes`);
  let at = -1;
  const go = (to: number) => {
    const all = count();
    if (all === 0) {
      hide?.();
      return;
    }
    at = (to + all) % all;
    show(at);
    say(`${at + 1} of ${all}`);
  };
  bar.append(
    output,
    button('‹', { name: 'Previous change', shortcut: '[' }, () => go(at - 1)),
    button('›', { name: 'Next change', shortcut: ']' }, () => go(at + 1)),
    link,
  );
  if (hide) bar.append(button('Hide changes', undefined, hide));
  return { bar, go };
}

function button(
  label: string,
  named: { name: string; shortcut: string } | undefined,
  press: () => void,
): HTMLButtonElement {
  const made = document.createElement('button');
  made.type = 'button';
  made.className = 'quiet small';
  made.textContent = label;
  if (named) {
    made.setAttribute('aria-label', named.name);
    made.title = `${named.name} (${named.shortcut})`;
    made.dataset.shortcut = named.shortcut;
  }
  made.addEventListener('click', press);
  return made;
}
