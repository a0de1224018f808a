import { isRecord } from '../../core/index.ts'
import type { Price, PriceTable, PriceTier, Rates } from './prices.ts'

/** Providers whose name in model ids differs from the catalogue. */
const NAMES: Readonly<Record<string, string>> = {
  'fireworks-ai': 'fireworks',
  'google-vertex-anthropic': 'google-vertex',
  vercel: 'gateway',
}

/** Self-hosted servers, whose cost does not depend on tokens. */
const LOCAL: ReadonlySet<string> = new Set(['lmstudio', 'ollama', 'llama.cpp', 'vllm'])

interface Catalogue {
  readonly models: PriceTable['models']
  /** Models without a reliable price, with the reason. */
  readonly skipped: readonly { readonly id: string; readonly why: string }[]
}

/** Whether data has the shape of models.dev: providers with their models. */
export function isCatalogue(data: unknown): data is Readonly<Record<string, unknown>> {
  if (!isRecord(data)) return false
  const rows: readonly unknown[] = Object.values(data)
  return rows.length > 0 && rows.every((row) => isRecord(row) && isRecord(row['models']))
}

/** Reads prices from data in the shape of models.dev. What cannot be read exactly is skipped and reported, never guessed. */
export function readCatalogue(data: Readonly<Record<string, unknown>>, asOf: string): Catalogue {
  const models: Record<string, Price> = {}
  const skipped: { id: string; why: string }[] = []
  for (const [name, row] of Object.entries(data)) {
    const provider = Object.hasOwn(NAMES, name) ? NAMES[name]! : name
    for (const [model, entry] of Object.entries((row as { readonly models: object }).models)) {
      const id = `${provider}/${model}`
      const read = readLine(id, entry, LOCAL.has(provider))
      if (typeof read === 'string') skipped.push({ id, why: read })
      else models[id] = { ...read, asOf }
    }
  }
  return { models, skipped }
}

function readLine(id: string, entry: unknown, isLocal: boolean): Price | string {
  if (/[\s*\p{Cc}]/u.test(id)) return 'its id has a space, a star or a control character'
  const cost = isRecord(entry) ? entry['cost'] : undefined
  const rates = isRecord(cost) ? ratesOf(cost) : undefined
  if (rates === undefined) return 'it has no price'
  // Zero stands for "unknown", for subscriptions and for free models, and only the last can be recognized.
  const isFree = rates.inputPerMillion === 0 && rates.outputPerMillion === 0
  if (isFree && !isLocal && !id.endsWith(':free')) return 'its price is given as 0'
  const tiers = tiersOf(cost as Readonly<Record<string, unknown>>)
  if (tiers === undefined) return 'its price has tiers that are not by size of input'
  return {
    ...rates,
    ...(tiers.length === 0 ? {} : { above: tiers }),
    ...limitsOf(entry as { readonly limit?: unknown }),
  }
}

function ratesOf(cost: Readonly<Record<string, unknown>>): Rates | undefined {
  const [input, output] = [amount(cost['input']), amount(cost['output'])]
  const [cached, written, reasoning] = [cost['cache_read'], cost['cache_write'], cost['reasoning']].map(amount)
  if (input === undefined || output === undefined) return undefined
  return {
    inputPerMillion: input,
    outputPerMillion: output,
    ...(cached === undefined ? {} : { cachedInputPerMillion: cached }),
    ...(written === undefined ? {} : { cacheWritePerMillion: written }),
    ...(reasoning === undefined || reasoning === output ? {} : { reasoningPerMillion: reasoning }),
  }
}

/** The tiers of a price; `undefined` if one of them cannot be read. The older notation of a single tier is used only if there is no newer one. */
function tiersOf(cost: Readonly<Record<string, unknown>>): readonly PriceTier[] | undefined {
  const { tiers, context_over_200k: older } = cost
  const given =
    tiers ?? (older === undefined ? [] : [{ ...(older as object), tier: { type: 'context', size: 200_000 } }])
  if (!Array.isArray(given)) return undefined
  const read = given.map((one: unknown): PriceTier | undefined => {
    const rates = isRecord(one) ? ratesOf(one) : undefined
    const tier = isRecord(one) ? one['tier'] : undefined
    const size = isRecord(tier) && tier['type'] === 'context' ? tier['size'] : undefined
    return rates === undefined || typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0
      ? undefined
      : { inputTokens: size, ...rates }
  })
  return read.every((one) => one !== undefined) ? read : undefined
}

function limitsOf({ limit }: { readonly limit?: unknown }): Pick<Price, 'contextTokens' | 'maxOutputTokens'> {
  if (!isRecord(limit)) return {}
  const [context, output] = [count(limit['context']), count(limit['output'])]
  const most = output !== undefined && context !== undefined ? Math.min(output, context) : output
  return {
    ...(context === undefined ? {} : { contextTokens: context }),
    ...(most === undefined ? {} : { maxOutputTokens: most }),
  }
}

function amount(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && Number.isFinite(value) ? value : undefined
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined
}
