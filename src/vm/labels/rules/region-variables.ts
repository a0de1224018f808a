import { children } from '../../compile/children.ts'
import type { Ex } from '../../compile/ir.ts'
import type { St } from '../../compile/ir-statements.ts'
import type { FunctionInfo, Variable } from '../../compile/lower/scope.ts'
import { notedTemp, tempSource } from '../temps.ts'
import type { Place } from './effect-set.ts'
import { MUTATORS, METHOD_NAMES, STATIC_MUTATORS } from './builtin-flows.ts'
import {
  globalOf,
  isFreshLiteral,
  mayBeReference,
  mayHoldFunction,
  mayHoldFunctions,
  noteFillIfAbsent,
} from './node-facts.ts'

/** The variables of a region, and where their values come from. */
export class RegionVariables {
  protected readonly own: Set<Variable> = new Set()
  /** Expressions assigned to variables that are local to the region. */
  protected readonly sources: Map<Variable, (Ex | 'item')[]> = new Map()
  /** Loop variables: they hold the items of their source. */
  protected readonly items: Set<Variable> = new Set()
  /** References that the region may store in objects: a value read from any object may be one of them. */
  protected readonly stored: Ex[] = []
  protected readonly temps: Map<number, readonly Ex[]> = new Map()

  readonly info: FunctionInfo

  constructor(info: FunctionInfo) {
    this.info = info
  }

  /** Collects the variables declared in the region and the sources of each variable. */
  protected gather(node: Ex | St): void {
    if (node.k === 'let' || node.k === 'forof') {
      const { variable } = node
      if (variable !== undefined) {
        if (node.kind !== 'var') this.own.add(variable)
        if (node.k === 'forof' && !node.ofKeys) this.items.add(variable)
        this.source(variable, node.k === 'forof' ? node.items : (node.value ?? { k: 'lit', value: undefined }))
      }
    }
    if (node.k === 'if') noteFillIfAbsent(node)
    if (node.k === 'function' && node.variable !== undefined) {
      this.own.add(node.variable)
      this.source(node.variable, node.fn)
    }
    if ((node.k === 'assign' || node.k === 'constset') && node.target.k === 'var' && node.target.ref?.to === 'local')
      this.source(node.target.ref.variable, node.value)
    for (const value of storedBy(node)) if (mayBeReference(value) && !isFreshLiteral(value)) this.stored.push(value)
    if (node.k === 'request' && node.target?.ref?.to === 'local') this.source(node.target.ref.variable, 'item')
    if (node.k === 'try' && node.param?.ref?.to === 'local') this.source(node.param.ref.variable, 'item')
    const temp = tempSource(node as St)
    if (temp !== undefined) this.temps.set(temp[0], [...(this.temps.get(temp[0]) ?? []), temp[1]])
    if (node.k !== 'fn' && node.k !== 'function') for (const part of children(node)) this.gather(part)
  }

  /** Returns the expressions that a temporary slot replaced when they were hoisted. */
  protected meant(node: Ex): readonly Ex[] {
    if (node.k !== 'temp') return [node]
    const noted = notedTemp(this.info, node.slot)
    return this.temps.get(node.slot) ?? (noted === undefined ? [] : [noted])
  }

  protected source(variable: Variable, value: Ex | 'item'): void {
    const known = this.sources.get(variable)
    if (known === undefined) this.sources.set(variable, [value])
    else known.push(value)
  }

  protected place(node: Ex | undefined): Place | undefined {
    if (node?.k !== 'var') return undefined
    return node.ref?.to === 'local' ? node.ref.variable : node.ref?.to === 'box' ? node.ref.up : undefined
  }

  /** Whether a variable may hold a function. */
  protected mayHold(place: Place): boolean {
    const sources = typeof place === 'object' && place.kind !== 'param' ? this.sources.get(place) : undefined
    if (sources === undefined) return true
    const isItem = this.items.has(place as Variable)
    return sources.some((source) => (isItem ? mayHoldFunctions(source) : source === 'item' || mayHoldFunction(source)))
  }

  /** The variable, if the region does not change it. */
  protected outside(place: Place | undefined): Place | undefined {
    return typeof place === 'object' && (this.sources.has(place) || this.own.has(place)) ? undefined : place
  }
}

/** Returns the values that a node may store in an existing object. Functions of the program may store any argument in any other. */
function storedBy(node: Ex | St): readonly Ex[] {
  switch (node.k) {
    case 'assign':
      return node.target.k === 'member' || node.target.k === 'index' ? [node.value] : []
    case 'method': {
      const global = globalOf(node.object)
      if (typeof node.name !== 'string') return node.args
      if (global !== undefined) return STATIC_MUTATORS.has(`${global.path}.${node.name}`) ? node.args : []
      return METHOD_NAMES.has(node.name) && !MUTATORS.has(node.name) ? [] : node.args
    }
    case 'call':
      return globalOf(node.callee) === undefined ? node.args : []
    default:
      return []
  }
}
