import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { Ajv, type ValidateFunction } from 'ajv';
import fc from 'fast-check';
import { type Answer, startService } from '../../harness.ts';
import { message, messagesOf, post } from '../../mcp/agent.ts';
import { toolRuns } from './runs.ts';
import {
  CALLERS,
  type CallerName,
  makeStage,
  OF_THE_BYSTANDER,
  SECRET,
  type Stage,
  WITHOUT_TOKEN,
} from './stage.ts';
import { broken, example, type Schema, valid } from './values.ts';

const FURNISH_EVERY = 40;
const LOOK_AFTER_BYSTANDER_EVERY = 250;

/** The possible errors of a failed call, without `INTERNAL` and `UNAVAILABLE`. */
const CODES = [
  'INVALID_ARGUMENT',
  'FORBIDDEN',
  'NOT_FOUND',
  'PRECONDITION_FAILED',
  'UNPROCESSABLE',
  'CONFLICT',
];

/** JSON-RPC's codes for invalid messages. */
const PROTOCOL_CODES = [-32_700, -32_600, -32_601, -32_602];

interface Tool {
  name: string;
  inputSchema: Schema;
  outputSchema?: object;
  [fc.toStringMethod]: () => string;
}

/** Values that the schemas' examples don't have, and callers other than Ada. */
const GOOD: Record<string, { caller?: CallerName; also?: string[] }> = {
  comment: { also: ['body'] },
  publish_document: { also: ['content'] },
  share_document: { also: ['username'] },
  set_organization: { also: ['members_can_create'] },
  set_member: { also: ['username'] },
  manage_document: { also: ['name', 'visibility'] },
  answer_invitation: { caller: 'invitee', also: ['invitation_id'] },
};

/** The same arguments without waiting: `wait_for_feedback` waits 50 seconds by default. */
function withoutWaiting<Args>(tool: string, args: Args): Args {
  if (tool !== 'wait_for_feedback' || typeof args !== 'object' || args === null) return args;
  const { wait_seconds: seconds = 1 } = args as { wait_seconds?: unknown };
  return Number(seconds) > 0 ? { ...args, wait_seconds: 0 } : args;
}

