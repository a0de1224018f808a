import { MandateError } from '../../../core/index.ts'
import type { Guest } from '../../value/guest.ts'
import { ASYNC_ITERATOR, ITERATOR, isSymbolKey } from '../../value/symbols.ts'
import { children } from '../children.ts'
import type { ExitTargets } from '../exits.ts'
import type { Ex, Fn, Method, Reference, Var, Yield } from '../ir.ts'
import type { Block, ForOf, Loop, St, Try } from '../ir-statements.ts'
import type { NameCheck } from './name-check.ts'
import { FunctionInfo, Scope } from './scope.ts'
import type { ProgramFacts, Variable } from './scope.ts'

export interface Globals {
  /** The value of a global name, if there is one. */
  find(name: string): Guest
  has(name: string): boolean
  readonly isScript: boolean
  /** Whether values from other programs may be iterators. */
  readonly hasIterators?: boolean | undefined
  /** Throws for names that cannot be resolved. */
  readonly check?: NameCheck | undefined
  /** Resolution of declarations, for scripts. */
  readonly declarations?: ((resolver: Resolver) => Declarations) | undefined
}

/** Script-only resolution: declarations, functions, and targets of exits. */
export interface Declarations {
  readonly exits: ExitTargets
  /** Declares the names of a block; functions first, so that they are visible in the whole block. */
  declare(body: readonly St[], scope: Scope): Variable[]
  /** Visits the functions of a block. */
  functions(body: readonly St[], scope: Scope): void
  /** Declares the names that belong to a whole function. */
  vars(fn: Fn, scope: Scope): void
  /** Visits a script-only node; `false` for other nodes. */
  visit(node: Ex | St, scope: Scope, depth: number): boolean
}

/** Resolves every name to a slot, a captured box, or a global. */
export class Resolver {
  readonly #globals: Globals
  readonly #declared: Declarations | undefined
  /** Every function met, in the order of the source. */
  readonly fns: Fn[] = []
  readonly #taken = new WeakSet<Ex>()
  #readsMethod = false
  readonly #facts: ProgramFacts

  constructor(globals: Globals) {
    this.#globals = globals
    this.#facts = { hasIterators: globals.hasIterators === true }
    this.#declared = globals.declarations?.(this)
  }

