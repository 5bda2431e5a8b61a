/** Passwords that are guessed first and that the package's list lacks. */
const ALSO_COMMON =
  '00000000 12341234 123123123 87654321 987654321 abcdefgh adminadmin p@ssword'.split(' ');

let loaded: Promise<ReadonlySet<string>> | undefined;

/**
 * Returns the passwords that are guessed first, in lower case: some 18,000 that are long enough, of
 * a list that comes with a package. Loads it at the first call, because few processes need it.
 */
export function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  loaded ??= import('@zxcvbn-ts/language-common').then(({ dictionary }) => {
    const known = dictionary['passwords-common'] as readonly string[];
    return new Set([...known.filter(({ length }) => length >= 8), ...ALSO_COMMON]);
  });
  return loaded;
}
