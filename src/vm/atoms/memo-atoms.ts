import { MandateError, canonical, sha256, toPlain } from '../../core/index.ts'
import { arg, ident, member, object } from '../../expr/index.ts'
import type { Expr } from '../../expr/index.ts'
import { MAYBE } from '../compile/lower/lower-exprs.ts'
import type { AtomSpec } from '../port.ts'

type Block = Readonly<Record<string, unknown>>
type Steps = readonly Record<string, unknown>[]

const DAY_MS = 24 * 3_600_000

/** Lowers `memoize` and `cache` to other steps: look up the result, otherwise run the block and store its result. */
export const MEMO_ATOMS: readonly AtomSpec[] = [
  { op: 'memoize', cost: 0, rawFields: ['steps'], lower: (step) => lowered(step, 'memo', {}) },
  {
    op: 'cache',
    cost: 0,
    rawFields: ['steps'],
    lower: (step) => lowered(step, 'cache', { ttlMs: step['ttlMs'] ?? DAY_MS }),
  },
  { op: 'memoGet', cost: 0.3 },
  { op: 'memoSet', cost: 0 },
  { op: 'cacheGet', cost: 5 },
  { op: 'cacheSet', cost: 5 },
]

function lowered(step: Block, kind: 'memo' | 'cache', more: Readonly<Record<string, unknown>>): Steps {
  const steps = stepsOf(step)
  const block = sha256(canonical(toPlain(steps).value)).slice(0, 16)
  const body = withResult(steps)
  // Nested blocks have different hashes, and so different temporary names.
  const found = `%found_${block}`
  const made = `%made_${block}`
  const key = object([
    { key: 'block', value: block },
    { key: 'key', value: step['key'] === undefined ? everythingRead(body) : step['key'] },
  ])
  const name = typeof step['result'] === 'string' ? step['result'] : undefined
  const bind = (value: Expr): Steps =>
    name === undefined ? [] : [{ op: step['resultConst'] === true ? 'constSet' : 'varSet', key: name, value }]
  return [
    { op: `${kind}Get`, key, result: found },
    {
      op: 'if',
      condition: member(ident(found), 'hit'),
      then: bind(member(ident(found), 'value')),
      else: [
        { op: 'map', items: [0], as: '%turn', steps: body, result: made },
        { op: `${kind}Set`, key, value: member(ident(made), 0, { computed: true }), ...more },
        ...bind(member(ident(made), 0, { computed: true })),
      ],
    },
  ]
}

/** Only checks that it is a list of steps; the compiler checks each step. */
function stepsOf({ op, steps }: Block): Steps {
  if (Array.isArray(steps) && steps.every((each) => typeof each === 'object' && each !== null)) return steps as Steps
  throw new MandateError(
    'INPUT_INVALID',
    `The program is not valid: \`${textOf(op)}\` needs \`steps\`, a list of steps.`,
  )
}

/** The result of a block: its variable `result`, or the value of its final `return`. */
function withResult(steps: Steps): Steps {
  const last = steps.at(-1)
  if (last === undefined) return steps
  if (last['op'] === 'return' && 'value' in last)
    return [...steps.slice(0, -1), { op: 'varSet', key: 'result', value: last['value'] }]
  const names = ['result', 'value', 'key']
  const isNamed = typeof last['result'] === 'string' || names.includes(textOf(last['key']))
  const gives = ![
    'varSet',
    'constSet',
    'varsLet',
    'varsImport',
    'return',
    'if',
    'while',
    'try',
    'scope',
    'seq',
  ].includes(textOf(last['op']))
  return gives && !isNamed ? [...steps.slice(0, -1), { ...last, result: 'result' }] : steps
}

/** Global names, which are the same for every block. */
const GLOBALS = [
  'Math',
  'JSON',
  'Array',
  'Object',
  'String',
  'Number',
  'Boolean',
  'Date',
  'Set',
  'Map',
  'Promise',
  'console',
]

/** The default key: everything the block can read, so that two blocks, or two iterations, never share a result by accident. */
function everythingRead(steps: Steps): Expr {
  const names = new Set<string>()
  const paths = new Set<string>()
  collect(steps, names, paths)
  return object([
    // Some of these names are assigned inside the block and are undefined before it.
    ...[...names].sort().map((name) => ({ key: name, value: ident(`${MAYBE}${name}`) })),
    ...[...paths].sort().map((path) => ({ key: `args.${path}`, value: arg(path) })),
  ])
}

function collect(part: unknown, names: Set<string>, paths: Set<string>): void {
  if (Array.isArray(part)) return part.forEach((item) => collect(item, names, paths))
  if (typeof part !== 'object' || part === null) return
  const node = part as {
    readonly $expr?: unknown
    readonly $kind?: unknown
    readonly name?: unknown
    readonly path?: unknown
    readonly op?: unknown
    readonly keys?: unknown
  }
  if (node.$expr === 'literal') return
  if (node.$expr === 'ident' && !GLOBALS.includes(textOf(node.name))) names.add(textOf(node.name))
  if (node.$kind === 'arg') paths.add(textOf(node.path))
  if (node.op === 'varGet') names.add(textOf((part as { key?: unknown }).key).split('.')[0]!)
  if (node.op === 'varsExport') for (const name of namesIn(node.keys)) names.add(name.split('.')[0]!)
  if (node.op === 'varsImport') for (const name of namesIn(node.keys)) paths.add(name)
  for (const value of Object.values(part)) collect(value, names, paths)
}

function namesIn(keys: unknown): readonly string[] {
  if (Array.isArray(keys)) return keys.map(textOf)
  return typeof keys === 'object' && keys !== null ? Object.values(keys).map(textOf) : []
}

/** The value if it is a text, without converting guest values. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
