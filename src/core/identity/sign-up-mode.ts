/** Who can create an account, and what an account can do before its address is verified. */
export interface SignUpRules {
  /**
   * `open`: anyone. `domains`: anyone with an address of {@link domains}. `invited` and `closed`: only
   * who was invited; the screens say whom to ask.
   */
  mode: 'open' | 'closed' | 'invited' | 'domains';
  domains: readonly string[];
  blockedDomains: readonly string[];
  /** Whether publishing, inviting and commenting need a verified address. */
  needVerification: boolean;
}
