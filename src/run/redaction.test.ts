import { expect, test } from 'vitest'
import { secret } from '../redact/index.ts'
import type { BusEvent, Json } from '../core/index.ts'
import { readAll } from '../journal/index.ts'
import { call, kernelWith, outputOf, program, runMain, tool } from './kernel/kernel.fixture.ts'

const TOKEN = 'tok_3f9c2a77d1'
const secrets = (name: string): string | undefined => (name === 'TOKEN' ? TOKEN : undefined)

/** Runs the program and gives everything that anyone could see of it. */
async function everything(kernel: ReturnType<typeof kernelWith>): Promise<string> {
  const events: BusEvent[] = []
  kernel.events.on('*', (event) => void events.push(event))
  const sunk: BusEvent[] = []
  kernel.events.addSink({ name: 'all', includePayloads: true, write: (event) => void sunk.push(event) })
  const outcome = await runMain(kernel)
  return JSON.stringify([outcome, events, sunk, await readAll(kernel.journal, 'r'), await kernel.replay('r')])
}

test('a secret is known inside its call alone: the tool gets the value, everyone else the name or a token', async () => {
  const got: unknown[] = []
  const act = tool('act', async function* (input, context) {
    got.push(input, await context.secrets?.('TOKEN'))
    context.emit('custom', { leaked: TOKEN })
    yield `progress with ${TOKEN}`
    return { echo: (input as { header: string }).header, nested: [`Bearer ${TOKEN}`], [TOKEN]: 1 }
  })
  const main = program('main', async (_, context) => {
    context.append({ text: 'calling' })
    return (await call(context, 'act', { header: secret('TOKEN') as unknown as Json })) as unknown as Json
  })
  const seen = await everything(kernelWith({ minds: [main], tools: [act], secrets }))
  expect(got).toEqual([{ header: TOKEN }, TOKEN])
  expect(seen).not.toContain(TOKEN)
  expect(seen).toContain('[secret:')
  expect(seen).toContain('"$secret":"TOKEN"')
})

test('a secret in an error, a retry or a refusal is redacted too', async () => {
  const act = tool(
    'act',
    () => {
      throw new Error(`401 for ${TOKEN}`)
    },
    { retry: { attempts: 2, backoffMs: 0 } },
  )
  const main = program('main', async (_, context) => {
    const outcome = await call(context, 'act', { header: secret('TOKEN') as unknown as Json })
    if (outcome.status === 'failed') throw new Error(outcome.error.message)
    return null
  })
  const seen = await everything(kernelWith({ minds: [main], tools: [act], secrets }))
  expect(seen).not.toContain(TOKEN)
  expect(seen).toContain('401 for [secret:')
})

test('a secret that is not set fails the call with its name, and performs nothing', async () => {
  let calls = 0
  const main = program(
    'main',
    async (_, context) =>
      (await call(context, 'act', { header: secret('MISSING') as unknown as Json })) as unknown as Json,
  )
  const kernel = kernelWith({ minds: [main], tools: [tool('act', () => ++calls)], secrets })
  expect(outputOf(await runMain(kernel))).toMatchObject({
    status: 'failed',
    error: { code: 'NOT_FOUND', message: expect.stringContaining('MISSING') },
  })
  expect(calls).toBe(0)
})

test('what the host redacts is redacted alike for journal, listeners, mind, caller and replay', async () => {
  const redactor = { text: (text: string) => text.replaceAll(/\b\d{4}-\d{4}\b/g, '[card]') }
  const heard: Json[] = []
  const main = program('main', async (input, context) => {
    heard.push(input)
    const outcome = await call(context, 'act', { to: '1111-2222' })
    heard.push(outcome as unknown as Json)
    context.append({ text: 'paid with 3333-4444' })
    return 'paid with 5555-6666'
  })
  const kernel = kernelWith({ minds: [main], tools: [tool('act', () => 'card 7777-8888')], redactor })
  const events: BusEvent[] = []
  kernel.events.on('*', (event) => void events.push(event))
  const outcome = await runMain(kernel, 'my card is 9999-0000')
  const seen = JSON.stringify([outcome, heard, events, await readAll(kernel.journal, 'r')])
  expect(seen).not.toMatch(/\d{4}-\d{4}/)
  expect(outputOf(outcome)).toBe('paid with [card]')
  expect(outputOf(await kernel.resume('r'))).toBe('paid with [card]')
  expect(await kernel.replay('r')).toMatchObject({ identical: true, complete: true })
})

test('a secret that was found by its form is not seen in base64 or hex later in the run, nor in its children', async () => {
  const pat = ['ghp', '_', 'a8Kq2LmZ0pXv93TdRwYb71NcEsHfGuJo4iQe'].join('')
  const forms = [btoa(pat), Buffer.from(`x:${pat}`).toString('base64url'), Buffer.from(pat).toString('hex')]
  const act = tool('act', () => ({ env: forms.join(' ') }))
  const inner = program('inner', async (_, context) => (await call(context, 'act', {})) as unknown as Json)
  const main = program('main', async (_, context) => {
    await context.perform({ kind: 'program', name: 'inner', input: null })
    return (await call(context, 'act', {})) as unknown as Json
  })
  const kernel = kernelWith({ minds: [main, inner], tools: [act] })
  await kernel.run({ kind: 'program', name: 'main', input: `use ${pat}`, runId: 'r' })
  const runs = await kernel.journal.list({})
  expect(runs).toHaveLength(2)
  for (const { run } of runs) {
    const bytes = JSON.stringify(await readAll(kernel.journal, run))
    expect(bytes).toContain('[secret:github-token#')
    for (const form of forms) expect(bytes).not.toContain(form.slice(4, 40))
  }
  expect((await kernel.replay('r')).identical).toBe(true)
})
