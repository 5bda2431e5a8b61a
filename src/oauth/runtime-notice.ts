// The library warns, as it is loaded, of every release of Node.js that is not a long-term one. Which
// releases we run on is our own decision, and what we print is the log. Loaded before the library.
const { warn } = console;
console.warn = (...words: unknown[]) => {
  if (!/^oidc-provider WARNING: Unsupported runtime/.test(String(words[0]))) warn(...words);
};
