import { children } from '../compile/children.ts'
import type { Emitter, Unit } from '../compile/emitter.ts'
import type { Call, Ex, Fn, Method, St } from '../compile/ir.ts'
import type { FunctionInfo, Variable } from '../compile/scope.ts'
import { BuiltinFunction } from '../value/builtin-function.ts'
import { GuestFunction } from '../value/guest-function.ts'
import { CALLING, METHODS, MUTATORS, STATIC_MUTATORS } from './builtin-flows.ts'

/** A variable as code of one function finds it: one of its own, or a box that it carries. */
export type Place = Variable | number

interface CallSite {
  readonly callee: Place
  readonly args: readonly (Place | undefined)[]
}

/** What a part of a program can do to the rest of it, whether or not it runs. */
export class Effects {
  readonly assigned: Set<Place> = new Set()
  readonly temps: Set<number> = new Set()
  /** Variables whose object is written, at the end of a path of names. */
  readonly roots: [Place, readonly string[]][] = []
  /** Variables of which anything inside may be written. */
  readonly deep: Set<Place> = new Set()
  readonly calls: CallSite[] = []
  /** It may write something that nothing here names. */
  isUnknown = false
  /** It may write to one of several things, chosen by what it met. */
  picks = false
  /** It may call something that nothing here names. */
  callsUnknown = false
  /** It can be left for a place outside of it. */
  escapes = false
  readonly info: FunctionInfo

  constructor(info: FunctionInfo) {
    this.info = info
  }

  /** Whether calling the function that this is of can change anything that outlives the call. */
  get isImpure(): boolean {
    return (
      this.isUnknown ||
      this.picks ||
      this.deep.size > 0 ||
      this.roots.some(([place]) => typeof place === 'number' || place.kind === 'param') ||
      [...this.assigned].some((place) => typeof place === 'number')
    )
  }
}

const METHOD_NAMES = new Set(METHODS)

/** Methods that give one of the things they were given. */
const PICKING = new Set([
  'find',
  'findLast',
  'at',
  'pop',
  'shift',
  'get',
  'reduce',
  'reduceRight',
  'call',
  'apply',
  'bind',
])

