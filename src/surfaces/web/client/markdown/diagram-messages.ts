export interface DrawRequest {
  id: number;
  source: string;
  dark: boolean;
  colours: Colours;
  /** Colours that tell parts apart. Each reaches 4.5:1 against paper, in both themes. */
  series: string[];
}

/** The frame's reply. It isn't trusted: the page checks it and shows only an image of it. */
export type DrawReply =
  | { id: number; svg: string; width: number; height: number; title: string }
  | { id: number; error: string };

/** The frame's first message, sent when it is ready. */
export interface Ready {
  ready: true;
}

/** The computed values of the design tokens for diagrams. */
export type Colours = Record<ColourName, string>;

export type ColourName =
  | 'paper'
  | 'surface'
  | 'line'
  | 'line-strong'
  | 'ink'
  | 'ink-soft'
  | 'accent'
  | 'accent-surface'
  | 'alert-warning-surface'
  | 'alert-caution'
  | 'alert-caution-surface';
