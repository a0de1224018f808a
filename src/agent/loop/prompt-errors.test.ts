import { expect, test } from 'vitest'
import { inMemoryPrompts } from '../../memory/index.ts'
import { host, model } from '../agent.fixture.ts'

test('a system prompt that is not in the store is an error in whole sentences, with those that are there', async () => {
  const promptStore = inMemoryPrompts()
  await promptStore.put({ id: 'support', text: 'Help.' })
  const service = host({ model: model(['Done.']), promptStore, instructions: { template: 'suport' } })
  const { error } = await service.run('main', 'Go.')
  expect(error?.message).toMatch(
    /^The system prompt "suport" cannot be used: There is no prompt template "suport"\. Known: support\.$/,
  )
})

test('a template that cannot be read is an error that ends in one full stop', async () => {
  const error = await inMemoryPrompts()
    .put({ id: 'x', text: 'Hello.', engine: 'erb' as never })
    .catch((thrown: Error) => thrown)
  expect((error as Error).message).toMatch(/^The template "x" is not valid: .*[^.]\.$/s)
})
