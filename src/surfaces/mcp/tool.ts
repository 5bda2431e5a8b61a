import type { ResourceLink, ToolAnnotations } from '@modelcontextprotocol/server';
import type { Static, TObject } from 'typebox';
import type { Call } from '../../core/context.ts';
import { DocumentMoved } from '../../core/document/document-moved.ts';
import type { Scope } from '../../core/identity/scope.ts';
import { compileArguments } from './arguments.ts';
import { asDeclared } from './as-declared.ts';
import { argumentsOfMoved, throughLink, withoutAnchor } from './document.ts';
import { namespaceOf } from './person.ts';
import type { Quotation } from './quote.ts';

/** What a tool's handler receives. */
export interface ToolRequest<Input> {
  call: Call;
  input: Input;
  /** What follows `#` in the document's address, which the arguments no longer have. */
  anchor?: string | undefined;
  /** Aborts when the caller stops waiting. */
  signal: AbortSignal;
  /** Requires that the caller's token still works, for calls that wait. @throws UNAUTHORIZED */
  requireToken(): Promise<void>;
}

/** What a tool's handler returns. */
export interface Outcome<Data> {
  /** One sentence in our own words. It quotes no text by users except names of documents. */
  summary: string;
  /** The result, as the tool's output schema describes it. Never a document's text. */
  data: Data;
  links?: ResourceLink[];
  /** Whether the call's `anchor` chose something. Otherwise, the summary says that it didn't. */
  usesAnchor?: boolean;
}

/** What the handler of a tool that quotes documents returns. */
export interface ReadingOutcome extends Outcome<Record<string, unknown>> {
  quotations: readonly Quotation[];
}

/** What a tool changes, for hosts that ask their user before a call. */
export interface Effect {
  /** Changes nothing. */
  reads?: true;
  /** May replace or remove something, not only add. */
  destroys?: true;
  /** A second call with the same arguments has no further effect. */
  repeatable?: true;
  /** Returns text by people outside the conversation. */
  bringsIn?: true;
}

/**
 * The names of arguments, by the field of the services that they set. If a field has several, an
 * error names the one in the call.
 */
export type ArgumentNames = Readonly<Record<string, string | readonly string[]>>;

/** The declaration of one tool: what hosts see, how calls are checked, and what runs them. */
export interface ToolDeclaration<Input extends TObject, Output extends TObject | undefined> {
  name: string;
  title: string;
  /** Tells a model what the tool is for, and when to use another. */
  description: string;
  /** The scope that a call needs; `undefined` for none. */
  scope: Scope | undefined;
  /**
   * The scope that a call needs, if it is not always `scope`. The arguments are read as declared
   * ({@link asDeclared}), but unchecked.
   */
  scopeOf?: (args: Readonly<Record<string, unknown>>) => Scope;
  /** The other scopes that `scopeOf` can return, or with which a call tells more. */
  otherScopes?: readonly Scope[];
  effect: Effect;
  /** `additionalProperties: false`, so that a misspelt argument is not silently ignored. */
  input: Input;
  /** Whether `name` can be a secret link, which then opens the document. */
  opensLinks?: (input: Static<Input>) => boolean;
  /** Whether the tool waits for other people. If so, its calls skip the account's queue. */
  waits?: true;
  /** Absent for a tool that quotes documents, which has `reading` (`resultOf` says why). */
  output?: Output;
  /** The data of a tool that quotes documents, for hosts that ask for structured results. */
  reading?: TObject;
  /** The arguments whose names differ from the services' fields. */
  argumentNames?: ArgumentNames;
  handler: (
    asked: ToolRequest<Static<Input>>,
  ) => Promise<Output extends TObject ? Outcome<Static<Output>> : ReadingOutcome>;
}

/** What the handler of any tool returns. */
export type AnyOutcome = Outcome<Record<string, unknown>> & Partial<ReadingOutcome>;

/** A tool, ready to be called. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  scope: Scope | undefined;
  /** The scopes with each of which some calls work, or tell more. */
  scopes: readonly Scope[];
  /** Returns the scope that a call with these arguments needs. The arguments are unchecked. */
  scopeOf(args: unknown): Scope | undefined;
  annotations: ToolAnnotations;
  input: TObject;
  output: TObject | undefined;
  reading: TObject | undefined;
  argumentNames: ArgumentNames;
  waits: boolean;
  /** @throws ServiceError also for arguments that don't match the schema (BAD_REQUEST) */
  run(caller: Omit<ToolRequest<unknown>, 'input' | 'anchor'>, args: unknown): Promise<AnyOutcome>;
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
    scopes: [...(scope ? [scope] : []), ...(declaration.otherScopes ?? [])],
    scopeOf: (args) =>
      declaration.scopeOf?.(asDeclared(args, input) as Record<string, unknown>) ?? scope,
    annotations: annotationsOf(effect),
    input,
    output,
    reading: declaration.reading,
    argumentNames: declaration.argumentNames ?? {},
    waits: declaration.waits ?? false,
    run: async (caller, args) => {
      const { anchor, ...read } = withoutAnchor(withPlainNamespaces(readArguments(args)), input);
      const linked = declaration.opensLinks?.(read.input)
        ? await throughLink(caller.call, read.input)
        : undefined;
      const { call } = linked ?? caller;
      let given = linked?.input ?? read.input;
      const told = new Set<string>(linked && [SECRET]);
      for (;;) {
        try {
          const asked = { ...caller, call, input: given, anchor };
          const outcome = (await declaration.handler(asked)) as AnyOutcome;
          const isIgnored = anchor !== undefined && !outcome.usesAnchor;
          const before = isIgnored ? [...told, IGNORED] : [...told];
          return { ...outcome, summary: [...before, outcome.summary].join(' ') };
        } catch (error) {
          // Nothing has been written, because a call finds its documents first.
          if (!(error instanceof DocumentMoved) || told.has(error.message)) throw error;
          told.add(error.message);
          given = argumentsOfMoved(call, given, error);
        }
      }
    },
  };
}

const SECRET =
  'This was opened by a secret link: keep its address out of texts and other requests.';
const IGNORED = 'What follows # in the document’s address was ignored.';

/** The arguments that are the namespace of a user or an organization. */
const NAMESPACES = ['owner', 'new_owner', 'organization'];

function withPlainNamespaces<Input>(input: Input): Input {
  const entries = Object.entries(input as object).map(([name, value]) => [
    name,
    NAMESPACES.includes(name) && typeof value === 'string' ? namespaceOf(value) : value,
  ]);
  return Object.fromEntries(entries);
}

/**
 * Returns the hints about a tool for hosts. Leaves out those that equal the protocol's defaults,
 * except that `destructiveHint` is always given for tools that write.
 */
function annotationsOf({ reads, destroys, repeatable, bringsIn }: Effect): ToolAnnotations {
  return {
    ...(reads ? { readOnlyHint: true } : { destructiveHint: !!destroys }),
    ...(repeatable && !reads && { idempotentHint: true }),
    ...(!bringsIn && { openWorldHint: false }),
  };
}
