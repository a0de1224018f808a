import { checkNumbers } from '../../core/index.ts'
import type { Clock, FieldNames, Random } from '../../core/index.ts'
import type { AtomCost } from './atom.ts'
import type { Capabilities } from './host/capabilities.ts'
import { checkAmount } from './amount.ts'
import { vmLimits } from '../meter/limits.ts'
import type { VmLimits } from '../meter/limits.ts'

/** Options of one run of a program. */
export interface VmRunOptions {
  /** Fuel limit; 1000 when absent. */
  readonly fuel?: number | undefined
  /** Wall time; ten milliseconds per fuel when absent. */
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** Capabilities that the program can use; none by default. */
  readonly capabilities?: Capabilities | undefined
  /** Facts about the request (the user, their permissions), for atoms only. Atoms receive a frozen copy. */
  readonly context?: Readonly<Record<string, unknown>> | undefined
  /** Fuel per call of an operation, or a function of its input. */
  // oxlint-disable-next-line typescript/no-explicit-any -- the input of each operation is its own
  readonly costOverrides?: Readonly<Record<string, AtomCost<any>>> | undefined
  /** Milliseconds per call of an atom; 0 for none. */
  readonly timeoutOverrides?: Readonly<Record<string, number>> | undefined
  /** Maximum number of calls of an I/O atom or a tool in this run. */
  readonly quotas?: Readonly<Record<string, number>> | undefined
  /** Records a trace of steps; a number limits its entries. */
  readonly trace?: boolean | number | undefined
  /** Other limits, merged with the defaults. */
  readonly limits?: Partial<VmLimits> | undefined
  /** Owner of the stored procedures that it can use: `context.userId` when absent, otherwise only those of the run itself. */
  readonly owner?: string | undefined
  readonly clock?: Clock | undefined
  readonly random?: Random | undefined
}

/** All option names. */
export const RUN_OPTIONS: FieldNames<VmRunOptions> = {
  fuel: true,
  timeoutMs: true,
  signal: 'object',
  capabilities: 'object',
  context: 'object',
  costOverrides: 'object',
  timeoutOverrides: 'object',
  quotas: 'object',
  trace: 'flag|number',
  limits: 'object',
  owner: 'text',
  clock: 'object',
  random: 'object',
}

const FUEL = 1_000
const MS_PER_FUEL = 10

/** Validated options. */
export interface ReadOptions {
  readonly limits: Partial<VmLimits>
  readonly traceMax: number
  readonly context: Readonly<Record<string, unknown>>
  readonly capabilities: Capabilities
}

/** Validates the options of a run. */
export function readOptions(options: VmRunOptions): ReadOptions {
  vmLimits(options.limits)
  checkNumbers(options, 'an option of a program', { fuel: 'amount', timeoutMs: 'amount' })
  const fuel = checkAmount(options.fuel ?? options.limits?.fuel ?? FUEL, '`fuel`')
  const wallMs = checkAmount(options.timeoutMs ?? options.limits?.wallMs ?? fuel * MS_PER_FUEL, '`timeoutMs`')
  const { trace = false } = options
  const traceEntries = typeof trace === 'number' ? checkAmount(trace, '`trace`') : options.limits?.traceEntries
  return {
    limits: { ...options.limits, fuel, wallMs, ...(traceEntries === undefined ? {} : { traceEntries }) },
    traceMax: trace === false ? 0 : (traceEntries ?? Number.POSITIVE_INFINITY),
    context: frozenContext(options.context ?? {}) as Readonly<Record<string, unknown>>,
    // A private copy; members are looked up on use.
    capabilities: Object.freeze({ ...options.capabilities }),
  }
}

/** A deeply frozen copy. Functions and class instances are kept as they are. */
function frozenContext(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > 32) return value
  if (Array.isArray(value)) return Object.freeze(value.map((item) => frozenContext(item, depth + 1)))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && prototype !== Object.prototype) return value
  return Object.freeze(
    Object.fromEntries(Object.entries(value).map(([name, member]) => [name, frozenContext(member, depth + 1)])),
  )
}
