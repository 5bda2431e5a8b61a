import { parseAst } from 'rolldown/parseAst';

/** A small fault that could be in the code. */
export interface Mutation {
  kind: string;
  /** The part of the source that is replaced. */
  start: number;
  end: number;
  replacement: string;
}

/** A node of the syntax tree (ESTree). */
interface Node {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

const OTHER_OPERATOR: Record<string, string> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
};

/** Methods that restrict a query. */
const RESTRICTIONS = ['where', 'whereRef', 'having', 'onRef'];

/** Returns every mutation of a module's source. */
export function mutationsOf(source: string): Mutation[] {
  const found: Mutation[] = [];
  visit(parseAst(source) as unknown as Node, (node) => found.push(...mutationsAt(node, source)));
  return found;
}

function visit(node: Node, look: (node: Node) => void): void {
  if (node.type === 'ImportDeclaration') return;
  look(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child?.type === 'string') visit(child, look);
    }
  }
}

function mutationsAt(node: Node, source: string): Mutation[] {
  const text = ({ start, end }: Node) => source.slice(start, end);
  const replace = (kind: string, part: Node, replacement: string): Mutation => {
    return { kind, start: part.start, end: part.end, replacement };
  };
  switch (node.type) {
    case 'IfStatement': {
      const test = node.test as Node;
      const negated = replace('condition negated', test, `!(${text(test)})`);
      return node.alternate ? [negated] : [negated, replace('guard removed', test, 'false')];
    }
    case 'ConditionalExpression': {
      const test = node.test as Node;
      return [replace('condition negated', test, `!(${text(test)})`)];
    }
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const [left, right] = [node.left as Node, node.right as Node];
      const operator = OTHER_OPERATOR[node.operator as string];
      if (operator === undefined) return [];
      const between = { ...left, start: left.end, end: right.start };
      const changed = text(between).replace(node.operator as string, operator);
      const parts = [replace('operator changed', between, changed)];
      if (node.type === 'LogicalExpression') {
        parts.push(replace('condition dropped', node, text(left)));
        parts.push(replace('condition dropped', node, text(right)));
      }
      return parts;
    }
    case 'Literal':
      return typeof node.value === 'number'
        ? [replace('limit shifted', node, `(${text(node)} + 1)`)]
        : typeof node.value === 'boolean'
          ? [replace('constant changed', node, String(!node.value))]
          : [];
    case 'ExpressionStatement': {
      const { type } = node.expression as Node;
      const isCall = type === 'AwaitExpression' || type === 'CallExpression';
      return isCall ? [replace('call dropped', node, ';')] : [];
    }
    case 'CallExpression': {
      const callee = node.callee as Node;
      const name = (callee.property as Node | undefined)?.name as string;
      if (callee.type !== 'MemberExpression' || !RESTRICTIONS.includes(name)) return [];
      return [replace('restriction dropped', node, text(callee.object as Node))];
    }
    case 'FunctionDeclaration': {
      const body = node.body as Node;
      const { start } = body;
      return [{ kind: 'returns early', start: start + 1, end: start + 1, replacement: ' return;' }];
    }
    default:
      return [];
  }
}
