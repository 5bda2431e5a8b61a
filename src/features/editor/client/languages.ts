/** The most common of the languages that briefs highlight, and diagrams. */
export const LANGUAGES =
  `bash c cpp csharp css diff dockerfile go graphql html ini java javascript json kotlin
  less lua makefile markdown mermaid perl php powershell python r ruby rust scss shell sql swift text
  toml typescript xml yaml`.split(/\s+/);
