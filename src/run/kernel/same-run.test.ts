import { expect, it } from 'vitest'
import { Kernel } from './kernel.ts'
import type { Mind } from '../mind/mind.ts'

const taken = { code: 'DUPLICATE', message: expect.stringMatching(/run "r" already.*resume "r"/) }

function kernelOf(start: Mind['start'] = async (input) => input): Kernel {
  const kernel = new Kernel()
  for (const name of ['main', 'other']) kernel.registry.registerMind({ kind: 'program', name, start })
  return kernel
}

it('a run that is started again with the same input is the same run; with another input, or of another mind, it is refused', async () => {
  const kernel = kernelOf()
  const start = (name: string, input: string) => kernel.run({ kind: 'program', name, input, runId: 'r' })
  const first = await start('main', 'a')
  expect(await start('main', 'a')).toEqual(first)
  await expect(start('main', 'b')).rejects.toMatchObject(taken)
  await expect(start('other', 'a')).rejects.toMatchObject(taken)
  expect(await kernel.resume('r')).toEqual(first)
})

it('the same holds while the run is driven: one whose start was refused does not disturb it', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const kernel = kernelOf(async (input, context) => context.record('wait', () => promise.then(() => input)))
  const start = (input: string) => kernel.run({ kind: 'program', name: 'main', input, runId: 'r' })
  const [first, same, other] = [start('a'), start('a'), start('b')]
  other.catch(() => {})
  resolve()
  expect(await first).toMatchObject({ state: 'completed', output: 'a' })
  expect(await same).toEqual(await first)
  await expect(other).rejects.toMatchObject(taken)
})

it('a secret that the journal does not have is no other input', async () => {
  const kernel = new Kernel({ redactor: { text: (text) => text.replaceAll('sesame', '[secret]') } })
  kernel.registry.registerMind({ kind: 'program', name: 'main', start: async () => 'done' })
  const spec = { kind: 'program' as const, name: 'main', input: { text: 'It is sesame.' }, runId: 'r' }
  const first = await kernel.run(spec)
  expect(await kernel.run(spec)).toEqual(first)
  await expect(kernel.run({ ...spec, input: { text: 'It is closed.' } })).rejects.toMatchObject(taken)
})
