import { strict as assert } from 'node:assert';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ALL_TOOLS, TOOLS } from '../../src/tools.ts';
import { toolReference } from './tool-reference.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PATH = `${ROOT}docs/agents/tools.md`;
const BEGIN = '<!-- Tools begin. -->\n\n';
const END = '\n\n<!-- Tools end. -->';

describe('docs/agents/tools.md', () => {
  it('matches the declarations of the tools', () => {
    const text = readFileSync(PATH, 'utf8');
    const [before, rest = ''] = text.split(BEGIN);
    const [written, after] = rest.split(END);
    const reference = toolReference(TOOLS);
    if (process.env.UPDATE_DOCS && written !== reference) {
      writeFileSync(PATH, `${before}${BEGIN}${reference}${END}${after}`);
      return;
    }
    const remedy =
      'UPDATE_DOCS=1 npm test -- dist/test/mcp/docs.test.js writes docs/agents/tools.md';
    assert.equal(written, reference, remedy);
  });

  it('every declared tool is registered, and the README has their number', () => {
    const tools = globSync('src/features/*/*-tool.ts', { cwd: ROOT });
    const declared = tools.flatMap((path) =>
      [...readFileSync(ROOT + path, 'utf8').matchAll(/(?:=|return) defineTool\([^']*'(\w+)'/g)].map(
        ([, name]) => name,
      ),
    );
    assert.deepEqual(declared.sort(), TOOLS.map(({ name }) => name).sort());
    const readme = readFileSync(`${ROOT}README.md`, 'utf8');
    assert.equal(
      /\*\*Agents\*\*: (\d+) MCP tools/.exec(readme)?.[1],
      String(TOOLS.length),
      'README.md',
    );
  });

  it('every description is long enough for a model, and short enough for hosts', () => {
    assert.equal(new Set(TOOLS.map(({ name }) => name)).size, TOOLS.length);
    for (const { name, title, description, input } of TOOLS) {
      assert.match(name, /^[a-z]+(_[a-z]+)*$/);
      assert.ok(title.length <= 60, name);
      assert.ok(description.length > 40 && description.length <= 300, name);
      assert.equal('additionalProperties' in input && input.additionalProperties, false, name);
      // Hosts refuse schemas with keywords that their models don't support.
      assert.doesNotMatch(JSON.stringify(input), /"(anyOf|oneOf|allOf|\$ref|format|const)"/, name);
    }
  });

  it('the list repeats nothing, and doesn’t describe results', () => {
    for (const { name, outputSchema } of ALL_TOOLS.list) {
      assert.doesNotMatch(JSON.stringify(outputSchema ?? {}), /"description"/, name);
    }
  });
});
