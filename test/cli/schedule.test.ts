import { spawn } from 'node:child_process'
import { expect, test } from 'vitest'
import { ROOT, commandLine, environment, mandate, useOwnFolder } from './mandate.fixture.ts'

useOwnFolder()

const FILE = ['--file', 'test/cli/fixtures/clock-agent.ts']

/** Carries schedules out in a process of its own until what it says fits. */
function carryOut(until: RegExp): Promise<{ readonly code: number | null; readonly said: string }> {
  const [program, ...args] = commandLine(['schedule', 'run', ...FILE])
  const child = spawn(program!, args, { cwd: ROOT, env: environment() })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => {
      const isOver = until.test(said)
      said += data.toString()
      // Once: a second signal kills.
      if (!isOver && until.test(said)) child.kill('SIGTERM')
    })
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, said })))
}

test('a schedule is added, listed, carried out by another process, and removed', async () => {
  const added = await mandate('schedule', 'put', 'often', 'clock', 'Tell', 'the', 'time.', '--every', '1s', ...FILE)
  expect(added).toMatchObject({ code: 0 })
  expect(added.out).toMatch(/often is due next at 20\d\d-/)
  expect((await mandate('schedule', 'list', ...FILE)).out).toMatch(/often +every 1 s +20\S+ +clock: Tell the time\./)
  const { code, said } = await carryOut(/told twice/)
  expect(said).toContain('carrying out schedules')
  expect(code).toBe(143)
  const done = JSON.parse((await mandate('runs', '--json')).out) as { name: string; state: string }[]
  expect(done.filter(({ name, state }) => name === 'clock' && state === 'completed').length).toBeGreaterThanOrEqual(1)
  expect(await mandate('schedule', 'remove', 'often', ...FILE)).toMatchObject({ code: 0 })
  expect((await mandate('schedule', 'list', ...FILE)).notes).toContain('There is no schedule')
  expect(await mandate('metrics', 'clokc')).toMatchObject({
    code: 2,
    out: '',
    notes: /no run of "clokc".*mandate runs/,
  })
})

test('what cannot be meant is refused with what can', async () => {
  expect((await mandate('schedule', 'put', 'x', 'clock', 'Go.', '--cron', '0 25 * * *', ...FILE)).notes).toContain(
    'as its hour',
  )
  expect((await mandate('schedule', 'put', 'x', 'clock', 'Go.', '--every', 'often', ...FILE)).notes).toContain(
    'such as 30s',
  )
  expect((await mandate('schedule', 'put', 'x', 'clock', 'Go.', ...FILE)).notes).toContain('--cron')
  expect((await mandate('schedule', 'put', 'x', 'nobody', 'Go.', '--every', '5m', ...FILE)).notes).toContain(
    'no agent "nobody"',
  )
  expect((await mandate('schedule', 'pause', ...FILE)).notes).toContain('is not a command')
  expect((await mandate('schedule', 'remove', 'x', ...FILE)).notes).toContain('There is no schedule "x"')
})
