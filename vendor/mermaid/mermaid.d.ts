/** What the client uses of Mermaid. */
declare const mermaid: {
  initialize(settings: Record<string, unknown>): void;
  render(id: string, source: string, container?: Element): Promise<{ svg: string }>;
};
export default mermaid;
