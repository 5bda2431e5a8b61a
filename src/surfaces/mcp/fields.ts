import { type Fault, invalidArguments } from './arguments.ts';

/** The arguments that each action requires, and the others that it accepts. */
export type FieldRules<Action extends string, Field extends string> = Readonly<
  Record<Action, { needs: readonly Field[]; takes?: readonly Field[] }>
>;

interface ActionCall<Action extends string, Field extends string> {
  action: Action;
  given: Partial<Record<Field, unknown>>;
}

/** Lists the arguments that an action requires but lacks, then those that it doesn't accept. */
export function fieldFaults<Action extends string, Field extends string>(
  rules: FieldRules<Action, Field>,
  { action, given }: ActionCall<Action, Field>,
): Fault[] {
  const { needs, takes = [] } = rules[action];
  const accepted: readonly string[] = [...needs, ...takes];
  return [
    ...needs
      .filter((argument) => given[argument] === undefined)
      .map((argument) => ({ argument, problem: `is needed for "${action}"` })),
    ...Object.keys(given)
      .filter((argument) => !accepted.includes(argument))
      .map((argument) => ({ argument, problem: `can’t be used with "${action}"` })),
  ];
}

/** @throws InvalidArguments with the first of {@link fieldFaults} */
export function requireFields<Action extends string, Field extends string>(
  rules: FieldRules<Action, Field>,
  asked: ActionCall<Action, Field>,
): void {
  const [fault] = fieldFaults(rules, asked);
  if (fault) throw invalidArguments([fault]);
}
