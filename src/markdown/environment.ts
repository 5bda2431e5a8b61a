/** What one rendering keeps while it goes; handed through markdown-it as its `env`. */
export interface RenderEnvironment {
  /** Whether blocks say which line of the source they begin in, for previews. */
  sourceLines: boolean;
  /** Any mathematics so far. */
  math: boolean;
  /** Any Mermaid block so far. */
  diagrams: boolean;
  /** Any HTML written by the author: then the result is parsed and sanitized until it is stable. */
  rawHtml: boolean;
  /** Code that may still be highlighted, UTF-16 code units. */
  highlightLeft: number;
  /** TeX that may still be rendered, UTF-16 code units. */
  formulasLeft: number;
  /** MathML that may still be written, UTF-16 code units. */
  mathmlLeft: number;
  /** Formulas rendered so far, by display mode and source. */
  formulas: Map<string, string>;
  /** Filled by markdown-it-footnote. */
  footnotes?: { list?: unknown[] };
}
