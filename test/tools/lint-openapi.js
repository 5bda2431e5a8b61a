/**
 * Reads an OpenAPI document from standard input, and prints what Redocly's recommended rules and
 * Spectral's have to say about it, as a JSON array.
 */
import { text } from 'node:stream/consumers';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';

const source = await text(process.stdin);
const linter = new spectral.Spectral();
linter.setRuleset({ extends: [rulesets.oas] });
const config = await createConfig({ extends: ['recommended'] });
const problems = [...(await lintFromString({ source, config })), ...(await linter.run(source))];
// Without the document itself, which each of Redocly's problems refers to.
const brief = problems.map(({ ruleId, code, message, path, location }) => ({
  rule: ruleId ?? code,
  message,
  at: path ?? location?.map(({ pointer }) => pointer),
}));
console.log(JSON.stringify(brief));
