/** Returns a document's title for lists, or its name if it has no title. */
export function shownTitle({ title, name }: { title: string | null; name: string }): string {
  return title ?? name;
}
