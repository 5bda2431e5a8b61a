// A step of action.yml: comments on the pull request with the links, and later changes its comment.
import { readFileSync } from 'node:fs';

const { ERRORS, FOLDER, GITHUB_API_URL, GITHUB_EVENT_PATH, GITHUB_REPOSITORY, GITHUB_TOKEN } =
  process.env;

/** The longest comment that GitHub takes has 65,536 characters. */
const MAX_COMMENT = 65_000;

/** Statuses that somebody should see first. */
const TROUBLE = ['failed', 'conflict', 'skipped'];

const { number } = JSON.parse(readFileSync(GITHUB_EVENT_PATH, 'utf8')).pull_request;
const { results = [], error } = readResults();

/** Distinguishes our comment from others, also from those for other folders. */
const mark = `<!-- briefs: ${encodeURIComponent(FOLDER)} -->`;
const comments = `/repos/${GITHUB_REPOSITORY}/issues`;

const head = [mark, `**Briefs**: ${code(FOLDER)}`, ''];
const lines = [...(error ? [code(shortened(error.message)), ''] : []), ...table()];
const own = await findComment();
const sent = { body: fitting([...head, ...lines]).join('\n') };
if (own) await call('PATCH', `${comments}/comments/${own.id}`, sent);
else await call('POST', `${comments}/${number}/comments`, sent);

/** The command may have failed before it could print anything. */
function readResults() {
  try {
    return JSON.parse(readFileSync(process.env.RESULTS, 'utf8'));
  } catch {
    const said = firstErrors();
    return { error: { message: `Nothing was published. ${said || 'See the log.'}` } };
  }
}

function firstErrors() {
  try {
    return readFileSync(ERRORS, 'utf8').trim().split('\n').slice(0, 5).join(' ');
  } catch {
    return '';
  }
}

function table() {
  if (results.length === 0) return [];
  const isTrouble = ({ status }) => TROUBLE.includes(status);
  const sorted = [...results.filter(isTrouble), ...results.filter((each) => !isTrouble(each))];
  const rows = sorted.map(
    ({ file, status, document, url, message }) =>
      `| ${code(file)} | ${link(document, url)} | ${status}${message ? `: ${code(shortened(message))}` : ''} |`,
  );
  return ['| file | document | |', '|---|---|---|', ...rows];
}

/** Drops lines from the end until the comment isn't too long. */
function fitting(lines) {
  let length = 0;
  const count = lines.findIndex((line) => {
    length += line.length + 1;
    return length > MAX_COMMENT;
  });
  if (count < 0) return lines;
  return [...lines.slice(0, count), '', `… and ${lines.length - count} more.`];
}

function shortened(text) {
  return text.length > 1000 ? `${text.slice(0, 1000)}…` : text;
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
