import { MandateError, toPlain, checkFields } from '../core/index.ts'
import type { Json, JsonObject } from '../core/index.ts'
import type { Risk } from '../tool/index.ts'
import type { AnyAtom } from './atoms/atom.ts'
import { FLOW_NAMES } from './atoms/set/flow.ts'
import { isProgram } from './atoms/host/procedures.ts'
import { atomsWith } from './atoms/registry.ts'
import { isProgramValue } from './compile/lower/lowering.ts'

/** A location in a program that makes a request. */
interface Reach {
  readonly op: string
  /** The path in the program: `steps[2].then[0]`. */
  readonly path: string
  /** The constant target: a URL, a key, an agent; `*` if it is computed. */
  readonly target?: string | undefined
  readonly risk?: Risk | undefined
}

/** The result of the static analysis of a program: what it can access. */
export interface Inspection {
  /** Every operation it uses. */
  readonly ops: readonly string[]
  /** Atoms with external effects. */
  readonly effects: readonly Reach[]
  /** Tools that it calls, as `tools.name(…)` or `toolCall`; `*` when the name is computed. */
  readonly tools: readonly string[]
  /** Operations by which data can leave or be changed: effects that do more than read, and every tool. */
  readonly sinks: readonly string[]
  /** Other agents and programs that it starts. */
  readonly agents: readonly string[]
  /** Why the lists may be incomplete: code or names that are known only at run time. Empty if they are complete. */
  readonly open: readonly string[]
  readonly nodes: number
  readonly depth: number
}

/** Deeper or larger programs are refused by the compiler as well. */
const DEPTH_MAX = 256
const NODES_MAX = 1_000_000

/**
 * Lists the effects, tools and sinks that a program can use, before it runs, so that a policy can refuse it. Anything known only at run time is listed under
 * `open`, never omitted.
 *
 * @example
 * ```ts
 * import { inspect, program, s } from 'mandate/vm'
 * const chain = program.take(s.object({})).httpFetch({ url: 'https://example.com' })
 * inspect(chain).effects // [{ op: 'httpFetch', path: 'steps[0]', target: 'https://example.com' }]
 * ```
 */
export function inspect(
  program: object,
  options: { readonly atoms?: Readonly<Record<string, AnyAtom>> | undefined } = {},
): Inspection {
  checkFields(options, 'an option of `inspect`', { atoms: true })
  const plain = toPlain(program)
  if (plain.issues.length > 0 || !isProgram(plain.value))
    throw new MandateError(
      'INPUT_INVALID',
      `This is not a program: ${plain.issues[0] ?? 'it needs op "seq" and steps'}.`,
    )
  const look = new Inspector(atomsWith(options.atoms))
  look.program(plain.value, '')
  return look.found()
}

class Inspector {
  readonly #atoms: ReadonlyMap<string, AnyAtom>
  readonly #ops = new Set<string>()
  readonly #effects: Reach[] = []
  readonly #tools = new Set<string>()
  readonly #agents = new Set<string>()
  readonly #open: string[] = []
  #isScript = false
  #nodes = 0
  #depth = 0

  constructor(atoms: ReadonlyMap<string, AnyAtom>) {
    this.#atoms = atoms
  }

  program(program: JsonObject, path: string): void {
    // Script statements make no requests; only `tools` does.
    const outer = this.#isScript
    this.#isScript = program['mode'] === 'script'
    for (const field of ['steps', 'helpers'])
      if (program[field] !== undefined) this.#walk(program[field], join(path, field), 1)
    this.#isScript = outer
  }

