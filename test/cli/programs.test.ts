import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { mandate, refunds, store, useOwnFolder } from './mandate.fixture.ts'

useOwnFolder()

/** A file beside the store of the test. */
function file(name: string, content: unknown): string {
  const path = join(store(), '..', name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

const TWICE = {
  mandate: 1,
  op: 'seq',
  inputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
  steps: [
    { op: 'return', value: { twice: { $expr: 'binary', op: '*', left: { $kind: 'arg', path: 'n' }, right: 2 } } },
  ],
}

describe('mandate run <program>', () => {
  it('runs a program with its arguments and shows fuel and memory', async () => {
    const { code, out, notes } = await mandate('run', file('twice.json', TWICE), '{"n": 21}')
    expect([code, JSON.parse(out)]).toEqual([0, { twice: 42 }])
    expect(notes).toMatch(/completed, fuel 0\.\d+, memory \d+ KB, run \S+/)
  })

  it('keeps the run, which can be replayed and verified', async () => {
    const { notes } = await mandate('run', file('twice.json', TWICE), '{"n": 21}')
    const run = /run (\S+)\n/.exec(notes)![1]!
    expect(await mandate('replay', run)).toMatchObject({ code: 0, out: expect.stringContaining('identical') })
    expect((await mandate('verify', run)).code).toBe(0)
    expect(await mandate('resume', run)).toMatchObject({ code: 0, out: expect.stringContaining('42') })
  })

  it('says with its exit code what went wrong', async () => {
    expect(await mandate('run', file('twice.json', TWICE), '{"n": "x"}')).toMatchObject({
      code: 2,
      notes: expect.stringContaining('n must be a number'),
    })
    expect(await mandate('run', file('twice.json', TWICE), 'no json')).toMatchObject({
      code: 2,
      notes: expect.stringContaining('JSON'),
    })
    const endless = { mandate: 1, op: 'seq', steps: [{ op: 'while', condition: true, body: [] }] }
    expect(await mandate('run', file('endless.json', endless), '--fuel', '50')).toMatchObject({
      code: 5,
      notes: expect.stringMatching(/failed, fuel 50\.00[^]*fuel/),
    })
    expect(await mandate('run', file('none.json', { op: 'no' }))).toMatchObject({ code: 6 })
    expect(await mandate('run', file('broken.json', '{'))).toMatchObject({ code: 6 })
  })

  it('runs a script', async () => {
    const source = 'let sum = 0\nfor (const n of args.list) sum += n\nreturn { sum }\n'
    expect(await mandate('run', file('sum.js', source), '{"list": [1, 2, 3]}')).toMatchObject({
      code: 0,
      out: expect.stringContaining('6'),
    })
  })
})

describe('a script that waits for a human', () => {
  it('suspends, and goes on in other processes with the tools of its host', async () => {
    const source =
      'const done = []\nfor (const order of args.orders) done.push(await tools.refund({ order }))\nreturn done\n'
    const script = file('refunds.js', source)
    const host = ['--file', 'test/cli/fixtures/refund-host.ts']
    const first = await mandate('run', script, '{"orders": ["A-1", "A-2"]}', ...host)
    expect(first.code).toBe(4)
    const run = /mandate resume (\S+)/.exec(first.notes)![1]!
    expect(refunds()).toBe('')
    // The run holds its program: what becomes of the file does not matter.
    file('refunds.js', 'return 0')
    expect((await mandate('approve', /mandate approve (\S+)/.exec(first.notes)![1]!)).code).toBe(0)
    const second = await mandate('resume', run, ...host)
    expect(second.code).toBe(4)
    expect((await mandate('approve', /mandate approve (\S+)/.exec(second.notes)![1]!)).code).toBe(0)
    const last = await mandate('resume', run, ...host)
    expect([last.code, JSON.parse(last.out)]).toEqual([0, ['refunded A-1', 'refunded A-2']])
    expect(refunds()).toBe('A-1\nA-2\n')
  })
})

describe('mandate inspect <file>', () => {
  it('lists what a program can reach', async () => {
    const program = {
      mandate: 1,
      op: 'seq',
      steps: [
        { op: 'httpFetch', url: 'https://example.com' },
        { op: 'agentRun', agentId: 'writer', input: {} },
      ],
    }
    const path = file('reach.json', program)
    expect((await mandate('inspect', path)).out).toMatch(
      /effects\s+httpFetch https:\/\/example\.com[^]*agents\s+writer/,
    )
    expect(JSON.parse((await mandate('inspect', path, '--json')).out)).toMatchObject({
      agents: ['writer'],
      sinks: ['agentRun', 'httpFetch'],
    })
  })

  it('lists the tools of a script', async () => {
    expect(
      (await mandate('inspect', file('tools.js', "const found = await tools.search({ q: 'x' })\nreturn found\n"))).out,
    ).toMatch(/tools\s+search/)
    expect(await mandate('inspect', 'no-such.js')).toMatchObject({ code: 6 })
  })
})
