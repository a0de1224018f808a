import { defineTool } from 'mandate/tool'
import type { Tool } from 'mandate/tool'
import { channel, defineGraph, nodes } from 'mandate/graph'
import type { Graph } from 'mandate/graph'

/** What the tools do to the world: a call that happened is found again by its idempotency key. */
export interface World {
  happened(key: string): boolean
  happen(key: string, what: string): void
}

export function orderTools(world: World): readonly Tool[] {
  const named = (name: string): Tool =>
    defineTool({
      name,
      risk: 'write',
      run: (input, context) => {
        world.happen(context.idempotencyKey, `${name} ${JSON.stringify(input)}`)
        return `${name} done`
      },
      reconcile: (_input, { idempotencyKey }) =>
        Promise.resolve(
          world.happened(idempotencyKey) ? { status: 'done', value: `${name} done` } : { status: 'not-done' },
        ),
    })
  return [named('pay'), named('mail'), named('ship')]
}

/** What people answer. */
export const ANSWERS: { readonly [text: string]: string } = { 'Paid?': 'yes', 'Checked?': 'fine', 'Arrived?': 'today' }

/** Parallel branches, a join, questions in two of them, and a graph inside with a question of its own. */
export function orders(): Graph {
  const parcel = defineGraph({
    name: 'parcel',
    state: { order: channel.last<string>(), state: channel.last<string>() },
    input: ['order'],
    output: ['state'],
  })
    .node(
      'ship',
      nodes.tool('ship', { input: (state: { order: string }) => ({ order: state.order }), writes: 'state' }),
    )
    .node('ask', nodes.human({ prompt: 'Arrived?', output: (result: string) => ({ state: `arrived: ${result}` }) }))
    .edge('ship', 'ask')
    .start('ship')
  return defineGraph({
    name: 'orders',
    state: { order: channel.last<string>(), log: channel.topic<string>(), parcel: channel.last<unknown>() },
    input: ['order'],
  })
    .node('begin', () => ({ log: 'begin' }))
    .node('pay', async (state, ctx) => {
      await ctx.tool('pay', { order: state.order })
      return { log: `pay ${String(await ctx.interrupt('Paid?'))}` }
    })
    .node('mail', async (state, ctx) => {
      await ctx.tool('mail', { order: state.order })
      return { log: 'mail' }
    })
    .node('parcel', nodes.subgraph(parcel))
    .node('check', nodes.human({ prompt: 'Checked?', output: (result: string) => ({ log: `check ${result}` }) }))
    .node('end', async (_state, ctx) => {
      await ctx.tool('mail', { text: 'over' })
      return { log: 'end' }
    })
    .edge('begin', 'pay')
    .edge('begin', 'mail')
    .edge('begin', 'parcel')
    .edge('begin', 'check')
    .join(['pay', 'mail', 'parcel', 'check'], 'end')
    .start('begin')
}