class Looking {
  readonly effects: Effects
  readonly #own = new Set<Variable>()
  /** Where variables that only live inside got what they hold. */
  readonly #sources = new Map<Variable, (Ex | 'item')[]>()
  readonly #exits: { readonly labels: string[]; loops: number; switches: number } = {
    labels: [],
    loops: 0,
    switches: 0,
  }

  constructor(info: FunctionInfo) {
    this.effects = new Effects(info)
  }

  look(nodes: readonly (Ex | St)[]): Effects {
    for (const node of nodes) this.#gather(node)
    for (const node of nodes) this.#visit(node)
    for (const variable of this.#own) this.effects.assigned.delete(variable)
    return this.effects
  }

  /** What lives inside, and what is put into each variable. */
  #gather(node: Ex | St): void {
    if (node.k === 'let' || node.k === 'forof') {
      const { variable } = node
      if (variable !== undefined) {
        if (node.kind !== 'var') this.#own.add(variable)
        this.#source(variable, node.k === 'forof' ? node.items : (node.value ?? { k: 'lit', value: undefined }))
      }
    }
    if (node.k === 'function' && node.variable !== undefined) this.#own.add(node.variable)
    if ((node.k === 'assign' || node.k === 'constset') && node.target.k === 'var' && node.target.ref?.to === 'local')
      this.#source(node.target.ref.variable, node.value)
    if (node.k === 'request' && node.target?.ref?.to === 'local') this.#source(node.target.ref.variable, 'item')
    if (node.k === 'try' && node.param?.ref?.to === 'local') this.#source(node.param.ref.variable, 'item')
    if (node.k !== 'fn' && node.k !== 'function') for (const part of children(node)) this.#gather(part)
  }

  #source(variable: Variable, value: Ex | 'item'): void {
    const known = this.#sources.get(variable)
    if (known === undefined) this.#sources.set(variable, [value])
    else known.push(value)
  }

  #visit(node: Ex | St): void {
    const { effects } = this
    switch (node.k) {
      case 'fn':
        return this.#inner(node)
      case 'function':
        return this.#inner(node.fn)
      case 'let':
      case 'forof':
        if (node.variable !== undefined) effects.assigned.add(node.variable)
        break
      case 'assign':
      case 'update':
      case 'constset':
      case 'request':
        if (node.target !== undefined) this.#target(node.target)
        break
      case 'settemp':
      case 'awaitto':
      case 'callto':
        effects.temps.add(node.slot)
        break
      case 'append':
        this.#written(node.list)
        break
      case 'input':
        if (node.atom.op === 'push')
          for (const property of node.fields.properties)
            if (!('k' in property) && property.key === 'list') this.#written(property.value)
        break
      case 'unary':
        if (node.op === 'delete' && (node.argument.k === 'member' || node.argument.k === 'index'))
          this.#written(node.argument.object)
        break
      case 'try':
        for (const param of [node.param, node.opParam]) if (param !== undefined) this.#target(param)
        break
      case 'call':
        this.#call(node)
        break
      case 'method':
        this.#method(node)
        break
      case 'return':
        effects.escapes = true
        break
      case 'exit':
        this.#exit(node.kind, node.label)
        break
      default:
    }
    this.#into(node)
  }

  #into(node: Ex | St): void {
    const exits = this.#exits
    if (node.k === 'loop' || node.k === 'forof') exits.loops += 1
    if (node.k === 'switch') exits.switches += 1
    if (node.k === 'labeled') exits.labels.push(node.label)
    if (node.k === 'loop' || node.k === 'forof') exits.labels.push(...node.labels)
    for (const part of children(node)) this.#visit(part)
    if (node.k === 'loop' || node.k === 'forof') exits.loops -= 1
    if (node.k === 'switch') exits.switches -= 1
    if (node.k === 'labeled') exits.labels.pop()
    if (node.k === 'loop' || node.k === 'forof') exits.labels.length -= node.labels.length
  }

  #exit(kind: 'break' | 'continue', label: string | undefined): void {
    const { labels, loops, switches } = this.#exits
    const isInside = label === undefined ? loops > 0 || (kind === 'break' && switches > 0) : labels.includes(label)
    if (!isInside) this.effects.escapes = true
  }

  #place(node: Ex | undefined): Place | undefined {
    if (node?.k !== 'var') return undefined
    return node.ref?.to === 'local' ? node.ref.variable : node.ref?.to === 'box' ? node.ref.up : undefined
  }

  #target(target: Ex): void {
    const place = this.#place(target)
    if (place !== undefined) this.effects.assigned.add(place)
    else if (target.k === 'temp') this.effects.temps.add(target.slot)
    else if (target.k === 'member' || target.k === 'index') this.#written(target.object)
  }

  /** Something inside what this gives is written. */
  #written(object: Ex): void {
    const path: string[] = []
    let base = object
    while (base.k === 'member' && !base.optional) {
      path.unshift(base.name)
      base = base.object
    }
    const place = this.#place(base)
    // What was just made is nobody else's.
    if (path.length === 0 && (base.k === 'list' || base.k === 'object')) return
    if (place === undefined) return this.#origin(base)
    const sources = typeof place === 'number' ? undefined : this.#sources.get(place)
    if (sources !== undefined) {
      for (const source of sources) this.#from(source)
      if (!this.#own.has(place as Variable)) this.effects.roots.push([place, path])
    } else if (path.length === 0) this.effects.roots.push([place, path])
    else this.effects.deep.add(place)
  }

  /** Something that can be reached from what this gives may be written. */
  #origin(node: Ex): void {
    switch (node.k) {
      case 'lit':
      case 'data':
      case 'fn':
      case 'regex':
      case 'template':
      case 'binary':
      case 'unary':
      case 'update':
        return
      case 'member':
        return this.#origin(node.object)
      case 'index':
        if (node.key.k !== 'lit') this.effects.picks = true
        return this.#origin(node.object)
      case 'var': {
        const place = this.#place(node)
        if (place === undefined) this.effects.isUnknown ||= node.ref?.to === 'args' || node.ref?.to === 'argument'
        else if (typeof place !== 'number' && this.#own.has(place)) this.#again(place)
        else this.effects.deep.add(place)
        return
      }
      case 'list':
      case 'object':
      case 'conditional':
      case 'logical':
      case 'sequence':
      case 'assign':
      case 'spread':
      case 'tolist':
      case 'omit':
      case 'chain':
      case 'new':
      case 'through':
        if (node.k === 'conditional' || node.k === 'logical') this.effects.picks = true
        for (const part of children(node)) if (part.k !== 'function') this.#origin(part as Ex)
        return
      case 'method':
        // What built-ins give is new, or was in what they were given.
        if (typeof node.name === 'string' && METHOD_NAMES.has(node.name)) {
          if (PICKING.has(node.name)) this.effects.picks = true
          for (const part of [node.object, ...node.args]) this.#origin(part)
          return
        }
        break
      default:
    }
    this.effects.isUnknown = true
  }

  readonly #met = new Set<Variable>()
  #again(variable: Variable): void {
    if (this.#met.has(variable)) return
    this.#met.add(variable)
    for (const source of this.#sources.get(variable) ?? []) this.#from(source)
  }

  #from(source: Ex | 'item'): void {
    if (source === 'item') this.effects.isUnknown = true
    else this.#origin(source)
  }

  /** A function that is made here may be called here, or later by whoever gets it. */
  #inner(fn: Fn): void {
    const { effects } = this
    const inner = effectsOf(fn)
    const { captures } = fn.info!
    const out = (place: Place): Place | undefined => {
      if (typeof place !== 'number') return undefined
      const { variable, up } = captures[place]!
      return up < 0 ? variable : up
    }
    for (const place of inner.assigned) add(effects.assigned, out(place))
    for (const place of inner.deep) add(effects.deep, out(place))
    for (const [place, path] of inner.roots) {
      const outer = out(place)
      if (outer === undefined) continue
      // What only lives inside is looked at where it came from.
      if (typeof outer !== 'number' && this.#own.has(outer)) this.#again(outer)
      else if (typeof outer !== 'number' && this.#sources.has(outer)) effects.isUnknown = true
      else effects.roots.push([outer, path])
    }
    for (const { callee, args } of inner.calls) {
      const outer = out(callee)
      if (outer !== undefined)
        effects.calls.push({ callee: outer, args: args.map((arg) => (arg === undefined ? undefined : out(arg))) })
      // Also what it is given: a built-in may give it anything that is in a list.
      else if (typeof callee !== 'number') effects.callsUnknown = true
    }
    effects.isUnknown ||= inner.isUnknown
    effects.picks ||= inner.picks
    effects.callsUnknown ||= inner.callsUnknown
  }

  #called(callee: Place, args: readonly Ex[]): void {
    const { effects } = this
    // A function that was put into a variable here may be another one where this does not run.
    if (typeof callee !== 'number' && this.#sources.has(callee)) {
      if (this.#sources.get(callee)!.some((source) => source === 'item' || source.k !== 'fn'))
        effects.callsUnknown = true
      // It may write what it is given.
      for (const arg of args) if (arg.k !== 'lit') this.#written(arg)
      return
    }
    effects.calls.push({ callee, args: args.map((arg) => this.#place(arg)) })
  }

  #passed(args: readonly Ex[]): void {
    for (const arg of args) {
      const place = this.#place(arg)
      const sources = typeof place === 'object' ? this.#sources.get(place) : undefined
      if (sources !== undefined && !sources.some(mayHoldFunction)) continue
      if (place !== undefined) this.#called(place, [])
    }
  }

  #call({ callee, args }: Call): void {
    const place = this.#place(callee)
    // `String(x)` and its like call nothing that they are given.
    const isBuiltin = callee.k === 'var' && callee.ref?.to === 'global' && callee.ref.value instanceof BuiltinFunction
    if (!isBuiltin) this.#passed(args)
    if (place !== undefined) this.#called(place, args)
    else if (callee.k === 'var' && callee.ref?.to === 'global') {
      // A helper of a JSON program sees nothing but what it is given.
      if (callee.ref.value instanceof GuestFunction) for (const arg of args) this.#origin(arg)
    } else if (callee.k !== 'fn') this.effects.callsUnknown = true
    if (args.some((arg) => arg.k === 'spread')) this.effects.callsUnknown = true
  }

  #method({ object, name, args }: Method): void {
    const global = object.k === 'var' && object.ref?.to === 'global' ? object.ref.value : undefined
    const isBuiltin = typeof name === 'string' && (METHOD_NAMES.has(name) || global instanceof BuiltinFunction)
    if (!isBuiltin || CALLING.has(name)) this.#passed(args)
    if (global instanceof BuiltinFunction) {
      const [first] = args
      if (typeof name === 'string' && STATIC_MUTATORS.has(`${global.path}.${name}`) && first !== undefined)
        this.#written(first)
      return
    }
    if (typeof name !== 'string' || !METHOD_NAMES.has(name)) this.effects.callsUnknown = true
    // A method of an object of the program may write what it is given.
    if (typeof name !== 'string' || !METHOD_NAMES.has(name)) for (const part of [object, ...args]) this.#origin(part)
    else if (MUTATORS.has(name)) this.#written(object)
  }
}

