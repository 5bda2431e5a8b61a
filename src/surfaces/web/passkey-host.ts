/** Tells whether browsers allow passkeys for an address: its host must be a name. */
export function canHavePasskeys(webUrl: string): boolean {
  return !/^(\[|[\d.]+$)/.test(new URL(webUrl).hostname);
}
