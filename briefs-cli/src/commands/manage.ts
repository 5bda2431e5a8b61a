import { type Command, Option } from 'commander';
import { VISIBILITIES } from '../../../src/base/schema/visibility.ts';
import { unifiedDiff } from '../../../src/base/text/unified-diff.ts';
import { ifMatch, pathIn } from '../api.ts';
import { Bodies } from '../bodies.ts';
import { parseTarget, pathOf } from '../document-ref.ts';
import { findFiles, type LocalFile } from '../files.ts';
import { Links } from '../links.ts';
import { isFine, Lists } from '../lists.ts';
import { CommandError, EXIT, oneLine, printable, type Result } from '../outcome.ts';
import { begin, beginRun, type CommonFlags, each, report, whoAmI } from '../run.ts';
import { loadTarget } from '../target.ts';
import { findLinked, isLinked, readLinked, withPictures } from '../transfer.ts';
import { TARGET } from './options.ts';

const MAX_DIFF = 1_000_000;

/** Adds the commands that need no file. */
export function addManagement(program: Command): void {
  program
    .command('whoami')
    .description('say who is signed in, and to which server')
    .action(async (_flags, command: Command) => {
      const { servers, output } = begin(command.optsWithGlobals<CommonFlags>());
      const api = await servers.at(undefined);
      const username = await whoAmI(api);
      output.print({ server: api.server, username }, [oneLine(`${username} at ${api.server}`)]);
    });

  program
    .command('ls')
    .description('list documents, the newest first')
    .argument('[owner]', 'a person or an organization; by default you')
    .action(async (owner: string | undefined, _flags, command: Command) => {
      const { servers, output } = begin(command.optsWithGlobals<CommonFlags>());
      const api = await servers.at(undefined);
      const namespace = owner ?? (await whoAmI(api));
      const listed = (await new Lists().all(api, namespace)).filter((each) =>
        isFine(each, namespace),
      );
      const documents = listed.map((each) => ({ document: pathOf(each), ...each }));
      const lines = documents.map(({ document, visibility, updatedAt }) =>
        oneLine(`${visibility.padEnd(8)} ${updatedAt.slice(0, 10)} ${document}`),
      );
      output.print({ documents }, lines);
    });

  program
    .command('search')
    .description('find documents that you can read')
    .argument('<words...>')
    .action(async (words: string[], _flags, command: Command) => {
      const { servers, output } = begin(command.optsWithGlobals<CommonFlags>());
      const api = await servers.at(undefined);
      const query = new URLSearchParams({ q: words.join(' '), per_page: '100' });
      const { json } = await api.request(`/search?${query}`);
      const documents: { fullName: string; url: string }[] = json?.data ?? [];
      output.print(
        { documents },
        documents.map(({ fullName, url }) => oneLine(`${fullName} → ${url}`)),
      );
    });

  program
    .command('cat')
    .description('print a document’s text')
    .argument('<target>', TARGET)
    .action(async (target: string, _flags, command: Command) => {
      const flags = command.optsWithGlobals<CommonFlags>();
      const { servers, output } = begin(flags);
      const { document } = await loadTarget(servers, target);
      const { text, url, revision } = document;
      if (flags.json) return output.print({ text, url, revision }, []);
      process.stdout.write(process.stdout.isTTY ? printable(text) : text);
    });

  program
    .command('diff')
    .description('compare files with their documents')
    .argument('<path...>', 'files or folders')
    .action(async (paths: string[], _flags, command: Command) => {
      const flags = command.optsWithGlobals<CommonFlags>();
      const { files } = findFiles(paths);
      const run = beginRun(flags, new Links(files), new Bodies(paths));
      const diffs: { file: string; document: string; diff: string }[] = [];
      const compare = async (file: LocalFile): Promise<void> => {
        const given = readLinked(run, file);
        if (!isLinked(given)) return;
        const api = await run.servers.at(given.memory.document.server);
        const read = await withPictures(run, api, given, 'find');
        const { current } = await findLinked(run, api, read);
        const document = pathOf(current.ref);
        const names: [string, string] = [document, file.shown];
        const options = { names, maxLength: MAX_DIFF };
        const { unified: diff } = unifiedDiff(current.text, read.text, options);
        if (diff !== '') diffs.push({ file: file.shown, document, diff });
      };
      for (const file of files) {
        const failure = await report(file, async () => void (await compare(file)));
        if (!failure) continue;
        run.output.notice(`${file.shown}: ${failure.message}`);
        process.exitCode = EXIT.failed;
      }
      run.output.print(
        { diffs },
        diffs.map(({ diff }) => printable(diff)),
      );
    });

  program
    .command('mv')
    .description('rename a document, or move it to another owner')
    .argument('<target>', TARGET)
    .argument('<to>', 'the new name, or owner/name')
    .action(async (target: string, to: string, _flags, command: Command) => {
      const { servers, output } = begin(command.optsWithGlobals<CommonFlags>());
      const { api, document } = await loadTarget(servers, target);
      const { ref, id } = document;
      const place = to.includes('/') ? parseTarget(to, servers.known()) : { ...ref, name: to };
      if (!place || place.kind !== ref.kind) {
        throw new CommandError(`“${to}” isn’t a name or owner/name of a ${ref.kind}.`, EXIT.usage);
      }
      const { owner, name } = place;
      const { json } =
        owner === ref.owner
          ? await api.request(pathIn(ref), { method: 'PATCH', body: { name, documentId: id } })
          : await api.request(`${pathIn(ref)}/move`, {
              method: 'POST',
              body: { owner, name },
              headers: ifMatch(document),
            });
      const { fullName = '', url = '' } = json?.data ?? {};
      output.print({ document: fullName, url }, [oneLine(`${pathOf(ref)} is now ${url}`)]);
    });

  program
    .command('rm')
    .description('move documents to the trash on the server')
    .argument('<target...>', TARGET)
    .action(async (targets: string[], _flags, command: Command) => {
      const run = beginRun(command.optsWithGlobals<CommonFlags>(), new Links([]), new Bodies([]));
      const remove = async (target: string): Promise<Result> => {
        const { api, document } = await loadTarget(run.servers, target);
        const headers = ifMatch(document);
        await api.request(pathIn(document.ref), { method: 'DELETE', headers });
        const message = 'it is in the trash on the server. A file of it stays.';
        return { file: target, status: 'deleted', document: pathOf(document.ref), message };
      };
      await each(run, targets, (target) => report({ shown: target }, () => remove(target)));
      run.output.end();
    });

  program
    .command('share')
    .description('show or change who can read a document')
    .argument('<target>', TARGET)
    .addOption(new Option('--visibility <who>', 'who can read it').choices(VISIBILITIES))
    .option('--invite <username>', 'invite someone; the token needs the scope sharing')
    .addOption(
      new Option('--permission <level>', 'what the invited can do')
        .choices(['read', 'write', 'admin'])
        .default('read'),
    )
    .action(async (target: string, _flags, command: Command) => {
      const flags = command.optsWithGlobals<
        CommonFlags & { visibility?: string; invite?: string; permission: string }
      >();
      const { servers, output } = begin(flags);
      const { api, document } = await loadTarget(servers, target);
      const { ref, id, url } = document;
      if (flags.invite !== undefined) {
        const path = `${pathIn(ref)}/collaborators/${encodeURIComponent(flags.invite)}`;
        await api.request(path, { method: 'PUT', body: { permission: flags.permission } });
      }
      const { visibility: wanted } = flags;
      const { json } =
        wanted === undefined
          ? await api.request(pathIn(ref))
          : await api.request(pathIn(ref), {
              method: 'PATCH',
              body: { visibility: wanted, documentId: id, revision: document.revision },
            });
      const visibility = String(json?.data?.visibility);
      const invited = flags.invite === undefined ? [] : [oneLine(`Invited ${flags.invite}.`)];
      output.print({ document: pathOf(ref), url, visibility }, [
        ...invited,
        oneLine(`${pathOf(ref)} is ${visibility}: ${url}`),
      ]);
    });
}
