import type { ResourceLink, ToolAnnotations } from '@modelcontextprotocol/server';
import type { Static, TObject } from 'typebox';
import type { Scope } from '../account/scope.ts';
import type { Actor, Context } from '../context.ts';
import { DocumentMoved } from '../document/document-moved.ts';
import { compileArguments } from './arguments.ts';
import { argumentsOfMoved } from './document.ts';
import type { Quotation } from './quote.ts';

/** What a tool's handler is given. */
export interface Call<Input> {
  context: Context;
  actor: Actor;
  input: Input;
  /** Aborted when the caller no longer waits for the answer. */
  signal: AbortSignal;
}

/** What a tool's handler answers. */
export interface Outcome<Data> {
  /** One sentence in our own words; of what others wrote it may only hold names of documents. */
  summary: string;
  /** The result, as the tool's output schema has it. Never a document's own text. */
  data: Data;
  links?: ResourceLink[];
}

/** What the handler of a tool that shows documents' own text answers. */
export interface ReadingOutcome extends Outcome<Record<string, unknown>> {
  quotations: readonly Quotation[];
}

/** What a tool does to the world, for hosts that ask a person before they call it. */
export interface Effect {
  /** Changes nothing. */
  reads?: true;
  /** May replace, end or remove something, rather than only add to what is there. */
  destroys?: true;
  /** Once more with the same arguments has no further effect. */
  repeatable?: true;
  /** Brings in text that people outside of the conversation wrote. */
  bringsIn?: true;
}

/** Arguments by the services' fields; of several arguments for one field, the one given is meant. */
export type ArgumentNames = Readonly<Record<string, string | readonly string[]>>;

/** One tool, declared once: what hosts are shown, what checks calls, what runs them. */
export interface ToolDeclaration<Input extends TObject, Output extends TObject | undefined> {
  name: string;
  title: string;
  /** For a model: what the tool is for, and when another one is meant. */
  description: string;
  /** What the caller's token has to be meant for. */
  scope: Scope;
  /** The scope of calls with these arguments, of a tool that does things of several scopes. */
  scopeOf?: (args: Readonly<Record<string, unknown>>) => Scope;
  effect: Effect;
  /** `additionalProperties: false`, so that a misspelt argument is not silently ignored. */
  input: Input;
  /** Whether it waits for others. Then it has no place in the queue of the account's calls. */
  waits?: true;
  /** Absent for a tool that shows documents' own text (see `resultOf` for why). */
  output?: Output;
  /** The arguments that hold the services' fields, where the names differ. */
  argumentNames?: ArgumentNames;
  handler: (
    call: Call<Static<Input>>,
  ) => Promise<Output extends TObject ? Outcome<Static<Output>> : ReadingOutcome>;
}

/** What any tool's handler answers, to the surface. */
export type AnyOutcome = Outcome<Record<string, unknown>> & Partial<ReadingOutcome>;

/** A tool as the surface works with it. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  scope: Scope;
  /** Returns the scope that a call with these arguments needs, whatever they are. */
  scopeOf(args: unknown): Scope;
  annotations: ToolAnnotations;
  input: TObject;
  output: TObject | undefined;
  argumentNames: ArgumentNames;
  waits: boolean;
  /** @throws ServiceError also for arguments that the schema refuses (BAD_REQUEST) */
  run(caller: Omit<Call<unknown>, 'input'>, args: unknown): Promise<AnyOutcome>;
}

export function defineTool<Input extends TObject, Output extends TObject | undefined = undefined>(
  declaration: ToolDeclaration<Input, Output>,
): Tool {
  const { name, title, description, scope, effect, input, output } = declaration;
  const readArguments = compileArguments<Static<Input>>(input);
  return {
    name,
    title,
    description,
    scope,
    scopeOf: (args) => declaration.scopeOf?.((args ?? {}) as Record<string, unknown>) ?? scope,
    annotations: annotationsOf(effect),
    input,
    output,
    argumentNames: declaration.argumentNames ?? {},
    waits: declaration.waits ?? false,
    run: async (caller, args) => {
      let input = readArguments(args);
      const moves = new Set<string>();
      for (;;) {
        try {
          const outcome = (await declaration.handler({ ...caller, input })) as AnyOutcome;
          return { ...outcome, summary: [...moves, outcome.summary].join(' ') };
        } catch (error) {
          // Nothing has been written: a call looks for its documents first.
          if (!(error instanceof DocumentMoved) || moves.has(error.message)) throw error;
          moves.add(error.message);
          input = argumentsOfMoved(caller.context, caller.actor, input, error);
        }
      }
    },
  };
}

/** Names what hosts can't assume: that a tool changes nothing, or only adds, and stays within Briefs. */
function annotationsOf({ reads, destroys, repeatable, bringsIn }: Effect): ToolAnnotations {
  return {
    ...(reads ? { readOnlyHint: true } : { destructiveHint: !!destroys }),
    ...(repeatable && !reads && { idempotentHint: true }),
    ...(!bringsIn && { openWorldHint: false }),
  };
}