  found(): Inspection {
    const sinks = this.#effects.filter(({ risk }) => risk !== 'read').map(({ op }) => op)
    return {
      ops: [...this.#ops].sort(),
      effects: this.#effects,
      tools: [...this.#tools].sort(),
      sinks: [...new Set([...sinks, ...[...this.#tools].map((name) => `tools.${name}`)])].sort(),
      agents: [...this.#agents].sort(),
      open: this.#open,
      nodes: this.#nodes,
      depth: this.#depth,
    }
  }

  #walk(part: Json, path: string, depth: number): void {
    if (typeof part !== 'object' || part === null) return
    this.#nodes += 1
    this.#depth = Math.max(this.#depth, depth)
    if (depth > DEPTH_MAX || this.#nodes > NODES_MAX)
      throw new MandateError('LIMIT_EXCEEDED', `The program is too deep or too large to be looked at (at ${path}).`)
    if (Array.isArray(part))
      return part.forEach((item: Json, index) => this.#walk(item, `${path}[${index}]`, depth + 1))
    const node = part as JsonObject
    if (node['$expr'] === 'literal') return this.#literal(node['value'], path, depth)
    if (node['$expr'] === 'ident' && node['name'] === 'tools') this.#anyTool(path)
    if (this.#isToolCall(node, path))
      return this.#members(node, path, depth, node['$expr'] === 'methodCall' ? 'arguments' : undefined)
    this.#namedCallee(node)
    if (typeof node['op'] === 'string' && node['$expr'] === undefined) this.#step(node, node['op'], path)
    // A nested program has its own names and mode.
    if (depth > 1 && isProgramValue(node)) return this.#inner(node, path, depth)
    this.#members(node, path, depth)
  }

  #members(node: JsonObject, path: string, depth: number, only?: string): void {
    for (const [name, member] of Object.entries(node)) {
      if (only !== undefined ? name !== only : name === 'object' && isTools(node)) continue
      this.#walk(member, join(path, name), depth + 1)
    }
  }

  /** Literals are data, but may contain a program that is run elsewhere. */
  #literal(value: Json | undefined, path: string, depth: number): void {
    if (isProgram(value)) this.#walk(value, join(path, 'value'), depth + 1)
  }

  #inner(program: JsonObject, path: string, depth: number): void {
    const outer = this.#isScript
    this.#isScript = program['mode'] === 'script'
    this.#members(program, path, depth)
    this.#isScript = outer
  }

  /** `{ $expr: 'call', callee: 'tools.search' }`. */
  #namedCallee({ $expr, callee }: JsonObject): void {
    if ($expr === 'call' && typeof callee === 'string' && callee.startsWith('tools.'))
      this.#tools.add(callee.slice('tools.'.length))
  }

  /** `tools.search(…)` and `tools.search` name a tool; `tools[x]` could be any. */
  #isToolCall(node: JsonObject, path: string): boolean {
    if (!isTools(node)) return false
    const name = node['$expr'] === 'methodCall' ? node['method'] : node['property']
    const written = typeof name === 'string' ? name : (name as { value?: Json } | undefined)?.value
    if (typeof written === 'string') this.#tools.add(written)
    else this.#anyTool(path)
    return true
  }

  #anyTool(path: string): void {
    this.#tools.add('*')
    this.#open.push(`a tool whose name is computed, at ${path}`)
  }

  #step(step: JsonObject, op: string, path: string): void {
    this.#ops.add(op)
    if (this.#isScript) return
    const atom = this.#atoms.get(op)
    if (atom === undefined && !FLOW_NAMES.has(op) && /^[A-Z]?[a-z]+[A-Z]/.test(op))
      this.#open.push(`the operation "${op}", which is not known here, at ${path}`)
    if (op === 'runCode' || op === 'transpileCode')
      this.#open.push(`code that comes up when it runs (${op}), at ${path}`)
    if (op === 'toolCall') {
      const name = literalOf(step['name'])
      if (typeof name === 'string') this.#tools.add(name)
      else this.#anyTool(path)
    }
    if (op === 'cache') this.#effects.push({ op: 'storeSet', path, target: 'cache:*', risk: 'write' })
    if (atom === undefined || atom.effects !== 'io') return
    const target = targetOf(step)
    this.#effects.push({
      op,
      path,
      ...(target === undefined ? {} : { target }),
      ...(atom.risk === undefined ? {} : { risk: atom.risk }),
    })
    if (op === 'agentRun') this.#agent(step['agentId'], path)
  }

  #agent(agentId: Json | undefined, path: string): void {
    const written = literalOf(agentId)
    if (typeof written === 'string') this.#agents.add(written)
    // A nested program is inspected where it is found.
    else if (!isProgram(written)) {
      this.#agents.add('*')
      this.#open.push(`an agent that is computed, at ${path}`)
    }
  }
}

function isTools({ $expr, object }: JsonObject): boolean {
  if ($expr !== 'member' && $expr !== 'methodCall') return false
  const target = object as { readonly $expr?: Json; readonly name?: Json } | undefined
  return target?.$expr === 'ident' && target.name === 'tools'
}

const TARGETS = ['url', 'key', 'collection', 'agentId']

function targetOf(step: JsonObject): string | undefined {
  const name = TARGETS.find((each) => step[each] !== undefined)
  if (name === undefined) return undefined
  const written = literalOf(step[name])
  return typeof written === 'string' ? written : '*'
}

/** Returns a constant value; undefined for a computed one. */
function literalOf(value: Json | undefined): Json | undefined {
  if (typeof value !== 'object' || value === null) return value
  const node = value as { readonly $expr?: Json; readonly $kind?: Json; readonly value?: Json }
  if (node.$expr === 'literal') return node.value
  return node.$expr === undefined && node.$kind === undefined ? value : undefined
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}
