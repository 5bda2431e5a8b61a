/**
 * Other names that models give to arguments, in snake case, with the names that they can stand for:
 * the first that a tool declares. A name that a tool declares is never another one.
 */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  old_string: ['old'],
  old_str: ['old'],
  old_text: ['old'],
  find: ['old'],
  search: ['old', 'query'],
  new_string: ['new'],
  new_str: ['new'],
  new_text: ['new'],
  replace: ['new'],
  replacement: ['new'],
  replace_with: ['new'],
  replace_all: ['all'],
  operation: ['op'],
  action: ['op'],
  type: ['op', 'kind'],
  text: ['content', 'body'],
  markdown: ['content', 'body'],
  html: ['content'],
  body: ['content'],
  comment: ['body'],
  message: ['body'],
  section: ['heading'],
  title: ['heading'],
  changes: ['edits'],
  operations: ['edits'],
  thread: ['threads', 'id'],
  thread_id: ['threads', 'thread', 'id'],
  thread_ids: ['threads'],
  suggestion: ['replacement'],
  replies: ['answers'],
  digests: ['expected'],
  document: ['name', 'documents'],
  document_name: ['name'],
  path: ['name'],
  url: ['name'],
  names: ['documents'],
  q: ['query'],
  keywords: ['query'],
  namespace: ['owner', 'organization'],
  org: ['organization'],
  user: ['username', 'reviewer'],
  username: ['reviewer'],
  email: ['username'],
  access: ['permission'],
  level: ['permission'],
  role: ['permission'],
  base_version: ['base_revision'],
  version: ['revision'],
  timeout: ['wait_seconds'],
};

/**
 * Returns the declared name that an undeclared one stands for, such as `old` for `oldString`;
 * `undefined` if there is none, or the call has that one, too.
 */
export function declaredName(name: string, declared: object, given: object): string | undefined {
  const plain = name.replaceAll(/(?<=[a-z\d])(?=[A-Z])|-/g, '_').toLowerCase();
  const others = Object.hasOwn(OTHER_NAMES, plain) ? OTHER_NAMES[plain] : [];
  const meant = [plain, ...(others ?? [])].find((each) => Object.hasOwn(declared, each));
  return meant === undefined || Object.hasOwn(given, meant) ? undefined : meant;
}