function add(set: Set<Place>, place: Place | undefined): void {
  if (place !== undefined) set.add(place)
}

const known = new WeakMap<Fn, Effects>()

/** What calling a function may do. */
export function effectsOf(fn: Fn): Effects {
  const found = known.get(fn)
  if (found !== undefined) return found
  // A function that calls itself adds nothing by that.
  known.set(fn, new Effects(fn.info!))
  const made = new Looking(fn.info!).look([...fn.params.flatMap(({ initial }) => initial ?? []), fn.body])
  known.set(fn, made)
  return made
}

export function effectsIn(nodes: readonly (Ex | St)[], emit: Emitter): Effects {
  return new Looking(emit.fn).look(nodes)
}

const impure = new WeakMap<Unit, boolean>()

/** Names of properties under which functions run without being called by name. */
const HIDDEN_CALLS = ['toString', 'valueOf', 'toJSON', 'then']

/** Whether any function of a program changes what outlives it: only then does a call of something unknown matter. */
export function isImpure(unit: Unit): boolean {
  let found = impure.get(unit)
  if (found === undefined) {
    // The program itself is called by nobody.
    found = unit.codes.some(({ fn }) => !(fn.isIsolated && fn.isAsync) && effectsOf(fn).isImpure)
    impure.set(unit, found)
  }
  return found
}

