import { children } from '../../compile/children.ts'
import type { Emitter } from '../../compile/emit/emitter.ts'
import type { Call, Ex, Fn, FnParam, Index, Method, ObjectEx, Yield } from '../../compile/ir.ts'
import type { St, YieldTo } from '../../compile/ir-statements.ts'
import type { FunctionInfo, Variable } from '../../compile/lower/scope.ts'
import { BuiltinFunction } from '../../value/builtin-function.ts'
import { GuestFunction } from '../../value/guest-function.ts'
import { RegionVariables } from './region-variables.ts'
import { Effects } from './effect-set.ts'
import type { Place } from './effect-set.ts'
import {
  ADVANCING,
  CALLED,
  CALLS_LATER,
  METHOD_NAMES,
  MUTATORS,
  PATTERNED,
  PICKING_NAMES,
  STATIC_MUTATORS,
  TAKING,
} from './builtin-flows.ts'
import {
  calls,
  fillsAbsent,
  globalOf,
  isInert,
  isPure,
  keyedBy,
  mayBeIterator,
  writes,
  mayBeReference,
  mayHoldFunction,
  pathOf,
  returned,
} from './node-facts.ts'
import { OpenTargets } from './open-targets.ts'

class EffectAnalysis extends RegionVariables {
  readonly effects: Effects
  readonly #targets = new OpenTargets()

  constructor(info: FunctionInfo) {
    super(info)
    this.effects = new Effects(info)
  }

  look(nodes: readonly (Ex | St)[], params: readonly FnParam[] = []): Effects {
    for (const { variable, initial } of params) if (initial !== undefined) this.source(variable!, initial)
    for (const node of nodes) this.gather(node)
    for (const node of nodes) this.#visit(node)
    for (const variable of this.own) this.effects.assigned.delete(variable)
    this.effects.settle()
    return this.effects
  }

  #visit(node: Ex | St): void {
    const { effects } = this
    if (node.k === 'object') return this.#literal(node)
    if (node.k === 'spread' || node.k === 'tolist') this.#advanced(node.argument)
    if (isInert(node)) return this.#into(node)
    switch (node.k) {
      case 'fn':
        return this.#inner(node)
      case 'function':
        return this.#inner(node.fn)
      case 'let':
      case 'forof':
        if (node.variable !== undefined) effects.assigned.add(node.variable)
        if (node.k === 'forof' && !node.ofKeys) this.#advanced(node.items)
        break
      case 'yield':
      case 'yieldto':
        this.#yielded(node)
        break
      case 'assign':
      case 'update':
        if (node.target.k === 'index' && fillsAbsent(node)) this.#filled(node.target)
        else this.#target(node.target)
        break
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
      case 'new':
        if (globalOf(node.callee)?.path === 'Promise') this.#calledBack(node.args[0], [])
        else if (globalOf(node.callee) === undefined) this.#call(node)
        for (const arg of node.args) this.#advanced(arg)
        break
      case 'return':
        effects.escapes = true
        break
      case 'exit':
        if (!this.#targets.has(node.kind, node.label)) effects.escapes = true
        break
      default:
        node satisfies never
    }
    this.#into(node)
  }

