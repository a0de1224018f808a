// One step of one side in a process of its own: `program.ts <side> <ask|approve|reject|resume> <folder>`. Its last line is the outcome.
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import type { Outcome, Shop, Support } from '../../docs/comparison/support.ts'

const [side = '', action = '', folder = ''] = process.argv.slice(2)
const peers = new URL('../../bench/peers/package.json', import.meta.url).href

// The packages of two sides are installed for the benchmarks alone.
registerHooks({
  resolve: (name, context, next) =>
    next(
      name,
      /^@(?:mastra|openai)\//.test(name) && !context.parentURL?.includes('node_modules')
        ? { ...context, parentURL: peers }
        : context,
    ),
})

const shop: Shop = {
  order: async (id) => ({ id, total: 80, opened: false }),
  async refund(order, amount) {
    appendFileSync(`${folder}/refunds.txt`, `${order} ${amount}\n`)
    return `refunded ${amount} of ${order}`
  },
  rules: async (topic) => `The rules about ${topic}: unopened goods within 30 days.`,
}

interface Side {
  readonly openSupport: (model: unknown, shop: Shop, folder: string) => Promise<Support>
}

const { openSupport } = (await import(`../../docs/comparison/${side}.ts`)) as Side
const { model } = (await import(`./${side}-model.ts`)) as { model: unknown }
const support = await openSupport(model, shop, folder)

const parts: unknown[] = []
const show = (part: unknown): unknown => parts.push(part)
const steps: Readonly<Record<string, () => Promise<Outcome>>> = {
  ask: () => support.ask('request-1', 'Please refund order A-17.', show),
  approve: () => support.decide('request-1', true, show),
  reject: () => support.decide('request-1', false, show),
  resume: () => support.resume('request-1', show),
}
const outcome = await steps[action]!()
await support.close()
console.log(JSON.stringify({ ...outcome, parts: parts.length }))
process.exit()
