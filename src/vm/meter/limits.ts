import { MandateError } from '../../core/index.ts'

/** Limits of one execution. All are on by default, and each error names its limit. */
export interface VmLimits {
  /** Cost of computing, in fuel: 0.01 per expression node, 1 per atom. */
  readonly fuel: number
  /** Logical bytes a program may hold, counted before they are allocated. */
  readonly memoryBytes: number
  /** Wall time for computing and waiting. */
  readonly wallMs: number
  /** Nested guest calls. */
  readonly callDepth: number
  /** Nesting of expressions and statements, checked before the first step. */
  readonly expressionDepth: number
  /** Nodes of a program, checked before the first step. */
  readonly programNodes: number
  readonly stringLength: number
  readonly arrayLength: number
  /** Bytes of the result, of one request and of what is printed, each counted as JSON text. */
  readonly outputBytes: number
  readonly traceEntries: number
  /** Steps of one regular expression. */
  readonly regexSteps: number
  /** Requests in flight at once; further ones are queued. */
  readonly parallelCalls: number
}

export type VmLimit = keyof VmLimits

export const DEFAULT_VM_LIMITS: VmLimits = Object.freeze({
  fuel: 1_000,
  memoryBytes: 64 * 1024 * 1024,
  wallMs: 60_000,
  callDepth: 600,
  expressionDepth: 120,
  programNodes: 100_000,
  stringLength: 16 * 1024 * 1024,
  arrayLength: 4 * 1024 * 1024,
  outputBytes: 4 * 1024 * 1024,
  traceEntries: 10_000,
  regexSteps: 10_000_000,
  parallelCalls: 8,
})

/** No wall time limit: the program waits for people and for calls with their own limits, and is ended by its signal. */
export const NO_WALL_MS: number = Number.MAX_SAFE_INTEGER

/** Merges limits with the defaults. A limit must be a number from 0 up; anything else would disable it. */
export function vmLimits(given: Partial<VmLimits> = {}): VmLimits {
  const names = Object.keys(given)
  if (names.length === 0) return DEFAULT_VM_LIMITS
  const limits: Record<string, number> = { ...DEFAULT_VM_LIMITS }
  for (const name of names) {
    const value = given[name as VmLimit]
    if (!Object.hasOwn(DEFAULT_VM_LIMITS, name)) {
      const known = Object.keys(DEFAULT_VM_LIMITS).join(', ')
      throw new MandateError('CONFIG_INVALID', `\`limits.${name}\` is not known. Use one of: ${known}.`)
    }
    if (value === undefined) continue
    if (typeof value !== 'number' || !Number.isFinite(value) || value < 0)
      throw new MandateError(
        'CONFIG_INVALID',
        `\`limits.${name}\` is ${String(value)}. Give a finite number from 0 up.`,
      )
    limits[name] = value
  }
  return Object.freeze(limits as unknown as VmLimits)
}

/** A shared source of fuel: the budget of a tree of runs. */
export interface FuelPool {
  /** Draws up to `fuel`. Returns the amount drawn, 0 if the pool is empty. */
  draw(fuel: number): number
  giveBack(fuel: number): void
  /** The reason why the pool is empty. */
  refusal(): string
  /** Whether fuel does not count against the limit of the program at the moment. */
  readonly isFree?: boolean
}
