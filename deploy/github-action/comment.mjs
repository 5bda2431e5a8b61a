// A step of action.yml: comments on the pull request with the links, and later changes its comment.
import { readFileSync } from 'node:fs';

const { FOLDER, GITHUB_API_URL, GITHUB_EVENT_PATH, GITHUB_REPOSITORY, GITHUB_TOKEN, RESULTS } =
  process.env;

const { number } = JSON.parse(readFileSync(GITHUB_EVENT_PATH, 'utf8')).pull_request;
const { results = [], error } = JSON.parse(readFileSync(RESULTS, 'utf8'));

/** Distinguishes our comment from others, also from those for other folders. */
const mark = `<!-- briefs: ${encodeURIComponent(FOLDER)} -->`;
const comments = `/repos/${GITHUB_REPOSITORY}/issues`;

const body = [
  mark,
  `**Briefs**: ${code(FOLDER)}`,
  '',
  ...(error ? [code(error.message)] : table()),
];
const own = await findComment();
const sent = { body: body.join('\n') };
if (own) await call('PATCH', `${comments}/comments/${own.id}`, sent);
else await call('POST', `${comments}/${number}/comments`, sent);

function table() {
  const rows = results.map(
    ({ file, status, document, url, message }) =>
      `| ${code(file)} | ${link(document, url)} | ${status}${message ? `: ${code(message)}` : ''} |`,
  );
  return ['| file | document | |', '|---|---|---|', ...rows];
}

/** Anyone can choose file names, so they must not become Markdown. */
function code(text) {
  return `\`${text.replace(/[`|\r\n]/g, ' ')}\``;
}

function link(document, url) {
  const isPlain = /^https?:\/\/[^\s<>|]+$/.test(url ?? '');
  return document && isPlain ? `[${code(document)}](<${url}>)` : '';
}

async function findComment() {
  for (let page = 1; ; page++) {
    const found = await call('GET', `${comments}/${number}/comments?per_page=100&page=${page}`);
    const ours = found.find((each) => each.user?.type === 'Bot' && each.body?.startsWith(mark));
    if (ours || found.length < 100) return ours;
  }
}

async function call(method, path, sent) {
  const response = await fetch(GITHUB_API_URL + path, {
    method,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${GITHUB_TOKEN}`,
      'user-agent': 'briefs',
      'x-github-api-version': '2022-11-28',
    },
    ...(sent && { body: JSON.stringify(sent) }),
  });
  if (!response.ok) {
    throw new Error(
      `GitHub answered ${response.status} to ${method} ${path}: ${await response.text()}`,
    );
  }
  return response.json();
}
