import type { Clock, Random } from '../../core/index.ts'
import type { AtomCost } from './atom.ts'
import type { Capabilities } from './host/capabilities.ts'
import { checkAmount } from './amount.ts'
import { vmLimits } from '../meter/limits.ts'
import type { VmLimits } from '../meter/limits.ts'

/** What one run of a program may use, and in whose name. */
export interface VmRunOptions {
  /** What it may spend, in fuel; 1000 when absent. */
  readonly fuel?: number | undefined
  /** Wall time; ten milliseconds per fuel when absent. */
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** What it can reach. Nothing, unless it is here. */
  readonly capabilities?: Capabilities | undefined
  /** Facts about the request, for atoms alone: who asks, what they may do. Atoms see a frozen copy. */
  readonly context?: Readonly<Record<string, unknown>> | undefined
  /** Fuel per call of an operation, or a function of its input. */
  // oxlint-disable-next-line typescript/no-explicit-any -- the input of each operation is its own
  readonly costOverrides?: Readonly<Record<string, AtomCost<any>>> | undefined
  /** Milliseconds per call of an atom; 0 for none. */
  readonly timeoutOverrides?: Readonly<Record<string, number>> | undefined
  /** How often an atom that leaves the machine, or a tool, may be called in this run. */
  readonly quotas?: Readonly<Record<string, number>> | undefined
  /** Keeps what each step did; a number is the most entries. */
  readonly trace?: boolean | number | undefined
  /** Every other ceiling, laid over the defaults. */
  readonly limits?: Partial<VmLimits> | undefined
  /** Whose stored procedures it sees: `context.userId` when absent, else the run's own alone. */
  readonly owner?: string | undefined
  readonly clock?: Clock | undefined
  readonly random?: Random | undefined
}

/** Every option there is. */
export const RUN_OPTIONS: Readonly<Record<keyof VmRunOptions, true>> = {
  fuel: true,
  timeoutMs: true,
  signal: true,
  capabilities: true,
  context: true,
  costOverrides: true,
  timeoutOverrides: true,
  quotas: true,
  trace: true,
  limits: true,
  owner: true,
  clock: true,
  random: true,
}

const FUEL = 1_000
const MS_PER_FUEL = 10

/** Options once they were read: every number is one. */
export interface ReadOptions {
  readonly limits: Partial<VmLimits>
  readonly traceMax: number
  readonly context: Readonly<Record<string, unknown>>
  readonly capabilities: Capabilities
}

/** Reads the options of a run; a number that would be no limit at all is refused. */
export function readOptions(options: VmRunOptions): ReadOptions {
  vmLimits(options.limits)
  const fuel = checkAmount(options.fuel ?? options.limits?.fuel ?? FUEL, '`fuel`')
  const wallMs = checkAmount(options.timeoutMs ?? options.limits?.wallMs ?? fuel * MS_PER_FUEL, '`timeoutMs`')
  const { trace = false } = options
  const traceEntries = typeof trace === 'number' ? checkAmount(trace, '`trace`') : options.limits?.traceEntries
  return {
    limits: { ...options.limits, fuel, wallMs, ...(traceEntries === undefined ? {} : { traceEntries }) },
    traceMax: trace === false ? 0 : (traceEntries ?? Number.POSITIVE_INFINITY),
    context: frozenContext(options.context ?? {}) as Readonly<Record<string, unknown>>,
    // Members are looked up when they are used, on a private copy.
    capabilities: Object.freeze({ ...options.capabilities }),
  }
}

/** A copy that atoms cannot change. Functions and instances of classes stay what they are: the host put them there to be used. */
function frozenContext(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > 32) return value
  if (Array.isArray(value)) return Object.freeze(value.map((item) => frozenContext(item, depth + 1)))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && prototype !== Object.prototype) return value
  return Object.freeze(
    Object.fromEntries(Object.entries(value).map(([name, member]) => [name, frozenContext(member, depth + 1)])),
  )
}
