import { type EditorState, type Extension, Prec, StateEffect, StateField } from '@codemirror/state';
import { EditorView, keymap, showTooltip, type Tooltip, tooltips } from '@codemirror/view';

/** What the bar has, as buttons of the page. */
const BUTTONS = [
  ...['bold', 'italic', 'link', 'heading', 'bullets', 'comment'].map(
    (command) => `.tools [data-command="${command}"]`,
  ),
  '#editing-mode [data-mode="suggesting"]',
];

/** What selects without being meant for the bar. */
const PASSING = ['select.pointer', 'select.search', 'select.cell'];

/** Whether the bar may be shown: not while somebody drags, nor after Escape. */
const allow = StateEffect.define<boolean>();

/**
 * Shows a bar above a selection, with what one does most to words. Alt F10 moves the focus into it, and
 * Escape closes it. On a phone, the toolbar is above the keyboard instead.
 */
export function selectionBar(form: HTMLFormElement, view: EditorView): Extension {
  const allowAfterDrag = () =>
    addEventListener(
      'mouseup',
      () => setTimeout(() => view.dispatch({ effects: allow.of(true) })),
      {
        once: true,
      },
    );
  // This code loads while somebody drags.
  allowAfterDrag();
  const wide = matchMedia('(width >= 44rem)');
  const barOf = ({ selection }: EditorState): Tooltip | null => {
    const { from, to, empty } = selection.main;
    if (empty || !wide.matches) return null;
    return { pos: from, end: to, above: true, create: (view) => makeBar(form, view, { from, to }) };
  };
  const bar = StateField.define<{ isAllowed: boolean; tooltip: Tooltip | null }>({
    create: (state) => ({ isAllowed: true, tooltip: barOf(state) }),
    update(value, transaction) {
      const { state, effects, docChanged, selection } = transaction;
      const asked = effects.find((effect) => effect.is(allow));
      if (!asked && !docChanged && !selection) return value;
      const isSelected = transaction.isUserEvent('select');
      // One still drags, or goes from match to match, or from cell to cell.
      const isPassing = PASSING.some((each) => transaction.isUserEvent(each));
      // What a command selects is for typing over it, unless the bar has run it.
      const goesOn = isSelected ? !isPassing : value.tooltip !== null;
      const isAllowed = asked ? asked.value : selection ? goesOn : value.isAllowed;
      return { isAllowed, tooltip: isAllowed ? barOf(state) : null };
    },
    provide: (field) => showTooltip.from(field, ({ tooltip }) => tooltip),
  });
  const shown = (view: EditorView) => view.dom.querySelector<HTMLElement>('.selection-bar');
  return [
    bar,
    // Above the first line, there is the toolbar.
    tooltips({
      tooltipSpace: ({ scrollDOM }) => {
        const { top } = scrollDOM.getBoundingClientRect();
        return { top, left: 0, bottom: innerHeight, right: innerWidth };
      },
    }),
    EditorView.domEventObservers({ mousedown: allowAfterDrag }),
    Prec.high(
      keymap.of([
        {
          key: 'Alt-F10',
          run(view) {
            view.dispatch({ effects: allow.of(true) });
            shown(view)?.querySelector<HTMLElement>('button:not([tabindex])')?.focus();
            return true;
          },
        },
        {
          key: 'Escape',
          run(view) {
            if (!shown(view)) return false;
            view.dispatch({ effects: allow.of(false) });
            return true;
          },
        },
      ]),
    ),
  ];
}

function makeBar(form: HTMLFormElement, view: EditorView, of: { from: number; to: number }) {
  const dom = document.createElement('div');
  dom.className = 'selection-bar';
  dom.setAttribute('role', 'toolbar');
  dom.setAttribute('aria-label', 'Selection');
  const buttons = BUTTONS.flatMap((selector) => {
    const button = form.querySelector<HTMLElement>(selector);
    return button && !button.closest('[hidden]') ? [button.cloneNode(true) as HTMLElement] : [];
  });
  const suggest = buttons.find((button) => button.dataset.mode !== undefined);
  if (suggest) suggest.textContent = 'Suggest';
  for (const button of buttons) button.removeAttribute('aria-pressed');
  dom.append(...buttons);
  for (const button of buttons.slice(1)) button.tabIndex = -1;
  // The text keeps the focus, and its selection.
  dom.addEventListener('mousedown', (event) => event.preventDefault());
  dom.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === 'Escape') {
      view.focus();
      view.dispatch({ effects: allow.of(false) });
    } else if (step) {
      const at = buttons.indexOf(document.activeElement as HTMLElement) + step;
      const next = buttons[(at + buttons.length) % buttons.length];
      for (const button of buttons) button.tabIndex = button === next ? 0 : -1;
      next?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return {
    dom,
    offset: { x: 0, y: 4 },
    // Below the whole selection if there is no room above it.
    getCoords() {
      // In a table's cell, only the browser knows.
      const selection = document.getSelection();
      if (selection?.anchorNode?.parentElement?.closest('.cm-grid'))
        return selection.getRangeAt(0).getBoundingClientRect();
      const first = view.coordsAtPos(of.from, 1) ?? new DOMRect();
      const last = view.coordsAtPos(of.to, -1) ?? first;
      return { left: first.left, right: first.right, top: first.top, bottom: last.bottom };
    },
  };
}
