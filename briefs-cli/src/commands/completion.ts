import { Argument, type Command, type Option } from 'commander';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** Adds completion, to be called last: it completes the commands that there are. */
export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action((shell: (typeof SHELLS)[number]) => {
      const script = shell === 'fish' ? forFish(program) : forBash(program);
      console.log(shell === 'zsh' ? `${LIKE_BASH}\n${script}` : script);
    });
}

/** Makes zsh understand completions for bash. */
const LIKE_BASH = `autoload -U +X compinit && compinit
autoload -U +X bashcompinit && bashcompinit`;

interface Completed {
  name: string;
  description: string;
  /** What its first argument can be; empty for files. */
  values: readonly string[];
  options: readonly Option[];
}

/** Returns the commands, as the help lists them. */
function commandsOf(program: Command): Completed[] {
  const help = program.createHelp();
  return help.visibleCommands(program).map((command) => ({
    name: command.name(),
    description: command.description(),
    values: command.registeredArguments[0]?.argChoices ?? [],
    options: help.visibleOptions(command),
  }));
}

const flagsOf = (options: readonly Option[]) => options.map(({ long }) => long).join(' ');

/** Where there is nothing to propose, bash proposes files. */
function forBash(program: Command): string {
  const commands = commandsOf(program);
  const shared = program.createHelp().visibleOptions(program);
  const chosen = commands.flatMap(({ options }) => options.filter(({ argChoices }) => argChoices));
  return `_briefs() {
  local word words='${commands.map(({ name }) => name).join(' ')}' flags='${flagsOf(shared)}'
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    case $word in
${commands
  .map(({ name, values, options }) => {
    const flags = flagsOf([...options, ...program.options]);
    return `      ${name}) words='${values.join(' ')}' flags='${flags}'; break ;;`;
  })
  .join('\n')}
    esac
  done
  case $3 in
${chosen.map(({ long, argChoices = [] }) => `    ${long}) words='${argChoices.join(' ')}' ;;`).join('\n')}
  esac
  if [[ $2 == -* ]]; then words=$flags; fi
  COMPREPLY=($(compgen -W "$words" -- "$2"))
}
complete -o default -F _briefs briefs`;
}

function forFish(program: Command): string {
  const option = (when: string, { long = '', argChoices, description, ...given }: Option) => {
    const values = argChoices ? ` -x -a '${argChoices.join(' ')}'` : given.required ? ' -r' : '';
    return `complete -c briefs${when} -l ${long.slice(2)}${values} -d ${quoted(description)}`;
  };
  return [
    ...program.options.map((each) => option('', each)),
    ...commandsOf(program).flatMap(({ name, description, values, options }) => {
      const when = ` -n '__fish_seen_subcommand_from ${name}'`;
      return [
        `complete -c briefs -f -n __fish_use_subcommand -a ${name} -d ${quoted(description)}`,
        ...(values.length > 0 ? [`complete -c briefs -f${when} -a '${values.join(' ')}'`] : []),
        ...options.map((each) => option(when, each)),
      ];
    }),
  ].join('\n');
}

const quoted = (text: string) => `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
