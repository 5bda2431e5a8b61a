/**
 * A setting is unknown, malformed or contradictory, or leads to something that can't be used. The
 * message is one line that names it. No restart heals it, so a process ends with exit code 2.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