  fn(fn: Fn, outer: Scope | undefined): FunctionInfo {
    const info = new FunctionInfo(outer?.fn, this.#facts)
    if (fn.isGenerator === true) this.#facts.hasIterators = true
    fn.info = info
    info.isAsync = fn.isAsync
    info.isGenerator = fn.isGenerator === true
    info.id = this.fns.length
    this.fns.push(fn)
    const scope = new Scope(outer, info)
    for (const param of fn.params) {
      param.variable = scope.declare(param.name, 'param')
      param.variable.isDeclared = true
    }
    for (const param of fn.params) if (param.initial !== undefined) this.visit(param.initial, scope, 1)
    this.#declared?.vars(fn, scope)
    this.#block(fn.body, scope, 1)
    if (info.hasLoop || info.hasCall) info.nest += 1
    return info
  }

  #block(block: Block, scope: Scope, depth: number): void {
    const entry: Variable[] = []
    for (const name of block.names ?? []) entry.push(scope.declare(name, 'var'))
    for (const name of block.once ?? []) entry.push(scope.declare(name, 'once'))
    for (const variable of entry) variable.isDeclared = true
    block.entry = [...entry, ...(this.#declared?.declare(block.body, scope) ?? [])]
    this.statements(block.body, scope, depth)
    for (const variable of block.entry) if (variable.kind === 'once') variable.isChecked = true
  }

  /** Visits statements in order. */
  statements(body: readonly St[], scope: Scope, depth: number): void {
    this.#declared?.functions(body, scope)
    for (const st of body) {
      if (st.k === 'function') continue
      if (this.#globals.check !== undefined) this.#globals.check.place = st
      this.visit(st, scope, depth + 1)
    }
  }

  /** A nested scope; its slots are reused after it. */
  inner(scope: Scope, work: (inner: Scope) => void): void {
    const inner = new Scope(scope, scope.fn)
    work(inner)
    inner.close()
  }

  visit(node: Ex | St, scope: Scope, depth: number): void {
    if (depth > scope.fn.nest) scope.fn.nest = depth
    const { name } = node as { readonly name?: unknown }
    if (typeof name === 'string' && ITERATOR_NAMES.has(name)) this.#noteIterators(node, scope)
    switch (node.k) {
      case 'var':
        node.ref = this.#reference(node, scope)
        return
      case 'lit':
        return
      case 'block':
        return this.#innerBlock(node, scope, depth)
      case 'loop':
        return this.#loop(node, scope, depth)
      case 'forof':
        return this.#forOf(node, scope, depth)
      case 'try':
        return this.#try(node, scope, depth)
      case 'unary':
        // `typeof` of an unknown name is allowed in scripts.
        if (node.op === 'typeof') return this.#typeOf(node.argument, scope, depth + 1)
        break
      case 'request':
        scope.fn.waits = true
        break
      case 'yield':
        checkYield(node, scope.fn)
        scope.fn.hasCall = true
        break
      case 'method':
        this.#noteTaken(node, scope)
        scope.fn.hasCall = true
        break
      case 'new':
      case 'spread':
      case 'tolist':
        this.#noteTaken(node, scope)
        break
      case 'call':
      case 'await':
        scope.fn.hasCall = true
        break
      case 'member':
      case 'binary':
      case 'assign':
      case 'expr':
        break
      default:
        if (this.#declared?.visit(node, scope, depth) === true) return
    }
    const inside = children(node)
    for (let i = 0; i < inside.length; i++) this.visit(inside[i]!, scope, depth + 1)
    this.#globals.check?.node(node as Ex)
  }

  #noteIterators(node: Ex | St, scope: Scope): void {
    if (node.k === 'var') this.#facts.hasIterators ||= node.name === 'Symbol' || node.name === 'Iterator'
    else if (node.k === 'member') {
      // A method that is read as a value has a receiver only by `call` and `apply`.
      this.#readsMethod ||= !isGlobalNamed(node.object, 'Object', scope)
      if (isSymbolKey(node.name)) this.#facts.hasIterators = true
    } else if (node.k === 'method' && !this.#taken.has(node) && !isGlobalNamed(node.object, 'Object', scope))
      this.#facts.hasIterators = true
  }

  /** Notes an iterator that is fully consumed where it is created, so that no variable holds it. */
  #noteTaken(node: Ex | St, scope: Scope): void {
    if (node.k === 'spread' || node.k === 'tolist') this.#taken.add(node.argument)
    if (node.k === 'method' && typeof node.name === 'string') {
      if (ENDING_NAMES.has(node.name)) this.#taken.add(node.object)
      if (this.#readsMethod && (node.name === 'call' || node.name === 'apply')) this.#facts.hasIterators = true
    }
    const [first] = node.k === 'method' || node.k === 'new' ? node.args : []
    if (first?.k !== 'method') return
    const isTaking =
      node.k === 'new'
        ? isGlobalNamed(node.callee, 'Map', scope) || isGlobalNamed(node.callee, 'Set', scope)
        : isGlobalNamed((node as Method).object, 'Array', scope) ||
          isGlobalNamed((node as Method).object, 'Object', scope)
    if (isTaking) this.#taken.add(first)
  }

  #typeOf(node: Ex, scope: Scope, depth: number): void {
    if (node.k === 'var') {
      this.#globals.check?.asked.add(node.name)
      node.ref = this.#reference(node, scope, true)
    } else if (node.k === 'member') this.visit(node.object, scope, depth + 1)
    else this.visit(node, scope, depth)
  }

  /** A block without declarations needs no scope; only its temporary slots end with it. */
  #innerBlock(block: Block, scope: Scope, depth: number): void {
    if (declares(block)) return this.inner(scope, (inner) => this.#block(block, inner, depth))
    const { mark } = scope.fn
    this.#block(block, scope, depth)
    scope.fn.release(mark)
  }

  #loop(node: Loop, scope: Scope, depth: number): void {
    scope.fn.hasLoop = true
    this.inner(scope, (inner) => {
      node.entry = this.#declared?.declare(node.init, inner) ?? []
      this.statements(node.init, inner, depth)
      for (const part of [node.test, node.update]) if (part !== undefined) this.visit(part, inner, depth + 1)
      this.#turns(node, inner, depth)
      node.fresh = node.entry.filter((variable) => variable.isCaptured)
    })
  }

  #forOf(node: ForOf, scope: Scope, depth: number): void {
    scope.fn.hasLoop = true
    this.#taken.add(node.items)
    this.visit(node.items, scope, depth + 1)
    this.inner(scope, (inner) => {
      node.variable = node.kind === 'var' ? scope.find(node.name)! : inner.declare(node.name, node.kind)
      node.variable.isDeclared = true
      node.listSlot = inner.fn.takeSlot()
      node.indexSlot = inner.fn.takeSlot()
      this.#turns(node, inner, depth)
    })
  }

  #turns({ body }: Loop | ForOf, scope: Scope, depth: number): void {
    const visit = (): void => this.visit(body, scope, depth + 1)
    if (this.#declared === undefined) visit()
    else this.#declared.exits.within(scope.fn, 'loop', visit)
  }

  #try(node: Try, scope: Scope, depth: number): void {
    this.visit(node.block, scope, depth + 1)
    if (node.handler !== undefined) {
      const { handler } = node
      this.inner(scope, (inner) => {
        // In a script the parameter is a variable of the handler; in a JSON program, one of the enclosing scope.
        if (node.param !== undefined && this.#globals.isScript) inner.declare(node.param.name, 'let').isDeclared = true
        for (const part of [node.param, node.opParam]) if (part !== undefined) this.visit(part, inner, depth + 1)
        this.visit(handler, inner, depth + 1)
      })
    }
    if (node.finalizer !== undefined) this.visit(node.finalizer, scope, depth + 1)
  }

  #reference(node: Var, scope: Scope, isLenient: boolean = node.lenient === true): Reference {
    const variable = scope.find(node.name)
    if (variable === undefined) {
      const found = this.#global(node.name)
      if (!isLenient) this.#globals.check?.reference(node, found, scope)
      return found
    }
    if (!variable.isDeclared && (variable.kind === 'let' || variable.kind === 'const')) variable.isChecked = true
    if (variable.fn === scope.fn) return { to: 'local', variable }
    variable.isCaptured = true
    return { to: 'box', variable, up: scope.fn.capture(variable) }
  }

