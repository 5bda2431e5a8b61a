import type { Frame } from 'playwright-core';

/**
 * Evaluates an expression where the page's scripts can't look: their own `CSS.highlights` has no
 * marks.
 */
export async function inFrame<T>(frame: Frame, expression: string): Promise<T> {
  const context = frame.page().context();
  const session = await context
    .newCDPSession(frame)
    .catch(() => context.newCDPSession(frame.page()));
  const { frameTree } = await session.send('Page.getFrameTree');
  const all = [frameTree, ...(frameTree.childFrames ?? [])];
  const frameId = all.find((one) => one.frame.url === frame.url())?.frame.id as string;
  const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId });
  const { result } = await session.send('Runtime.evaluate', {
    contextId: executionContextId,
    expression,
    returnByValue: true,
  });
  await session.detach();
  return result.value as T;
}
