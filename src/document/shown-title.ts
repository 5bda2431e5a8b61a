/** Returns what a document is called in lists: its title, or its name if it has none. */
export function shownTitle({ title, name }: { title: string | null; name: string }): string {
  return title ?? name;
}
