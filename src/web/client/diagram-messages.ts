/** What a reading page asks of the frame that draws its diagrams. */
export interface DrawRequest {
  id: number;
  /** Mermaid, as its author wrote it. */
  source: string;
  dark: boolean;
  colours: Colours;
}

/** What the frame answers. The page trusts none of it: it checks, clamps and shows it as an image. */
export type DrawReply =
  | { id: number; svg: string; width: number; height: number; title: string }
  | { id: number; error: string };

/** The frame's first message, once it can draw. */
export interface Ready {
  ready: true;
}

/** The computed values of the design tokens that diagrams are drawn with. */
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
  | 'alert-warning-surface';
