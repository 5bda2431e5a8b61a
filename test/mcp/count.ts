import { strict as assert } from 'node:assert';
import type { Agent, ToolAnswer } from './agent.ts';

/** The cost of an agent's calls: bytes of arguments and results. */
export interface Cost {
  calls: number;
  sent: number;
  received: number;
}

/** Counts the calls of an agent, each of which must succeed. */
export function startCount(agent: Agent): {
  cost: Cost;
  call(tool: string, args: Record<string, unknown>): Promise<ToolAnswer>;
} {
  const cost: Cost = { calls: 0, sent: 0, received: 0 };
  return {
    cost,
    async call(tool, args) {
      const answer = await agent.call(tool, args);
      assert.equal(answer.code, undefined, answer.text);
      cost.calls += 1;
      cost.sent += Buffer.byteLength(JSON.stringify(args));
      cost.received += Buffer.byteLength(answer.text);
      return answer;
    },
  };
}
