import { KINDS, type Kind } from '../schema/kind.ts';
import { type Blocked, blockedAddresses } from './blocked-addresses.ts';
import { type Oddity, oddityOf } from './odd-content.ts';
import type { Secret } from './secrets.ts';

export const WARNING_CODES = [
  'blocked-addresses',
  'wrapped-content',
  'wrong-kind',
  'escaped-line-breaks',
  'secrets',
  'alike-passage',
  'long-section',
  'being-typed',
] as const;

/** Something about a text that its writer should know. It is stored all the same. */
export interface Warning {
  code: (typeof WARNING_CODES)[number];
  /** In our own words. It quotes nothing of the text but the first characters of secrets. */
  message: string;
  /** For `blocked-addresses`: they, as written. */
  addresses?: string[];
}

/** What warnings depend on besides the text. */
export interface Written {
  kind: Kind;
  /** Whether anyone can read it. */
  isPublic: boolean;
  /** Hosts that pages can load from, as sources of a policy. */
  pageSources: readonly string[];
}

/** Finds what a writer should know about a text. */
export async function findWarnings(
  text: string,
  { kind, isPublic, pageSources }: Written,
): Promise<Warning[]> {
  const warnings: Warning[] = [];
  const oddity = oddityOf(kind, text);
  if (oddity) warnings.push(oddWarning(kind, oddity));
  if (kind === 'page') {
    const blocked = blockedAddresses(text, pageSources);
    if (blocked.addresses.length > 0) warnings.push(blockedWarning(blocked));
  }
  if (isPublic) {
    // Its patterns take a tenth of a second to load.
    const { findSecrets } = await import('./secrets.ts');
    const secrets = await findSecrets(text);
    if (secrets.length > 0) warnings.push(secretsWarning(kind, secrets));
  }
  return warnings;
}

function oddWarning(kind: Kind, oddity: Oddity): Warning {
  const { contentField } = KINDS[kind];
  switch (oddity) {
    case 'wrapped':
      return {
        code: 'wrapped-content',
        message:
          `The whole ${contentField} is in a code fence (\`\`\`), so readers see it as code. Send ` +
          'it without the fence.',
      };
    case 'wrong-kind':
      return {
        code: 'wrong-kind',
        message:
          kind === 'brief'
            ? 'The content is an HTML document, but a brief is Markdown. Publish it as a page.'
            : 'The html is Markdown without HTML. Publish it as a brief.',
      };
    case 'escaped':
      return {
        code: 'escaped-line-breaks',
        message:
          `The ${contentField} has \\n written out instead of line breaks, so it is one line. Send ` +
          'real line breaks.',
      };
  }
}

function blockedWarning({ addresses, more }: Blocked): Warning {
  const count = addresses.length + more;
  const what = count === 1 ? 'an address' : `${count} addresses`;
  return {
    code: 'blocked-addresses',
    message:
      `The page asks for ${what} that pages can’t load, so parts of it are missing. Put scripts, ` +
      'styles, fonts and images into the HTML, with data: addresses.',
    addresses,
  };
}

function secretsWarning(kind: Kind, secrets: readonly Secret[]): Warning {
  const list = secrets.map(({ what, line, start }) => `${what} in line ${line} (${start}…)`);
  return {
    code: 'secrets',
    message:
      `This ${kind} is public and seems to contain secrets: ${list.join('; ')}. Anyone can read ` +
      'them, also in the history. Make it private, and replace them where they are used.',
  };
}
