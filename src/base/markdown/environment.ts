/** State of one rendering, passed through markdown-it as its `env`. */
export interface RenderEnvironment {
  /** Whether blocks get the source line they begin on, for previews. */
  sourceLines: boolean;
  math: boolean;
  /** Whether there was a Mermaid block so far. */
  diagrams: boolean;
  /** Whether the author wrote HTML; then the result is parsed and sanitized until it is stable. */
  rawHtml: boolean;
  /** Budget left for highlighting code, in UTF-16 code units. */
  highlightLeft: number;
  /** Budget left for TeX, in UTF-16 code units. */
  formulasLeft: number;
  /** Budget left for MathML, in UTF-16 code units. */
  mathmlLeft: number;
  /** Formulas rendered so far, by display mode and source. */
  formulas: Map<string, string>;
  /** Set by markdown-it-footnote. */
  footnotes?: { list?: unknown[] };
}
