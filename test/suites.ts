const SECURITY_OF_SERVERS = [
  'security/{races,signed-addresses,stale-grants,upload-sniffing}.test.js',
  'security/{fuzz,model}/*.test.js',
];

/** Which tests run where, as globs of compiled tests. */
export const SUITES = {
  features: {
    embedded: ['!(moving).test.js', '!(durability|replicas)/**/*.test.js'],
    /** Tests for which the back end matters; the others have run on the embedded one. */
    servers: [
      // Browsers show the same on all back ends.
      '{files,oauth,pages,replicas,sign-in}/**/!(*.browser).test.js',
      // So do requests that are refused before reading a row, and what a protocol prescribes.
      'mcp/!(arguments|docs|http|texts|tools|*.browser).test.js',
      'rest/!(bad-address|bad-input|errors|formats|limits|openapi|random-input).test.js',
      'webhook/*.test.js',
      'web-app/{delete-account,edit,invitations,organizations,sharing}.test.js',
      'account/{delete-account,email,own-tokens,suggest-users}.test.js',
      'document/{document-list,export,history,library,packing,search}.test.js',
      'moving.test.js',
      'rate-limit-processes.test.js',
      'schema.test.js',
      ...SECURITY_OF_SERVERS,
      'storage/carried.test.js',
      'storage/schema-changes.test.js',
    ],
  },
  /** Hostile input and callers (docs/develop/security.md); also part of the features. */
  security: { embedded: ['security/**/*.test.js'], servers: SECURITY_OF_SERVERS },
  /** Random requests and input, checked against a model of who can see what. */
  access: { embedded: ['security/model/*.test.js'], servers: ['security/model/*.test.js'] },
  fuzz: { embedded: ['security/fuzz/*.test.js'], servers: ['security/fuzz/*.test.js'] },
  /** What happens to data when processes, servers and disks fail (docs/develop/durability.md). */
  durability: {
    embedded: ['durability/{backup,disk,disk-full,kill,stop,webhooks}.test.js'],
    servers: ['durability/{backup,database,kill,stop,webhooks}.test.js'],
  },
};
