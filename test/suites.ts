const SECURITY_OF_SERVERS = [
  'security/{cross-site,existence-leaks,races}.test.js',
  'security/{signed-addresses,stale-grants,upload-sniffing}.test.js',
  'security/{fuzz,model}/*.test.js',
];

/** What runs where, in globs below the compiled tests. */
export const SUITES = {
  features: {
    embedded: ['!(migrate-data).test.js', '!(durability|replicas)/**/*.test.js'],
    /** What a caller can tell back ends apart by; the rest has been seen by then. */
    servers: [
      // What a browser makes of an answer does not depend on where it was kept.
      '{files,http,mcp,oauth,pages,replicas,sign-in}/**/!(*.browser).test.js',
      // Nor does what is refused before a row is read.
      'rest/!(bad-address|bad-input|errors|formats|limits|openapi|random-input).test.js',
      'web-app/{delete-account,edit,invitations,organizations,sharing}.test.js',
      'account/{delete-account,email,own-tokens,suggest-people}.test.js',
      'document/{document-list,export,history,import,library,packing,search}.test.js',
      'migrate-data.test.js',
      'rate-limit-processes.test.js',
      'schema.test.js',
      ...SECURITY_OF_SERVERS,
      'storage/migrate-data.test.js',
      'storage/schema-changes.test.js',
    ],
  },
  /** What hostile input and callers come to (docs/develop/security.md): these are among the features, too. */
  security: { embedded: ['security/**/*.test.js'], servers: SECURITY_OF_SERVERS },
  /** The same, held against a model of who may see what, and with input made at random. */
  access: { embedded: ['security/model/*.test.js'], servers: ['security/model/*.test.js'] },
  fuzz: { embedded: ['security/fuzz/*.test.js'], servers: ['security/fuzz/*.test.js'] },
  /** What becomes of data when processes, servers and disks fail (docs/develop/durability.md). */
  durability: {
    embedded: ['durability/{backup,disk,disk-full,kill,stop}.test.js'],
    servers: ['durability/{database,kill,stop}.test.js'],
  },
};