describe('The tools, fuzzed from their schemas', async () => {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  const inputs = new Map<string, ValidateFunction>();
  const outputs = new Map<string, ValidateFunction>();

  const service = await startService();
  const stage = await makeStage(service);
  const [{ result }] = messagesOf(await send('ada', message('tools/list')));
  const tools: Tool[] = result.tools.map((tool: Tool) => ({
    ...tool,
    [fc.toStringMethod]: () => tool.name,
  }));
  for (const { name, inputSchema, outputSchema } of tools) {
    inputs.set(name, ajv.compile(inputSchema));
    if (outputSchema) outputs.set(name, ajv.compile(outputSchema));
  }
  after(() => stage.service.stop());

  function send(caller: CallerName, body: unknown): Promise<Answer> {
    return post(stage.service, stage.clients[caller].token, body);
  }

  function call(caller: CallerName, name: string, args: unknown): Promise<Answer> {
    return send(caller, message('tools/call', { name, arguments: args as object }));
  }

  /** Requirements for every result. @returns the error code, if it failed */
  function judge(caller: CallerName, tool: string, args: unknown, answer: Answer) {
    const { status, text } = answer;
    assert.ok(!text.includes(SECRET));
    if (WITHOUT_TOKEN.includes(caller)) {
      assert.equal(status, 401);
      return 'UNAUTHORIZED';
    }
    if (status === 403) {
      assert.equal(caller, 'limited');
      return 'FORBIDDEN';
    }
    const [{ error, result }] = messagesOf(answer);
    // When the whole message is refused, such as with `__proto__`.
    assert.equal(status, error?.code === -32_700 ? 400 : 200);
    const isAllowed = inputs.get(tool)?.(withoutNulls(args)) === true;
    if (error) {
      assert.ok(PROTOCOL_CODES.includes(error.code));
      // Without its nulls, a message with `__proto__: null` would be valid.
      assert.ok(error.code === -32_700 || !isAllowed);
      return error.code;
    }
    if (result.isError) {
      const { code } = result._meta.error;
      assert.ok(CODES.includes(code), code);
      return code;
    }
    assert.ok(isAllowed, 'was not refused');
    const validate = outputs.get(tool);
    if (!validate) assert.equal(result.structuredContent, undefined);
    else assert.ok(validate(result.structuredContent), ajv.errorsText(validate.errors));
    return undefined;
  }

  /** A call that should succeed on a fresh stage. */
  function goodArguments({ name, inputSchema }: Tool): Record<string, unknown> {
    const known: Record<string, unknown> = {
      owner: 'ada',
      name: 'notes',
      organization: 'engines',
      username: 'stranger',
      invitation_id: stage.invitations.own,
      file_id: stage.known.id[0],
      edits: [{ op: 'replace', old: 'content', new: 'text' }],
    };
    const args = example(inputSchema, () => 'notes', GOOD[name]?.also);
    return withoutWaiting(name, withKnown(args as Record<string, unknown>, known));
  }

  it('every tool: a valid call succeeds, an invalid one is refused', async () => {
    for (const tool of tools) {
      const { name } = tool;
      await stage.furnish();
      const { caller = 'ada' } = GOOD[name] ?? {};
      const args = goodArguments(tool);
      const good = await call(caller, name, args);
      assert.equal(judge(caller, name, args, good), undefined, `${name}: ${good.text}`);

      const wrong = { ...args, unheard_of: true };
      const bad = await call(caller, name, wrong);
      assert.equal(judge(caller, name, wrong, bad), 'INVALID_ARGUMENT', bad.text);
    }
    await stage.assertUntouched();
  });

  it('every tool, aimed at another user’s data: reveals none of it', async () => {
    await stage.furnish();
    for (const tool of tools) {
      const args = withKnown(goodArguments(tool), OF_THE_BYSTANDER);
      judge('stranger', tool.name, args, await call('stranger', tool.name, args));
    }
    await stage.assertUntouched();
  });

  it('random calls: a known outcome, no data of others, nothing invalid accepted', async (t) => {
    const tally = new Map<string, number>();
    const reached = new Set<string>();
    let sent = 0;
    const { owner, name, username, org: organization } = stage.known;
    const known = { owner, name, username, organization };
    const callTo = (tool: Tool) =>
      fc.record({
        tool: fc.constant(tool),
        caller: fc.oneof(
          { arbitrary: fc.constant('ada' as const), weight: 3 },
          { arbitrary: fc.constantFrom(...CALLERS), weight: 2 },
        ),
        args: fc.oneof(
          { arbitrary: valid(tool.inputSchema, known), weight: 3 },
          { arbitrary: broken(tool.inputSchema), weight: 1 },
        ),
        picked: fc.nat(50),
      });
    const property = fc.asyncProperty(fc.oneof(...tools.map(callTo)), async (random) => {
      if (sent % FURNISH_EVERY === 0) await stage.furnish();
      if (sent % LOOK_AFTER_BYSTANDER_EVERY === 0) await stage.assertUntouched();
      sent++;
      const { tool, caller } = random;
      const args = withoutWaiting(tool.name, withIds(random.args, stage, random.picked));
      const answer = await call(caller, tool.name, args);
      try {
        const outcome = judge(caller, tool.name, args, answer) ?? 'done';
        if (outcome === 'done') reached.add(tool.name);
        tally.set(outcome, (tally.get(outcome) ?? 0) + 1);
      } catch (error) {
        const what = `${caller}: ${tool.name} ${JSON.stringify(args)?.slice(0, 1_000)}`;
        const came = `→ ${answer.status} ${answer.text.slice(0, 1_000)}`;
        throw new Error(`${(error as Error).message}\n${what}\n${came}`);
      }
    });
    await fc.assert(property, { numRuns: toolRuns() });
    await stage.assertUntouched();
    const outcomes = [...tally].map((pair) => pair.join(': ')).sort();
    t.diagnostic(`${sent} calls; ${outcomes.join(', ')}; ${reached.size} tools that did something`);
  });

  it('messages that aren’t calls: refused in the protocol’s format or the API’s', async () => {
    const piece = fc.oneof(
      fc.constantFrom<unknown>('2.0', '1.0', 'tools/call', 'tools/list', 'initialize', 'x', ''),
      fc.jsonValue({ maxDepth: 2 }),
    );
    const envelope = fc.record(
      { jsonrpc: piece, id: piece, method: piece, params: piece, result: piece, error: piece },
      { requiredKeys: [] },
    );
    const body = fc.oneof(
      envelope.map((value) => JSON.stringify({ ...value, jsonrpc: '2.0' })),
      envelope.map((value) => JSON.stringify(value)),
      fc.array(envelope, { maxLength: 3 }).map((value) => JSON.stringify(value)),
      fc.json(),
      fc.string({ unit: 'binary' }),
    );
    const property = fc.asyncProperty(body, async (text) => {
      const answer = await send('ada', text);
      const { status } = answer;
      assert.ok(status < 500, `${text}: ${status} ${answer.text}`);
      if (answer.text === '') return assert.equal(status, 202, text);
      for (const reply of messagesOf(answer)) {
        assert.ok('result' in reply || 'error' in reply, answer.text);
        if (status >= 400) assert.equal(typeof reply.error.code, 'number', answer.text);
        assert.notEqual(reply.error?.code, -32_603, `${text}: ${answer.text}`);
      }
    });
    await fc.assert(property, { numRuns: Math.ceil(toolRuns() / 4) });
  });
});

/** The arguments as tools read them: `null` counts as absent, and so do an empty list and text. */
function withoutNulls(args: unknown): unknown {
  if (args === null || args === undefined || args === '') return {};
  if (Array.isArray(args) && args.length === 0) return {};
  if (typeof args !== 'object' || Array.isArray(args)) return args;
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
}

/** The arguments, with known things instead of examples. */
function withKnown(args: Record<string, unknown>, known: Record<string, unknown>) {
  const names = Object.keys(args).filter((name) => Object.hasOwn(known, name));
  return { ...args, ...Object.fromEntries(names.map((name) => [name, known[name]])) };
}

/** The arguments, with one in three ids replaced by a known one. */
function withIds(args: unknown, { known }: Stage, picked: number): unknown {
  if (typeof args !== 'object' || args === null || picked % 3 === 0) return args;
  const ids: Record<string, string[]> = { invitation_id: known.inviteId, file_id: known.id };
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      const list = Object.hasOwn(ids, name) ? (ids[name] ?? []) : [];
      return [name, list[picked % list.length] ?? value];
    }),
  );
}
