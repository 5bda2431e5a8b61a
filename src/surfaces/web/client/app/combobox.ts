/** The list of a combobox. Keys in its input choose an option. */
export interface Combobox {
  /** Replaces the options, and chooses one by its index; -1 chooses none. */
  show(options: readonly HTMLElement[], index: number): void;
  /** Chooses the next or the previous option. */
  step(by: 1 | -1): void;
  /** Accepts the chosen option. Returns `false` if none is chosen. */
  take(): boolean;
}

/**
 * Connects a list with the input that controls it (ARIA Authoring Practices Guide, "Combobox"). The
 * focus stays in the input.
 *
 * @param options.isRequired whether an option is always chosen; if not, stepping past either end
 *   chooses none first
 * @param options.take does what the option stands for
 */
export function createCombobox(
  input: HTMLElement,
  list: HTMLElement,
  { isRequired, take }: { isRequired: boolean; take: (option: HTMLElement, index: number) => void },
): Combobox {
  let chosen = -1;
  const options = () => Array.from(list.children) as HTMLElement[];

  function choose(index: number): void {
    chosen = index;
    for (const [at, option] of options().entries()) {
      option.setAttribute('aria-selected', String(at === index));
    }
    const option = options()[index];
    if (option) input.setAttribute('aria-activedescendant', option.id);
    else input.removeAttribute('aria-activedescendant');
    option?.scrollIntoView({ block: 'nearest' });
  }

  // A press on an option would take the focus from the input, and close the list.
  list.addEventListener('mousedown', (event) => event.preventDefault());
  list.addEventListener('click', (event) => {
    const option = (event.target as Element).closest<HTMLElement>('[role="option"]');
    if (option) take(option, options().indexOf(option));
  });

  return {
    show(next, index) {
      for (const [at, option] of next.entries()) {
        option.role = 'option';
        option.id = `${list.id}-${at}`;
      }
      list.replaceChildren(...next);
      choose(Math.min(index, next.length - 1));
    },
    step(by) {
      const count = list.children.length;
      choose(
        isRequired
          ? Math.min(Math.max(chosen + by, 0), count - 1)
          : ((chosen + 1 + by + count + 1) % (count + 1)) - 1,
      );
    },
    take() {
      const option = options()[chosen];
      if (option) take(option, chosen);
      return option !== undefined;
    },
  };
}