  #global(name: string): Reference {
    if (name === 'args') return { to: 'args' }
    if (this.#globals.isScript || name.startsWith('%'))
      return this.#globals.has(name) ? { to: 'global', value: this.#globals.find(name) } : { to: 'nothing' }
    return { to: 'argument' }
  }
}

/** Names through which a program can obtain iterators. */
const ITERATOR_NAMES: ReadonlySet<string> = new Set([
  ...'keys values entries matchAll Symbol Iterator'.split(' '),
  ITERATOR,
  ASYNC_ITERATOR,
])

/** Methods of iterators that do not return an iterator. */
const ENDING_NAMES: ReadonlySet<string> = new Set('next toArray forEach reduce some every find'.split(' '))

function isGlobalNamed(node: Ex, name: string, scope: Scope): boolean {
  return node.k === 'var' && node.name === name && scope.find(name) === undefined
}

function checkYield({ kind, at }: Yield, info: FunctionInfo): void {
  if (kind === 'start') info.fillsParameters = true
  if (info.isGenerator) return
  const where = at === undefined ? '' : ` (line ${at[0]}, column ${at[1]})`
  throw new MandateError('INPUT_INVALID', `The program is not valid${where}: \`yield\` stands outside of a generator.`)
}

function declares({ names = [], once = [], body }: Block): boolean {
  return names.length > 0 || once.length > 0 || body.some(({ k }) => k === 'let' || k === 'function')
}
