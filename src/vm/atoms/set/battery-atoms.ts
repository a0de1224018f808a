import type { AnyAtom } from '../atom.ts'
import type { BatteryAtoms } from './core-types.ts'
import { call } from '../host/capability-call.ts'
import { ioAtom } from './io-atom.ts'
import { searchCost } from './io-atoms.ts'

const MINUTE_MS = 60_000

const ATOMS: readonly AnyAtom[] = [
  ioAtom({
    op: 'storeVectorize',
    docs: 'The vector of a text.',
    input: { text: 'string', model: 'string?' },
    output: 'numbers',
    cost: 20,
    timeoutMs: MINUTE_MS,
    risk: 'read',
    idempotent: true,
    exec: ({ text, model }, ctx) => call(ctx, 'llm.embed', text, model),
  }),
  ioAtom({
    op: 'storeCreateCollection',
    docs: 'Makes a collection for vectors.',
    input: { collection: 'string', dimension: 'size0?' },
    cost: 5,
    risk: 'write',
    idempotent: true,
    exec: async ({ collection, ...options }, ctx) =>
      void (await call(ctx, 'store.createCollection', collection, options)),
  }),
  ioAtom({
    op: 'storeVectorAdd',
    docs: 'Adds a document with its vector to a collection.',
    input: { collection: 'string', doc: 'record' },
    cost: 5,
    timeoutMs: MINUTE_MS,
    risk: 'write',
    exec: async ({ collection, doc }, ctx) => void (await call(ctx, 'store.vectorAdd', collection, doc)),
  }),
  ioAtom({
    op: 'storeSearch',
    docs: 'The k nearest documents of a collection, of those that a filter lets through.',
    input: { collection: 'string', queryVector: 'numbers', k: 'size?', filter: 'record?' },
    output: 'list',
    cost: searchCost,
    risk: 'read',
    idempotent: true,
    exec: async ({ collection, queryVector, k = 5, filter }, ctx) =>
      (await call(ctx, 'store.vectorSearch', collection, queryVector, k, filter)) ?? [],
  }),
  ioAtom({
    op: 'llmPredictBattery',
    docs: 'Asks a model with instructions, tools and a format for its answer.',
    input: { system: 'string?', user: 'string', tools: 'list?', responseFormat: 'record?' },
    cost: 100,
    timeoutMs: 2 * MINUTE_MS,
    risk: 'read',
    idempotent: true,
    exec: (input, ctx) => call(ctx, 'llm.chat', input, { signal: ctx.signal }),
  }),
  ioAtom({
    op: 'llmVision',
    docs: 'Asks a model about images.',
    input: { system: 'string?', prompt: 'string', images: 'strings', responseFormat: 'record?' },
    cost: 150,
    timeoutMs: 2 * MINUTE_MS,
    risk: 'read',
    idempotent: true,
    exec: (input, ctx) => call(ctx, 'llm.vision', input, { signal: ctx.signal }),
  }),
]

/**
 * Optional atoms for vectors and full model requests. Pass them to `new AgentVM` to use them.
 *
 * @example
 * ```ts
 * import { AgentVM, batteryAtoms, memoryStore, s } from 'mandate/vm'
 * const vm = new AgentVM(batteryAtoms)
 * const program = vm.Agent.take(s.object({ text: s.string })).storeVectorize({ text: vm.Agent.args('text') }).as('vector')
 * await vm.run(program, { text: 'hello' }, { capabilities: { store: memoryStore(), llm: { embed: async () => [1, 0] } } })
 * ```
 */
export const batteryAtoms: BatteryAtoms = Object.freeze(
  Object.fromEntries(ATOMS.map((atom) => [atom.op, atom])),
) as unknown as BatteryAtoms