  /** At a `yield`, the consumer may continue, end the generator or throw; the rest may run later or never. */
  #yielded(node: Yield | YieldTo): void {
    this.effects.escapes = true
    if (node.k === 'yieldto') this.effects.temps.add(node.slot)
    if (node.kind === 'all') this.#advanced(node.k === 'yield' ? node.argument : node.value)
  }

  /** A literal: spreading into an object reads a value, but does not iterate over it. */
  #literal({ properties }: ObjectEx): void {
    for (const property of properties) {
      if ('k' in property) this.#visit(property.argument)
      else {
        if (typeof property.key !== 'string') this.#visit(property.key)
        this.#visit(property.value)
      }
    }
  }

  #into(node: Ex | St): void {
    this.#targets.within(node, () => {
      for (const part of children(node)) this.#visit(part)
    })
  }

  /** Records an iteration over a value: it advances an iterator, and may run code of the program. */
  #advanced(node: Ex): void {
    const { effects } = this
    if (!effects.info.program.hasIterators || !mayBeIterator(node)) return
    effects.callsUnknown = true
    const [meant, ...others] = this.meant(node)
    if (meant !== undefined && meant !== node && others.length === 0) return this.#advanced(meant)
    const [base, path] = pathOf(node)
    const place = this.outside(this.place(base))
    if (place === undefined) this.#origin(node)
    else effects.advanced.push([place, path])
  }

  #target(target: Ex): void {
    const place = this.place(target)
    if (place !== undefined) this.effects.assigned.add(place)
    else if (target.k === 'temp') this.effects.temps.add(target.slot)
    else if (target.k === 'member' || target.k === 'index') this.#written(target.object)
  }

  /** The variable that holds the keyed object, if the region does not change the variable. */
  #keyed({ object }: Index): Place | undefined {
    return this.outside(this.place(object))
  }

  #filled(target: Index): void {
    const place = this.#keyed(target)
    if (place === undefined) this.#written(target.object)
    else this.effects.filled.add(place)
  }

  /**
   * Records a write to something inside the value of `object`. Only methods with pure arguments know what their receiver was selected from
   * (`knowsChoice`). A write that did not happen must be labelled exactly as coarsely as one that did.
   */
  #written(object: Ex, knowsChoice = false): void {
    const keyed = keyedBy(object)
    const holder = keyed && this.#keyed(keyed)
    if (holder !== undefined && knowsChoice) return void this.effects.inside.add(holder)
    if (holder !== undefined) this.effects.picks = true
    // Must give the same answer before and after hoisting: the two compiled forms of a function must not differ in labels.
    const [meant, ...others] = this.meant(object)
    if (meant !== undefined && meant !== object && others.length === 0) return this.#written(meant, knowsChoice)
    const [base, path] = pathOf(object)
    const place = this.place(base)
    // Nothing else refers to a fresh object.
    if (path.length === 0 && (base.k === 'list' || base.k === 'object')) return
    if (place === undefined) return this.#origin(base)
    if (path.length > 0) this.#anyStored()
    const sources = typeof place === 'number' ? undefined : this.sources.get(place)
    if (sources !== undefined) {
      for (const source of sources) this.#from(source)
      if (!this.own.has(place as Variable)) this.effects.writtenPaths.push([place, path])
    } else if (path.length === 0) this.effects.writtenPaths.push([place, path])
    else this.effects.deep.add(place)
  }

  /** Records a write to anything reachable from the value of an expression. */
  #origin(node: Ex): void {
    switch (node.k) {
      case 'temp': {
        const meant = this.meant(node)
        if (meant.length === 0) break
        for (const one of meant) this.#origin(one)
        return
      }
      case 'lit':
      case 'data':
      case 'fn':
      case 'regex':
      case 'template':
      case 'binary':
      case 'unary':
      case 'update':
      case 'create':
      case 'strings':
        return
      case 'private':
      case 'member':
      case 'index':
        if (node.k === 'index' && node.key.k !== 'lit') this.effects.picks = true
        this.#anyStored()
        return this.#origin(node.object)
      case 'var': {
        const place = this.place(node)
        if (place === undefined) this.effects.isUnknown ||= node.ref?.to === 'args' || node.ref?.to === 'argument'
        else if (typeof place !== 'number' && this.own.has(place)) this.#again(place)
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
      case 'class':
      case 'super':
      case 'iterated':
        if (node.k === 'conditional' || node.k === 'logical') this.effects.picks = true
        for (const part of children(node)) if (part.k !== 'function') this.#origin(part as Ex)
        return
      case 'method':
        // The result of a built-in is fresh or was reachable from its inputs.
        if (typeof node.name === 'string' && METHOD_NAMES.has(node.name)) {
          if (PICKING_NAMES.has(node.name)) this.effects.picks = true
          for (const part of [node.object, ...node.args])
            if (part.k === 'fn') this.#gives(part)
            else this.#origin(part)
          return
        }
        break
      default:
    }
    this.effects.isUnknown = true
  }

  /** Records a write to something that was read out of an object: it may be what the region itself has stored there. */
  #anyStored(): void {
    for (const value of this.stored.splice(0)) this.#origin(value)
  }

  readonly #met = new Set<Variable>()
  #again(variable: Variable): void {
    if (this.#met.has(variable)) return
    this.#met.add(variable)
    for (const source of this.sources.get(variable) ?? []) this.#from(source)
  }

  #from(source: Ex | 'item'): void {
    if (source === 'item') this.effects.isUnknown = true
    else this.#origin(source)
  }

  /** A function created in the region may be called here, or later from wherever it escapes to. */
  #inner(fn: Fn): void {
    const { effects } = this
    const inner = effectsOf(fn)
    if (fn.isAsync || inner.startsLater) effects.startsLater = true
    const { captures } = fn.info!
    const out = (place: Place): Place | undefined => {
      if (typeof place !== 'number') return undefined
      const { variable, up } = captures[place]!
      return up < 0 ? variable : up
    }
    for (const place of inner.assigned) add(effects.assigned, out(place))
    for (const place of inner.deep) {
      const outer = out(place)
      if (typeof outer === 'object' && this.sources.has(outer)) this.#again(outer)
      if (typeof outer !== 'object' || !this.own.has(outer)) add(effects.deep, outer)
    }
    // These hold for the captured variable in this function as well.
    for (const place of [...inner.filled, ...inner.inside]) this.#sharedWith(out(place))
    for (const [place, path] of inner.writtenPaths) {
      const outer = out(place)
      if (outer === undefined) continue
      // Variables local to the region are traced to their sources.
      if (typeof outer !== 'number' && this.own.has(outer)) this.#again(outer)
      else if (typeof outer !== 'number' && this.sources.has(outer)) effects.isUnknown = true
      else effects.writtenPaths.push([outer, path])
    }
    for (const [place, path] of inner.advanced) {
      const outer = this.outside(out(place))
      if (outer !== undefined) effects.advanced.push([outer, path])
      else if (typeof place === 'number') this.#sharedWith(out(place))
    }
    for (const { callee, path, args } of inner.calls) {
      const outer = out(callee)
      const given = args.map((arg) => (arg === undefined ? undefined : this.outside(out(arg))))
      if (outer !== undefined && this.outside(outer) !== undefined)
        effects.calls.push({ callee: outer, path, args: given })
      // A region-local variable cannot be resolved when the region does not run.
      else if (outer !== undefined) this.#calledInside(outer as Variable, args.length > 0)
      // Its parameters too: a built-in may pass it any item of a list.
      else if (typeof callee !== 'number') effects.callsUnknown = true
    }
    effects.isUnknown ||= inner.isUnknown
    effects.picks ||= inner.picks
    effects.callsUnknown ||= inner.callsUnknown
  }

  #sharedWith(place: Place | undefined): void {
    if (place === undefined) return
    if (typeof place === 'object' && this.sources.has(place)) this.#again(place)
    if (typeof place !== 'object' || !this.own.has(place)) this.effects.deep.add(place)
  }

  /** The callee was assigned inside the region, so it may be another function when the region does not run. */
  #calledInside(callee: Variable, isGiven: boolean): void {
    const { effects } = this
    const sources = this.sources.get(callee) ?? ['item']
    for (const source of sources)
      if (source === 'item' || source.k !== 'fn' || callee.kind === 'param') effects.callsUnknown = true
      else if (isGiven && effectsOf(source).mutatesParams) effects.isUnknown = true
  }

  #called(callee: Place, path: readonly string[], args: readonly Ex[]): void {
    if (this.outside(callee) !== undefined) {
      const given = args.filter(mayBeReference).map((arg) => this.outside(this.place(arg)))
      this.effects.calls.push({ callee, path, args: given })
      return
    }
    const isFunction = this.sources.get(callee as Variable)?.every((source) => source !== 'item' && source.k === 'fn')
    this.#calledInside(callee as Variable, false)
    if (isFunction !== true) return
    for (const source of this.sources.get(callee as Variable)!) this.#given(source as Fn, args)
  }

  /** A function created in the region may mutate its arguments. */
  #given(fn: Fn, args: readonly Ex[]): void {
    if (!effectsOf(fn).mutatesParams) return
    for (const arg of args) if (mayBeReference(arg)) this.#origin(arg)
  }

  /** Records a write to something that a function created here returns. */
  #gives(fn: Fn): void {
    const given = returned(fn.body).filter(mayBeReference)
    // Parameters are traced at the call.
    if (given.every((one) => one.k === 'var' && one.ref?.to === 'local' && one.ref.variable.kind === 'param')) return
    if (given.some(calls) || (given.some(({ k }) => k === 'var') && calls(fn.body))) this.effects.isUnknown = true
    for (const { variable, up } of fn.info!.captures) {
      if (up < 0 && this.sources.has(variable)) this.#again(variable)
      if (up >= 0 || !this.own.has(variable)) this.effects.deep.add(up < 0 ? variable : up)
    }
  }

  /** A built-in may call this argument with anything reachable from the other ones. */
  #calledBack(callback: Ex | undefined, others: readonly Ex[]): void {
    if (callback === undefined || !mayHoldFunction(callback)) return
    if (callback.k === 'temp' && this.meant(callback).length > 0) {
      for (const one of this.meant(callback)) this.#calledBack(one, others)
      return
    }
    if (callback.k === 'fn') {
      this.#given(callback, others)
      // `reduce` passes the callback its own results.
      if (effectsOf(callback).mutatesParams) this.#gives(callback)
      return
    }
    const [base, path] = pathOf(callback)
    const place = this.place(base)
    if (place === undefined) {
      const global = base.k === 'var' && base.ref?.to === 'global' ? base.ref.value : undefined
      const isMutator = global instanceof BuiltinFunction && STATIC_MUTATORS.has([global.path, ...path].join('.'))
      if (global instanceof GuestFunction || isMutator) for (const other of others) this.#origin(other)
      else if (!(global instanceof BuiltinFunction)) this.effects.callsUnknown = true
    } else if (path.length === 0) {
      if (this.mayHold(place)) this.#called(place, path, others)
    } else if (this.outside(place) === undefined) this.effects.callsUnknown = true
    else this.#called(place, path, others)
  }

  #patterned(node: Ex | undefined): void {
    if (node === undefined || node.k === 'regex' || !mayBeReference(node)) return
    const [base, path] = pathOf(node)
    const place = this.outside(this.place(base))
    if (place === undefined) this.effects.hasUnknownPattern = true
    else this.effects.patterns.push([place, path])
  }

  #call({ callee, args }: Pick<Call, 'callee' | 'args'>): void {
    if (callee.k === 'temp' && this.meant(callee).length > 0) {
      for (const one of this.meant(callee)) this.#call({ callee: one, args })
      return
    }
    const place = this.place(callee)
    if (place !== undefined) this.#called(place, [], args)
    else if (callee.k === 'fn') this.#given(callee, args)
    else if (callee.k === 'var' && callee.ref?.to === 'global') {
      // A helper of a JSON program can only reach its arguments.
      if (callee.ref.value instanceof GuestFunction) for (const arg of args) this.#origin(arg)
      else if (callee.ref.value instanceof BuiltinFunction) this.#globalCall(callee.ref.value.path, args)
    } else this.effects.callsUnknown = true
    if (args.some((arg) => arg.k === 'spread')) this.effects.callsUnknown = true
  }

  /** `setTimeout(f, ms)` calls an argument, `clearTimeout(timer)` writes one. */
  #globalCall(path: string, args: readonly Ex[]): void {
    for (const at of CALLED.get(path) ?? []) this.#calledBack(args[at], args.toSpliced(at, 1))
    if (CALLS_LATER.has(path)) this.effects.startsLater = true
    if (STATIC_MUTATORS.has(path) && args[0] !== undefined) this.#written(args[0])
  }

  /** `f.call(…)`: if `f` may be a built-in, it may write and call its arguments. */
  #applied(object: Ex, args: readonly Ex[]): void {
    this.#calledBack(object, args)
    if (object.k === 'fn') return
    this.effects.startsLater = true
    for (const arg of args) {
      if (mayBeReference(arg)) this.#origin(arg)
      this.#calledBack(arg, args)
    }
  }

  #method({ object, name, args }: Method): void {
    const global = globalOf(object)
    if (this.effects.info.program.hasIterators) {
      if (typeof name !== 'string' || ADVANCING.has(name)) this.#advanced(object)
      if (global !== undefined || typeof name !== 'string' || TAKING.has(name))
        for (const arg of args) this.#advanced(arg)
    }
    const isBuiltin = typeof name === 'string' && (METHOD_NAMES.has(name) || global !== undefined)
    if (isBuiltin)
      for (const at of CALLED.get(name) ?? []) this.#calledBack(args[at], [object, ...args.filter((_, i) => i !== at)])
    if (isBuiltin && args.some((arg) => arg.k === 'spread') && CALLED.has(name)) this.effects.callsUnknown = true
    if (isBuiltin && CALLS_LATER.has(name)) this.effects.startsLater = true
    if (isBuiltin && PATTERNED.has(name)) this.#patterned(args[0])
    if (name === 'call' || name === 'apply' || name === 'bind') this.#applied(object, args)
    if (global !== undefined && typeof name === 'string') {
      const [first] = args
      if (STATIC_MUTATORS.has(`${global.path}.${name}`) && first !== undefined) this.#written(first)
      return
    }
    if (typeof name !== 'string' || !METHOD_NAMES.has(name)) this.effects.callsUnknown = true
    // A method of a program object may mutate its receiver and arguments.
    if (typeof name !== 'string' || !METHOD_NAMES.has(name)) for (const part of [object, ...args]) this.#origin(part)
    else if (MUTATORS.has(name)) this.#written(object, args.every(isPure))
  }
}

const add = (set: Set<Place>, place: Place | undefined): void => void (place !== undefined && set.add(place))
const known = new WeakMap<Fn, Effects>()

/** The effects of calling a function. */
export function effectsOf(fn: Fn): Effects {
  const found = known.get(fn)
  if (found !== undefined) return found
  // Recursion adds no effects: the fixed point is the function itself.
  known.set(fn, new Effects(fn.info!))
  const made = new EffectAnalysis(fn.info!).look(
    [...fn.params.flatMap(({ initial }) => initial ?? []), fn.body],
    fn.params,
  )
  // Values that a generator has yielded are shared, even if it created them, and it may change them later.
  if (fn.isGenerator === true && writes(fn.body)) made.isUnknown = true
  known.set(fn, made)
  return made
}

export function effectsIn(nodes: readonly (Ex | St)[], emit: Emitter): Effects {
  return new EffectAnalysis(emit.fn).look(nodes)
}
