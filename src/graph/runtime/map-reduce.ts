import { MandateError, checkCount, checkFields, errorInfo, toPlain } from '../../core/index.ts'
import type { ErrorCode, FieldNames, Json } from '../../core/index.ts'
import type { GraphContext } from './graph-context.ts'

/** How the failure of an item affects the others. */
type MapPolicy = 'fail_fast' | 'collect_all' | 'best_effort' | { readonly quorum: number }

export interface MapOptions {
  /** Items processed at once; 8 by default. */
  readonly concurrency?: number | undefined
  /**
   * `collect_all` (default) returns the result of each item. `fail_fast` fails with the first failing item, and starts no others. `best_effort` never
   * fails: failed items are missing from the values. `{ quorum: n }` ends with the nth success, and fails when it can no longer be reached.
   */
  readonly policy?: MapPolicy | undefined
}

export const MAP_OPTIONS: FieldNames<MapOptions> = { concurrency: true, policy: 'text|object' }

/** The result of one item; `skipped` if it was not started, or not awaited. */
type MapResult<R> =
  | { readonly ok: true; readonly value: R }
  | { readonly ok: false; readonly error: { readonly code: ErrorCode; readonly message: string } }
  | { readonly ok: false; readonly skipped: true }

interface Mapped<R> {
  /** One result for each item, in the order of the items. */
  readonly results: readonly MapResult<R>[]
  /** The values of the successful items, in that order. */
  readonly values: readonly R[]
}

/**
 * Runs a function for every item of a list in parallel, inside the function of a node. Each item has its own task, and its result is journaled: a
 * finished item is not processed again when the node is repeated.
 *
 * @example
 * ```ts
 * import { channel, defineGraph, mapReduce } from 'mandate/graph'
 * const graph = defineGraph({ name: 'sizes', state: { pages: channel.last<string[]>(), sizes: channel.last<number[]>() } })
 *   .node('measure', async (state, ctx) => {
 *     const { values } = await mapReduce(ctx, state.pages ?? [], { concurrency: 4, policy: 'best_effort' }, (page) => page.length)
 *     return { sizes: [...values] }
 *   })
 *   .start('measure')
 * ```
 */
export async function mapReduce<T, R>(
  context: GraphContext,
  items: readonly T[],
  options: MapOptions,
  run: (item: T, context: GraphContext, index: number) => R | Promise<R>,
): Promise<Mapped<R>> {
  checkMapOptions(options)
  const { concurrency = 8, policy = 'collect_all' } = options
  const wanted = quorumOf(policy, items.length)
  const results: MapResult<R>[] = items.map(() => ({ ok: false, skipped: true }))
  const over = Promise.withResolvers<void>()
  const tally = { next: 0, good: 0, bad: 0, isOver: false }
  const end = (error?: unknown): void => {
    tally.isOver = true
    if (error === undefined) over.resolve()
    else over.reject(error)
  }
  const look = (): void => {
    if (tally.isOver) return
    if (typeof policy === 'object' && items.length - tally.bad < wanted) end(tooFew(wanted, results))
    else if (tally.good >= wanted || tally.good + tally.bad === items.length) end()
  }
  const lane = async (): Promise<void> => {
    while (!tally.isOver && tally.next < items.length) {
      const index = tally.next++
      const result = await one(context, items[index]!, { index, run })
      if (tally.isOver) return
      results[index] = result
      if (result.ok) tally.good += 1
      else {
        tally.bad += 1
        if (policy === 'fail_fast') end(failureOf(result, index))
      }
      look()
    }
  }
  look()
  for (let count = 0; count < Math.min(concurrency, items.length); count++) lane().catch(end)
  await over.promise
  return { results, values: results.flatMap((result) => (result.ok ? [result.value] : [])) }
}

/** Throws on options that mean nothing. */
export function checkMapOptions(options: MapOptions): void {
  checkFields(options, 'an option of `mapReduce`', MAP_OPTIONS)
  const { concurrency, policy } = options
  checkCount(concurrency, '`concurrency`', 1)
  if (policy === undefined || ['fail_fast', 'collect_all', 'best_effort'].includes(policy as string)) return
  if (typeof policy !== 'object' || policy === null)
    throw new MandateError(
      'CONFIG_INVALID',
      `\`policy\` is ${JSON.stringify(policy)}. Use fail_fast, collect_all, best_effort or { quorum: n }.`,
    )
  checkFields(policy, 'a field of `policy`', { quorum: true })
  if (checkCount(policy.quorum, '`quorum`', 1) === undefined)
    throw new MandateError('CONFIG_INVALID', '`policy` has no `quorum`. Give { quorum: n }.')
}

function quorumOf(policy: MapPolicy, count: number): number {
  if (typeof policy !== 'object') return Number.POSITIVE_INFINITY
  const wanted = policy.quorum
  if (wanted > count)
    throw new MandateError('INPUT_INVALID', `The quorum is ${wanted} of ${count} items. It cannot be had.`)
  return wanted
}

interface Doing<T, R> {
  readonly index: number
  readonly run: (item: T, context: GraphContext, index: number) => R | Promise<R>
}

async function one<T, R>(context: GraphContext, item: T, { index, run }: Doing<T, R>): Promise<MapResult<R>> {
  try {
    const value = await context.record(`item:${index + 1}`, async (own) => toPlain(await run(item, own, index)).value)
    return { ok: true, value: value as R }
  } catch (error) {
    const { code, message } = errorInfo(error, 'MIND_FAILED')
    return { ok: false, error: { code, message } }
  }
}

function failureOf(result: MapResult<unknown>, index: number): MandateError {
  const { code, message } = (result as { readonly error: { readonly code: ErrorCode; readonly message: string } }).error
  return new MandateError(code, `Item ${index + 1} failed: ${message}`)
}

function tooFew(wanted: number, results: readonly MapResult<unknown>[]): MandateError {
  const errors = results.flatMap((result) => ('error' in result ? [result.error.message] : []))
  return new MandateError('MIND_FAILED', `Fewer than ${wanted} items can succeed. Failed: ${errors.join('; ')}`, {
    info: { errors } satisfies Json,
  })
}