const shadowing = new WeakMap<Unit, boolean>()

/** Whether an object of the program may hold a function where a built-in would be looked for. */
export function hasShadows(unit: Unit): boolean {
  let found = shadowing.get(unit)
  if (found === undefined) shadowing.set(unit, (found = unit.codes.some(({ fn }) => shadows(fn.body))))
  return found
}

function shadows(node: Ex | St): boolean {
  if (node.k === 'object')
    for (const property of node.properties)
      if (
        !('k' in property) &&
        (typeof property.key !== 'string' || isTaken(property.key)) &&
        mayBeFunction(property.value)
      )
        return true
  if (node.k === 'assign' && node.target.k === 'member' && isTaken(node.target.name) && mayBeFunction(node.value))
    return true
  if (node.k === 'assign' && node.target.k === 'index' && mayBeFunction(node.value)) return true
  return node.k !== 'fn' && node.k !== 'function' && children(node).some(shadows)
}

function isTaken(name: string): boolean {
  return METHOD_NAMES.has(name) || HIDDEN_CALLS.includes(name)
}

function mayHoldFunction(source: Ex | 'item'): boolean {
  if (source === 'item') return true
  const isData = source.k === 'method' && typeof source.name === 'string' && METHOD_NAMES.has(source.name)
  return isData ? PICKING.has(source.name) : mayBeFunction(source)
}

function mayBeFunction({ k }: Ex): boolean {
  return !['lit', 'binary', 'unary', 'template', 'list', 'object', 'update', 'data'].includes(k)
}
