type Tree = Readonly<Record<string, unknown>>

/** Fields a kind of node has; any other field is passed on, so that our own check must refuse it. */
const known: ReadonlyMap<string, readonly string[]> = new Map([
  ['lit', ['v']],
  ['var', ['n']],
  ['get', ['o', 'p']],
  ['call', ['f', 'a']],
  ['op', ['op', 'a']],
  ['obj', ['e']],
  ['fn', ['p', 'b']],
  ['let', ['n', 'v', 'b']],
  ['for', ['n', 'from', 'to', 'b']],
  ['tool', ['t', 'args']],
  ['path', ['p']],
  ['set', ['path', 'v']],
  ['regex', ['p', 's']],
])

const member = (object: unknown, property: unknown): Tree => ({ $expr: 'member', object, property, computed: true })

/** The corpus' neutral tree in our wire format. What it does not know it leaves as it is: refusing is not its business. */
export function toExpression(tree: unknown): unknown {
  if (typeof tree !== 'object' || tree === null || Array.isArray(tree)) return { $expr: tree }
  const node = tree as Tree
  const { k } = node
  const fields = typeof k === 'string' ? known.get(k) : undefined
  if (fields === undefined) return { ...node, $expr: k ?? node['$ref'] ?? 'none' }
  const extra = Object.fromEntries(Object.entries(node).filter(([name]) => name !== 'k' && !fields.includes(name)))
  return { ...(made(k as string, node) as Tree), ...extra }
}

function list(value: unknown): unknown {
  return Array.isArray(value) ? value.map(toExpression) : value
}

function made(kind: string, node: Tree): unknown {
  const { a, o, p, v, n, b } = node
  switch (kind) {
    case 'lit':
      return { $expr: 'literal', value: v }
    case 'var':
      return { $expr: 'ident', name: n }
    case 'get':
      return member(toExpression(o), typeof p === 'string' ? p : toExpression(p))
    case 'call':
      return { $expr: 'call', callee: toExpression(node['f']), arguments: list(a) }
    case 'op': {
      const [left, right] = Array.isArray(a) ? a : []
      return { $expr: 'binary', op: node['op'], left: toExpression(left), right: toExpression(right) }
    }
    case 'obj':
      return {
        $expr: 'object',
        properties: (node['e'] as [string, unknown][]).map(([key, value]) => ({ key, value: toExpression(value) })),
      }
    case 'tool': {
      const given = Object.entries(node['args'] as Tree).map(([key, value]) => ({ key, value: toExpression(value) }))
      const callee = member({ $expr: 'ident', name: 'tools' }, node['t'])
      return { $expr: 'call', callee, arguments: [{ $expr: 'object', properties: given }] }
    }
    case 'path': {
      const [first, ...rest] = String(p).split('.')
      return rest.reduce((object: unknown, key) => member(object, key), { $expr: 'ident', name: first })
    }
    case 'regex':
      return {
        $expr: 'methodCall',
        object: { $expr: 'regex', pattern: p, flags: '' },
        method: 'test',
        arguments: [toExpression(node['s'])],
      }
    default:
      return steps(kind, node, n, b)
  }
}

/** Kinds that are statements with us: a function around them makes them expressions. */
function steps(kind: string, node: Tree, name: unknown, body: unknown): unknown {
  const call = (inner: unknown[]): Tree => ({
    $expr: 'call',
    callee: { $expr: 'function', params: [], body: inner },
    arguments: [],
  })
  if (kind === 'let') {
    return call([
      { op: 'let', kind: 'let', name, value: toExpression(node['v']) },
      { op: 'return', value: toExpression(body) },
    ])
  }
  if (kind === 'for') {
    const counter = { $expr: 'ident', name }
    return call([
      {
        op: 'for',
        init: [{ op: 'let', kind: 'let', name, value: toExpression(node['from']) }],
        condition: { $expr: 'binary', op: '<', left: counter, right: toExpression(node['to']) },
        update: { $expr: 'update', op: '++', prefix: false, argument: counter },
        body: [{ op: 'expr', value: toExpression(body) }],
      },
    ])
  }
  const [first, ...rest] = node['path'] as unknown[]
  const target = rest.reduce((object: unknown, key) => member(object, key), { $expr: 'ident', name: first })
  const declared = first === 'a' ? [{ op: 'let', kind: 'let', name: 'a', value: { $expr: 'array', elements: [] } }] : []
  return call([
    ...declared,
    { op: 'return', value: { $expr: 'assign', op: '=', target, value: toExpression(node['v']) } },
  ])
}
