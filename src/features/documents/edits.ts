import { type Static, Type } from 'typebox';
import { type Edit, MAX_EDITS, MAX_PLACES } from '../../base/text/edits.ts';
import { RevisionNumber } from '../../core/revision/revision-schema.ts';
import {
  type Fault,
  type InvalidArguments,
  invalidArgument,
  invalidArguments,
} from '../../surfaces/mcp/arguments.ts';
import { Choice } from '../../surfaces/mcp/choice.ts';
import { type FieldRules, fieldFaults } from '../../surfaces/mcp/fields.ts';
import type { Quotation } from '../../surfaces/mcp/quote.ts';
import { quoteCandidates } from '../../surfaces/mcp/quote.ts';
import type { EditRefused } from '../revisions/edit-service.ts';

const OPERATIONS = ['replace', 'insert', 'append', 'prepend', 'section', 'restore'] as const;
const MODES = ['replace', 'append', 'delete'] as const;

const passage = (description?: string) =>
  Type.Optional(Type.String({ minLength: 1, ...(description && { description }) }));
const text = () => Type.Optional(Type.String());

/** One object for all operations, because hosts refuse schemas with alternatives. */
const EditArgument = Type.Object(
  {
    op: Type.Optional(
      Choice(OPERATIONS, {
        description:
          '`replace`: `old` by `new`. `insert`: `content` `before` or `after` a passage. ' +
          '`append`, `prepend`: to the whole text, on lines of its own. `section`: the text under `heading`; `content` that begins ' +
          'with another heading of its level renames it. ' +
          '`restore`: `revision`.',
      }),
    ),
    old: passage('Exactly as in the text; must occur only once.'),
    new: text(),
    all: Type.Optional(Type.Boolean({ description: 'Every occurrence of `old`.' })),
    before: passage(),
    after: passage(),
    content: text(),
    heading: passage('Its text; or "5: Setup", "Guide > Setup".'),
    mode: Type.Optional(Choice(MODES, { default: 'replace' })),
    revision: Type.Optional(RevisionNumber('')),
  },
  { additionalProperties: false, minProperties: 1 },
);

export const EditsArgument = Type.Array(EditArgument, {
  minItems: 1,
  maxItems: MAX_EDITS,
  description: 'Applied in order, all or none.',
});

type Field = Exclude<keyof Static<typeof EditArgument>, 'op'>;
type GivenEdit = Static<typeof EditArgument> & Pick<Edit, 'op'>;

const FIELDS: FieldRules<Edit['op'], Field> = {
  replace: { needs: ['old', 'new'], takes: ['all'] },
  insert: { needs: ['content'], takes: ['before', 'after'] },
  append: { needs: ['content'] },
  prepend: { needs: ['content'] },
  section: { needs: ['heading'], takes: ['mode', 'content'] },
  restore: { needs: ['revision'] },
};

/** Checks which fields each edit has. @throws InvalidArguments for a missing or unknown one */
export function readEdits(asked: Static<typeof EditsArgument>): Edit[] {
  const given = asked.map((edit) => ({ ...edit, op: edit.op ?? meantBy(edit) }));
  const faults = given.flatMap((edit, index) =>
    faultsOf(edit).map(({ argument, problem }) => ({
      argument: `edits.${index}.${argument}`,
      problem,
    })),
  );
  if (faults.length > 0) throw invalidArguments(faults);
  return given as Edit[];
}

/** Returns the only operation that takes an edit's fields. */
function meantBy(edit: Static<typeof EditArgument>): Edit['op'] {
  if (edit.heading !== undefined) return 'section';
  if (edit.before !== undefined || edit.after !== undefined) return 'insert';
  if (edit.revision !== undefined) return 'restore';
  return 'replace';
}

function faultsOf({ op, ...given }: GivenEdit): Fault[] {
  const faults = fieldFaults(FIELDS, { action: op, given });
  const isPlaced = (given.before === undefined) !== (given.after === undefined);
  if (op === 'section' && given.mode !== 'delete' && given.content === undefined) {
    faults.push({
      argument: 'content',
      problem: 'is needed for "section" unless mode is "delete"',
    });
  }
  if (op === 'insert' && !isPlaced) {
    faults.push({ argument: 'before', problem: 'give before or after, one of the two' });
  }
  return faults;
}

/** Names the part of an edit that failed, and quotes what the text has instead. */
export function refusedEdit(refused: EditRefused, edits: readonly Edit[]): InvalidArguments {
  const { index, result, problem } = refused;
  const edit = edits[index] as Edit;
  const field = result.problem === 'too-long' ? undefined : fieldOf(edit);
  const argument = field ? `edits.${index}.${field}` : `edits.${index}`;
  const quotation = candidatesOf(refused, edit);
  const below = quotation ? ` Below are ${quotation.what}.` : '';
  const isCut = result.problem === 'no-section' && result.candidates.length === MAX_PLACES;
  const more = isCut ? ' read_document with view "outline" has all.' : '';
  return invalidArgument(argument, `${problem}${below}${more} No edit was made`, quotation);
}

function fieldOf(edit: Edit): Field | undefined {
  switch (edit.op) {
    case 'replace':
      return 'old';
    case 'insert':
      return 'before' in edit ? 'before' : 'after';
    case 'section':
      return 'heading';
    case 'restore':
      return 'revision';
    default:
      return undefined;
  }
}

function candidatesOf({ result }: EditRefused, edit: Edit): Quotation | undefined {
  const { candidates, problem } = result;
  if (candidates.length === 0) return undefined;
  const places = problem === 'not-found' ? 'the closest passages' : 'its occurrences';
  return quoteCandidates(edit.op === 'section' ? 'the headings' : places, candidates);
}
