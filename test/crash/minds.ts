import { request } from 'node:http'
import type { Json } from '../../src/core/index.ts'
import type { Mind, RunContext } from '../../src/run/index.ts'
import type { Tool } from '../../src/tool/index.ts'

/** Does one thing in the world and gives what it gave. */
async function act(context: RunContext, input: string, name = 'act'): Promise<string> {
  const outcome = await context.perform<string>({ kind: 'tool', name, input })
  return outcome.status === 'ok' ? outcome.value : `${input} ${outcome.status}`
}

const main: Mind = {
  kind: 'program',
  name: 'main',
  async start(input, context) {
    context.append({ role: 'user', text: input })
    const plan = await context.record('plan', async (strand) => `plan with ${await act(strand, 'consult')}`)
    // Two chains in one strand: which of the later calls is named first depends on which of the earlier ones ends first.
    const chains = await Promise.all([
      act(context, 'a').then(async (a) => [a, await act(context, 'b')]),
      act(context, 'c').then(async (c) => [c, await act(context, 'd')]),
    ])
    const deployed = await act(context, 'first', 'deploy')
    const branches = await Promise.all(
      ['left', 'middle', 'right'].map((branch) =>
        context.task(branch, async (strand) => [
          await act(strand, `${branch} 1`),
          await act(strand, `${branch} 2`, branch === 'middle' ? 'look' : 'act'),
        ]),
      ),
    )
    context.append({ role: 'assistant', text: 'half way' })
    await context.perform({ kind: 'sleep', name: 'sleep', input: { until: context.now() + 15 } })
    const child = await context.perform({ kind: 'program', name: 'child', input: 'one' })
    const [second, beside, answer] = await Promise.all([
      context.perform({ kind: 'program', name: 'child', input: 'two' }),
      act(context, 'beside').then(() => act(context, 'beside again')),
      context.perform({ kind: 'question', name: 'human', input: { text: 'Which colour?' } }),
    ])
    const retried = await act(context, 'retried', 'flaky')
    return JSON.parse(
      JSON.stringify([
        plan,
        chains,
        deployed,
        branches,
        child,
        second,
        beside,
        answer,
        retried,
        await act(context, 'last'),
      ]),
    ) as Json
  },
}

const child: Mind = {
  kind: 'program',
  name: 'child',
  async start(input, context) {
    const name = input as string
    const chains = await Promise.all([
      act(context, `${name} a`).then(() => act(context, `${name} b`)),
      act(context, `${name} c`, 'look').then(() => act(context, `${name} d`)),
    ])
    return [...chains, await act(context, `${name} last`, 'deploy')]
  },
}

export const minds: readonly Mind[] = [main, child]

/** What the tools of the run do before and after they speak to the world. */
export interface ToolHooks {
  before(): void
  after(): void
}

/** Speaks to the world; `fetch` would do, but takes longer to load than the whole run. */
export function ask(url: string, method = 'GET'): Promise<{ readonly status: number; readonly body: unknown }> {
  return new Promise((resolve, reject) => {
    const call = request(url, { method }, (response) => {
      let text = ''
      response.on('data', (chunk) => (text += String(chunk)))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }))
    })
    call.on('error', reject)
    call.end()
  })
}

export function makeTools(serverUrl: string, hooks: ToolHooks): Tool[] {
  const make = (name: string, more: Partial<Tool> = {}): Tool => ({
    name,
    inputSchema: {},
    risk: 'read',
    validate: (input) => ({ valid: true, value: input }),
    async run(input, { idempotencyKey }) {
      const query = new URLSearchParams({
        key: idempotencyKey,
        name,
        input: input as string,
        ...(name === 'flaky' ? { flaky: '1' } : {}),
      })
      hooks.before()
      const { status, body } = await ask(`${serverUrl}/do?${query}`, 'POST')
      hooks.after()
      if (status !== 200) throw new Error(`the world said ${status}`)
      return body
    },
    ...more,
  })
  return [
    make('act'),
    make('look', { idempotent: true }),
    make('deploy', { needsApproval: true }),
    // Doing it twice is what it is for, so it is the one tool that says so.
    make('flaky', { idempotent: true, retry: { attempts: 3, backoffMs: 1 } }),
  ]
}
