import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/help/commands.ts'
import { REFUND, mandate, refunds, useOwnFolder } from './mandate.fixture.ts'
import { storeRuns } from './stored-runs.fixture.ts'

useOwnFolder()

/** Starts a run that waits for an approval, and gives its id. */
async function waiting(): Promise<string> {
  return /mandate resume (\S+)/.exec((await mandate('run', REFUND, 'Refund order A-17.')).notes)![1]!
}

/** The shortest beginning of an id that no other of these ids has. */
function prefixOf(id: string, others: readonly string[]): string {
  let length = 12
  while (others.some((other) => other.startsWith(id.slice(0, length)))) length += 1
  return id.slice(0, length)
}

/** Every command that takes a run or a request, with this for its id. */
function taking(id: string): readonly (readonly string[])[] {
  const usages = [...COMMANDS].flatMap(([name, { usage, actions }]) =>
    (actions?.map(([words]) => words) ?? [usage]).map((words) => `${name} ${words}`),
  )
  const taken = usages.filter((usage) => /<run[>|]|<approval>/.test(usage))
  expect(taken.length).toBeGreaterThan(14)
  return taken.map((usage) =>
    usage
      .replace(/ \[.*/, '')
      .replace(/<run[^>]*>/, id)
      .replace(/<approval>(?:\.\.\.)?/, `${id}-ap4`)
      .replaceAll(/<[^>]+>/g, '1')
      .split(' '),
  )
}

describe('a run is meant by as much of its id as no other run has', () => {
  it(
    'through its whole life, and so is a request by the id of its run and its number',
    { timeout: 60_000 },
    async () => {
      const [first, second] = [await waiting(), await waiting()]
      const prefix = prefixOf(first, [second])
      expect((await mandate('show', prefix)).out).toContain(first)
      expect(await mandate('approve', `${prefix}-ap4`)).toMatchObject({
        code: 0,
        notes: expect.stringContaining(`mandate resume ${first}`) as string,
      })
      expect(refunds()).toBe('')
      expect(await mandate('resume', prefix)).toMatchObject({ code: 0 })
      expect(refunds()).toBe('A-17\n')
      expect(await mandate('replay', prefix)).toMatchObject({ code: 0 })
      expect(await mandate('verify', prefix)).toMatchObject({ code: 0 })
      expect(await mandate('policy', 'explain', prefix, '4')).toMatchObject({ code: 0 })
      expect(await mandate('diff', prefix, prefixOf(second, [first]))).toMatchObject({ code: 1 })
      const exported = await mandate('export', prefix)
      expect(JSON.parse(exported.out.split('\n')[0]!)).toMatchObject({ run: first })
      expect(await mandate('cancel', prefixOf(second, [first]))).toMatchObject({
        code: 0,
        out: `${second} cancelled\n`,
      })
    },
  )

  it('and by the end of its id, or as the last one; the last request is the only one that waits', async () => {
    const [first, second] = [await waiting(), await waiting()]
    expect((await mandate('show', first.slice(-6))).out).toContain(first)
    expect((await mandate('show', 'last')).out).toContain(second)
    const both = await mandate('approve', 'last')
    expect(both).toMatchObject({ code: 2, notes: expect.stringContaining('Several requests are waiting') })
    for (const run of [first, second]) expect(both.notes).toContain(`${run}-ap4`)
    expect((await mandate('approve', 'last-ap4')).notes).toContain(`mandate resume ${second}`)
    await mandate('resume', 'last')
    expect((await mandate('deny', 'last', 'Not today.')).notes).toContain(`mandate resume ${first}`)
    await mandate('resume', first.slice(-6))
    expect(refunds()).toBe('A-17\n')
    expect((await mandate('approve', 'last')).notes).toContain('Nothing is waiting')
    const { notes } = await mandate('fork', 'last')
    expect(notes).toContain(`forked ${second} as `)
  })

  it('and every command that takes one takes the last one', async () => {
    await storeRuns(['order-17a', 'order-17b'])
    for (const words of taking('last')) {
      const said = await mandate(...words)
      expect(said.notes, words.join(' ')).not.toMatch(/no (?:run|approval) "last|begins or ends/)
    }
  })

  it('and every command that takes one refuses an ambiguous beginning with the runs that it could be', async () => {
    await storeRuns(['order-17a', 'order-17b', 'order-17b.turn-1', 'other'])
    for (const words of taking('order-1')) {
      const said = await mandate(...words)
      expect([words, said.code], said.notes).toEqual([words, 2])
      expect(said.notes, words.join(' ')).toMatch(/order-17[ab] {2}running[^]*order-17[ab] {2}running/)
      // One that is below another run is meant only where that one is not.
      expect(said.notes, words.join(' ')).not.toContain('turn-1')
    }
    expect(await mandate('logs', 'order-17b')).toMatchObject({ code: 0 })
    expect(JSON.parse((await mandate('logs', 'order-17b.t', '--json')).out)).toMatchObject([
      { run: 'order-17b.turn-1' },
    ])
  })

  it('but not by less than four characters of its own, by other letters, or by the id of its request', async () => {
    await storeRuns(['run_1m7r8kq2v', 'Case-1'])
    expect(await mandate('logs', 'run_1m7')).toMatchObject({ code: 2, notes: expect.stringContaining('too short') })
    expect(await mandate('logs', 'Cas')).toMatchObject({ code: 2, notes: expect.stringContaining('too short') })
    expect((await mandate('logs', 'run_1m7r')).code).toBe(0)
    expect(await mandate('logs', 'case')).toMatchObject({ code: 2, notes: expect.stringContaining('no run "case"') })
    expect(await mandate('logs', 'run%m7r8')).toMatchObject({ code: 2, notes: expect.stringContaining('no run') })
    expect(await mandate('show', 'Case-1-ap3')).toMatchObject({ code: 2, notes: expect.stringContaining('"Case-1"') })
  })

  it('and a request never without its number, which could be another one by then', { timeout: 60_000 }, async () => {
    const run = await waiting()
    const said = await mandate('approve', run)
    expect(said).toMatchObject({ code: 2, notes: expect.stringContaining(`${run}-ap4`) })
    expect((await mandate('show', run)).out).toContain('suspended')
  })
})
