import { MandateError } from '../../core/index.ts'
import { readAnswer } from './answer.ts'
import type { AnyAtom, AtomContext } from './atom.ts'
import { call, outerAtom } from './io-atom.ts'
import type { Checked } from './io-atom.ts'

/** How many neighbours a search gives when it does not say. */
const NEIGHBOURS = 5
const NETWORK_MS = 30_000
const MODEL_MS = 120_000

/** What a search costs follows from what was asked for, and never goes below the cost of one. */
export function searchCost({ k }: Checked): number {
  return 5 + (Number.isInteger(k) && k > 0 && k <= 1_000 ? Number(k) : NEIGHBOURS)
}

/** Atoms that touch the world through what the host gave. */
export const IO_ATOMS: readonly AnyAtom[] = [
  outerAtom({
    op: 'httpFetch',
    docs: 'Fetches a URL: JSON or text by its type, base64 with responseType "dataUrl".',
    input: { url: 'string', method: 'string?', headers: 'record?', body: 'any?', responseType: 'string?' },
    cost: 5,
    timeoutMs: NETWORK_MS,
    exec: fetchOver,
  }),
  outerAtom({
    op: 'storeGet',
    docs: 'The value under a key; null when there is none.',
    input: { key: 'string' },
    cost: 5,
    risk: 'read',
    idempotent: true,
    exec: async ({ key }, ctx) => (await call(ctx, 'store.get', key)) ?? null,
  }),
  outerAtom({
    op: 'storeSet',
    docs: 'Keeps a value under a key.',
    input: { key: 'string', value: 'any' },
    cost: 5,
    risk: 'write',
    idempotent: true,
    exec: async ({ key, value }, ctx) => void (await call(ctx, 'store.set', key, value)),
  }),
  outerAtom({
    op: 'storeQuery',
    docs: 'What the store finds for a query.',
    input: { query: 'any' },
    output: 'list',
    cost: 5,
    risk: 'read',
    idempotent: true,
    exec: async ({ query }, ctx) => (await call(ctx, 'store.query', query)) ?? [],
  }),
  outerAtom({
    op: 'storeQueryWhere',
    docs: 'What the store finds for a predicate that it evaluates itself.',
    input: { predicate: 'record', collection: 'string?', limit: 'size?' },
    output: 'list',
    cost: 5,
    risk: 'read',
    idempotent: true,
    // A store that cannot do this says so: giving everything unfiltered would be worse.
    exec: async ({ predicate, ...options }, ctx) => (await call(ctx, 'store.queryPredicate', predicate, options)) ?? [],
  }),
  outerAtom({
    op: 'storeVectorSearch',
    docs: 'The k nearest documents of a collection.',
    input: { collection: 'string', vector: 'numbers', k: 'size?' },
    output: 'list',
    cost: searchCost,
    risk: 'read',
    idempotent: true,
    exec: async ({ collection, vector, k = NEIGHBOURS }, ctx) =>
      (await call(ctx, 'store.vectorSearch', collection, vector, k)) ?? [],
  }),
  outerAtom({
    op: 'llmPredict',
    docs: 'Asks a model.',
    input: { prompt: 'string', options: 'record?' },
    cost: 100,
    timeoutMs: MODEL_MS,
    risk: 'read',
    idempotent: true,
    exec: ({ prompt, options }, ctx) => call(ctx, 'llm.predict', prompt, options),
  }),
  outerAtom({
    op: 'xmlParse',
    docs: 'The value that an XML text says, as the host reads it.',
    input: { str: 'string' },
    cost: 1,
    effects: 'pure',
    exec: ({ str }, ctx) => call(ctx, 'xml.parse', str),
  }),
]

async function fetchOver(input: Checked, ctx: AtomContext): Promise<unknown> {
  const { fetch } = ctx.capabilities
  if (typeof fetch !== 'function')
    throw new MandateError(
      'CONFIG_INVALID',
      'httpFetch needs the capability fetch. Give it: run(program, args, { capabilities: { fetch: (url, init) => … } }).',
    )
  const { url, method, headers, body, responseType } = input
  const init = {
    ...(method === undefined ? {} : { method }),
    ...(headers === undefined ? {} : { headers }),
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    signal: ctx.signal,
  }
  return readAnswer(await fetch(url, init), responseType)
}
