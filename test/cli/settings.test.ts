import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { REFUND, mandateIn, store, useOwnFolder } from './mandate.fixture.ts'

useOwnFolder()

const sessions = (): string => join(store(), 'sessions')

test('what the environment denies no agent can do', async () => {
  const said = await mandateIn({ MANDATE_DENY: 'model:*' }, 'run', REFUND, 'Refund order 7.', '--no-input')
  expect(said).toMatchObject({ code: 3, notes: expect.stringContaining('deny') })
})

test('files per session are kept where the environment asks for them, with sizes or with what was said', async () => {
  await mandateIn({}, 'run', REFUND, 'Refund order 7.', '--no-input')
  expect(existsSync(sessions())).toBe(false)
  await mandateIn({ MANDATE_SESSION_FILES: '1' }, 'run', REFUND, 'Refund order 8.', '--no-input')
  const [first] = readdirSync(sessions())
  const events = readFileSync(join(sessions(), first!, 'events.jsonl'), 'utf8')
  expect(events).toContain('run-start')
  expect(events).not.toContain('Refund order 8.')
  await mandateIn(
    { MANDATE_SESSION_FILES: '1', MANDATE_INCLUDE_PAYLOADS: '1' },
    'run',
    REFUND,
    'Refund order 9.',
    '--no-input',
  )
  const all = readdirSync(sessions()).map((name) => readFileSync(join(sessions(), name, 'events.jsonl'), 'utf8'))
  expect(all.join('')).toContain('Refund order 9.')
})
