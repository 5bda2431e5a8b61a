/**
 * Sources that are slow, long or deep to render, each at about `size` UTF-16 code units. They
 * include inputs that made other renderers hang, and attacks on our own additions: math,
 * highlighting, footnotes and raw HTML.
 */
export function hostileInputs(size: number): Record<string, string> {
  const run = (unit: string): string => unit.repeat(Math.ceil(size / unit.length));
  const lines = (line: (index: number) => string): string => {
    const all: string[] = [];
    for (let length = 0, index = 0; length < size; index++) {
      const next = line(index);
      all.push(next);
      length += next.length + 1;
    }
    return all.join('\n');
  };
  const half = Math.ceil(size / 2);
  const fence = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\`\n`;
  return {
    'opening brackets': run('['),
    'closing brackets': run(']'),
    'nested links': run('[a]('),
    'nested images': run('![[]()'),
    'image openings': run('!['),
    'bracket pairs': run('[]'),
    stars: run('*'),
    'star words': run('*a '),
    'star joints': run('a**b'),
    'nested emphasis': run('*a **a ') + run('a** a* '),
    'underscore joints': run('_a__b'),
    tildes: run('~~a'),
    'table cells': run('|a'),
    'table rows': `|a|b|\n|-|-|\n${run('|a|b|\n')}`,
    'wide table, short rows': `${'|a'.repeat(5_000)}|\n${'|-'.repeat(5_000)}|\n${run('|a\n')}`,
    'table headers': run('|a|\n|-|\n'),
    'less than': run('<'),
    'tag openings': run('<a '),
    'comment openings': run('<!--'),
    declarations: run('<!A '),
    'processing instructions': run('<?'),
    'CDATA openings': run('<![CDATA['),
    'nested b': `${'<b>'.repeat(half / 3)}${'</b>'.repeat(half / 4)}`,
    'unclosed b': run('<b>'),
    'nested div': run('<div>\n'),
    'misnested formatting': run('<p><b><i><a href=x>'),
    'tables in tables': run('<table><tr><td>'),
    'content before rows': run('<table>a<b>'),
    'list in list html': run('<ul><li><div><li>'),
    'many attributes': `<p ${run('a=1 ')}>`,
    'distinct attributes': `<p ${lines((index) => `a${index}`)}>`,
    'nested mathml': run('<math><mrow>'),
    'backtick runs': lines((index) => `${'`'.repeat((index % 2_000) + 1)} a`),
    'deep quote': run('>'),
    'deep quote, lazy lines': `${'>'.repeat(30)} a\n${run('a\n')}`,
    'very deep quote, lazy lines': `${'>'.repeat(1_000)} a\n${run('a\n')}`,
    'quote lines': run('> a\n'),
    'alternating quotes': run('> a\n\n'),
    'deep list': lines((index) => `${' '.repeat((index % 400) * 2)}- a`),
    'list markers in a line': run('- '),
    'flat list': run('- a\n'),
    'task list': run('- [ ] a\n'),
    'reference definitions': lines((index) => `[r${index}]: /u${index}`),
    'reference amplification': `[r]: /${'u'.repeat(half)}\n\n${'[r] '.repeat(half / 4)}`,
    'title amplification': `[r]: /u "${'t'.repeat(half)}"\n\n${'[r] '.repeat(half / 4)}`,
    'footnote references': run('[^a]'),
    footnotes: lines((index) => `[^${index}]\n\n[^${index}]: a\n`),
    'one footnote, many references': `[^a]: x\n\n${run('[^a] ')}`,
    'nested footnotes': run('[^a]: '),
    'footnote definitions': lines((index) => `[^${index}]: a\n`),
    alerts: run('> [!NOTE]\n> a\n\n'),
    'alert openings': run('> [!NOTE\n'),
    entities: run('&'),
    'long entities': run('&#x'),
    'mail starts': run('a@'),
    'www starts': run('www.'),
    'http starts': run('http://a.b'),
    links: run('http://a.b/c '),
    mails: run('a@b.c '),
    hashes: run('#'),
    headings: run('# a\n'),
    'numbered headings': lines((index) => `# a-${index}\n\n# a`),
    'setext lines': run('a\n-\n'),
    'blank lines': run('\n'),
    tabs: run('\t'),
    spaces: run(' '),
    backslashes: run('\\'),
    'thematic breaks': run('---\n'),
    'hard breaks': run('a  \n'),
    nul: run('\0'),
    dollars: run('$'),
    'dollar words': run('$a '),
    formulas: run('$x$ '),
    'distinct formulas': lines((index) => `$x_{${index}}$`),
    'backtick formulas': run('$`a '),
    'formula blocks': run('$$\nx\n$$\n'),
    'open formula blocks': run('$$ a\n'),
    'formula of braces': fence('math', run('{')),
    'formulas of braces': run(`$${'{'.repeat(1_500)}$ `),
    'formulas of fractions': run(`$${'\\frac{1}{'.repeat(300)}${'}'.repeat(300)}$ `),
    'macro bombs': lines((index) => {
      const steps = [...'abcdefghij'].map(
        (name, at, all) => `\\def\\${name}{${`\\${all[at + 1] ?? 'relax'}`.repeat(10)}}`,
      );
      return `$$\n${steps.join('')}\\a ${index}\n$$\n`;
    }),
    'macro bodies': lines(
      (index) => `$$\n\\def\\a{${'x'.repeat(1_000)}}${'\\a'.repeat(450)} ${index}\n$$\n`,
    ),
    'macro arguments': lines(
      (index) => `$$\n\\def\\a#1{#1#1}${'\\a{'.repeat(30)}x${'}'.repeat(30)} ${index}\n$$\n`,
    ),
    'endless macro': lines((index) => `$\\def\\a{\\a\\a}\\a ${index}$\n`),
    'wide matrices': lines(
      (index) => `$$\n\\begin{matrix}${'&'.repeat(1_900)}\\\\${index}\\end{matrix}\n$$\n`,
    ),
    mermaid: fence('mermaid', run('A-->B\n')),
    'plain code': fence('', run('a < b\n')),
    ...Object.fromEntries(
      ['typescript', 'xml', 'markdown', 'perl', 'latex', 'cpp', 'ruby', 'swift', 'php', 'css'].map(
        (language) => [
          `code in ${language}`,
          lines((index) => fence(language, `${'<a '.repeat(3_000)}${'(['.repeat(2_000)}${index}`)),
        ],
      ),
    ),
    'many code blocks': run(fence('js', 'a')),
  };
}
