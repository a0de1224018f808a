import { expect, it } from 'vitest'
import { mandate, useOwnFolder } from './mandate.fixture.ts'

useOwnFolder()

const FLAKY = 'test/cli/fixtures/failing-model-agent.ts'

it('`run` shows each attempt of a call that fails, and says that tokens and cost are estimated; `show` says it again', async () => {
  const { code, notes } = await mandate('run', FLAKY, 'Are you there?')
  expect(code).toBe(0)
  expect(notes).toContain('↻ test/flaky: attempt 2 in 0.0 s, because overloaded 1')
  expect(notes).toContain('↻ test/flaky: attempt 3 in 0.0 s, because overloaded 2')
  expect(notes).toMatch(/completed, 1 turn, 0 calls, \d+ tokens, \$0\.0000 \(estimated\), run /u)
  const run = /run (run_\S+)/u.exec(notes)![1]!
  const shown = (await mandate('show', run)).out
  expect(shown).toMatch(/\d+ tokens, \$0\.0000 \(estimated\)/u)
})

it('`run` says at once that a value of the prompt was redacted', async () => {
  const { notes } = await mandate('run', FLAKY, 'Log in with password: "1j1l-2k3j".')
  const [first] = notes.split('\n')
  expect(first).toMatch(/^warning: The input holds \[secret:password\] in place of what was redacted.*`vault`/u)
  expect((await mandate('run', FLAKY, 'Log in.')).notes).not.toContain('warning')
})
