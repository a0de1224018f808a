import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { mandate, refunds, store, useOwnFolder } from './mandate.fixture.ts'

useOwnFolder()

const SECRET = ['ghp', '_', 'v5Tq8XbN2kLp7RtYw1ZcD9sHfGuJo4iEaM3U'].join('')

it('an edit with a secret in it is sealed, lies nowhere in plain, and runs as it was meant', async () => {
  const { notes } = await mandate('run', 'test/cli/fixtures/vault-agent.ts', 'Refund it.')
  const run = /mandate resume (\S+)/u.exec(notes)![1]!
  const approval = /mandate approve (\S+)/u.exec(notes)![1]!
  expect(await mandate('approve', approval, '--edit', JSON.stringify({ order: SECRET }))).toMatchObject({ code: 0 })
  const bytes = (): string =>
    readdirSync(store(), { recursive: true, withFileTypes: true })
      .filter((item) => item.isFile())
      .map((item) => readFileSync(join(item.parentPath, item.name), 'latin1'))
      .join('\n')
  expect(bytes()).not.toContain(SECRET)
  // What goes out with the edit was approved by whoever wrote it.
  const { notes: resumed, code } = await mandate('resume', run)
  expect({ code, resumed }).toMatchObject({ code: 0 })
  expect(refunds()).toBe(`${SECRET}\n`)
  expect(bytes()).not.toContain(SECRET)
}, 60_000)
