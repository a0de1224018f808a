import { describe, expect, test } from 'vitest'
import { manualClock } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { entriesOfType, readAll } from '../../journal/index.ts'
import { Kernel } from '../../run/index.ts'
import type { KernelOptions, RunOutcome } from '../../run/index.ts'
import { defineTool, sleep } from '../../tool/index.ts'
import { AgentVM } from '../agent-vm.ts'
import { defineAtom } from '../atoms/define-atom.ts'
import { program } from '../builder/program.ts'
import { s } from '../builder/schema.ts'
import { Eval, script } from '../script/index.ts'
import { registerProgram, runProgram } from './run-program.ts'

const HOUR = 3_600_000
const START = Date.parse('2027-01-01T00:00:00Z')

const outputOf = (outcome: RunOutcome): unknown =>
  outcome.state === 'completed' ? (outcome.output as { result: Json }).result : outcome

/** A kernel with a tool that counts how often it was really called. */
function world(options: KernelOptions, done: string[] = []): Kernel {
  const kernel = new Kernel(options)
  kernel.registry.registerTool(
    defineTool({
      name: 'act',
      inputSchema: { type: 'object' },
      risk: 'write',
      run: (input: Json) => {
        done.push((input as { text: string }).text)
        return done.length
      },
    }),
  )
  return kernel
}

const SCRIPT = script(`
  const begun = Date.now()
  await tools.act({ text: 'before' })
  await sleep(${HOUR})
  await tools.act({ text: 'after' })
  await waitUntil(new Date('2027-01-01T03:00:00Z'))
  return Date.now() - begun
`)

const CHAIN = program
  .toolCall({ name: 'act', input: { text: 'before' } })
  .sleep({ ms: HOUR })
  .toolCall({ name: 'act', input: { text: 'after' } })
  .waitUntil({ time: '2027-01-01T03:00:00Z' })
  .return({ value: 'done' })

describe('sleep and waitUntil', () => {
  test.each([
    ['a script', SCRIPT, 3 * HOUR],
    ['a JSON program', CHAIN, 'done'],
  ])('of %s suspend the run, which goes on in another process and repeats nothing', async (_, source, result) => {
    const clock = manualClock(START)
    const done: string[] = []
    const first = world({ clock }, done)
    const { journal } = first
    const begun = await runProgram(first, source, {}, { name: 'p', runId: 'r' })
    expect(begun).toMatchObject({ state: 'suspended', reason: 'timer', wakeAt: START + HOUR })
    await first.stop()
    const restart = async (): Promise<Kernel> => {
      const kernel = world({ clock, journal }, done)
      await registerProgram(kernel, source, { name: 'p' })
      return kernel
    }
    const early = await restart()
    clock.advance(HOUR / 2)
    expect(await early.resume('r')).toMatchObject({ state: 'suspended', wakeAt: START + HOUR })
    expect(done).toEqual(['before'])
    await early.stop()
    clock.advance(HOUR / 2)
    const second = await restart()
    expect(await second.resume('r')).toMatchObject({ state: 'suspended', wakeAt: START + 3 * HOUR })
    await second.stop()
    clock.advance(2 * HOUR)
    const third = await restart()
    expect(outputOf(await third.resume('r'))).toBe(result)
    expect(done).toEqual(['before', 'after'])
    const starts = entriesOfType(await readAll(journal, 'r'), 'effect-start').map(({ data }) => [data.kind, data.name])
    expect(starts.filter(([kind]) => kind === 'sleep')).toEqual([
      ['sleep', 'sleep'],
      ['sleep', 'waitUntil'],
    ])
    expect(await third.replay('r')).toMatchObject({ identical: true })
    expect(await third.verify('r')).toMatchObject({ ok: true })
    await third.stop()
  })

  test('a short one is waited for in memory, and a moment that is over is no wait', async () => {
    const clock = manualClock(START)
    const kernel = world({ clock })
    const outcome = runProgram(kernel, script(`await waitUntil(0); await sleep(1.5); return Date.now() - ${START}`), {})
    for (let tick = 0; tick < 20; tick++) {
      await new Promise((resolve) => setImmediate(resolve))
      clock.advance(1)
    }
    expect(outputOf(await outcome)).toBeGreaterThanOrEqual(2)
  })

  test('that stay in memory count against the time of the budget, and the gate can refuse them', async () => {
    const source = script('try { await sleep(1) } catch (error) { return error.code } return "slept"')
    const denied = world({ mandate: { deny: ['sleep'] } })
    expect(outputOf(await runProgram(denied, source))).toBe('DENIED')
    const short = await runProgram(world({}), script('await sleep(20_000)'), {}, { budget: { timeMs: 30 } })
    expect(short).toMatchObject({
      state: 'failed',
      error: { code: 'LIMIT_EXCEEDED', message: expect.stringContaining('timeMs') },
    })
  })

  test.each([
    ['sleep(-1)', 'number of milliseconds'],
    ['sleep("soon")', 'number of milliseconds'],
    ['sleep()', 'number of milliseconds'],
    ['sleep(1e15)', 'ten years'],
    ['waitUntil("tomorrow")', 'give a date'],
    ['waitUntil({})', 'give a date'],
    ['waitUntil("9999-01-01T00:00:00Z")', 'ten years'],
  ])('%s is refused with the fix', async (call, message) => {
    const source = script(`try { await ${call} } catch (error) { return error.code + ' ' + error.message }`)
    const told = outputOf(await runProgram(world({}), source))
    expect(told).toContain('INPUT_INVALID')
    expect(told).toContain(message)
  })

  test('beside a ready tool of the same name, which scripts call as a tool', async () => {
    const kernel = world({})
    const source = script('await tools.sleep({ seconds: 0.001 }); await sleep(1); return 1')
    expect(outputOf(await runProgram(kernel, source, {}, { tools: [sleep()], runId: 'r' }))).toBe(1)
    expect(await kernel.replay('r')).toMatchObject({ identical: true })
  })

  test('are names that a script may declare itself', async () => {
    expect(outputOf(await runProgram(world({}), script('const sleep = (n) => n + 1; return sleep(1)')))).toBe(2)
  })

  test('give way to an atom of the host with that name', async () => {
    const own = defineAtom('sleep', s.object({ ms: s.number }), s.number, ({ ms }) => ms * 2)
    const chain = program
      .sleep({ ms: 4 })
      .as('x')
      .return({ value: program.val('x') })
    expect(outputOf(await runProgram(world({}), chain, {}, { atoms: { sleep: own } }))).toBe(8)
  })

  test('without a kernel wait in memory, within the time of the machine', async () => {
    const vm = new AgentVM()
    for (const source of [script('await sleep(1); return 1'), program.sleep({ ms: 1 }).return({ value: 1 })])
      expect(await vm.run(source)).toMatchObject({ result: 1 })
    const { error } = await vm.run(script('await sleep(20_000)'), {}, { limits: { wallMs: 20 } })
    expect(error).toMatchObject({ code: 'TIMEOUT' })
  })
})

describe('timers of scripts', () => {
  const WAIT = `
    await tools.act({ text: 'before' })
    await new Promise((done) => setTimeout(done, ${HOUR}))
    await tools.act({ text: 'after' })
    return 'done'
  `

  test('suspend the run as `sleep` does, and repeat nothing', async () => {
    const clock = manualClock(START)
    const done: string[] = []
    const first = world({ clock }, done)
    const { journal } = first
    const source = script(WAIT)
    const begun = await runProgram(first, source, {}, { name: 'p', runId: 'r' })
    expect(begun).toMatchObject({ state: 'suspended', reason: 'timer', wakeAt: START + HOUR })
    await first.stop()
    clock.advance(HOUR)
    const second = world({ clock, journal }, done)
    await registerProgram(second, source, { name: 'p' })
    expect(outputOf(await second.resume('r'))).toBe('done')
    expect(done).toEqual(['before', 'after'])
    expect(await second.replay('r')).toMatchObject({ identical: true })
    expect(await second.verify('r')).toMatchObject({ ok: true })
    await second.stop()
  })

  test('that are not waited for do not hold the run', async () => {
    const kernel = world({})
    const source = script(`
      const late = new Promise((_, reject) => setTimeout(() => reject(new Error('late')), ${HOUR}))
      return await Promise.race([tools.act({ text: 'quick' }), late])
    `)
    expect(outputOf(await runProgram(kernel, source, {}, { runId: 'r' }))).toBe(1)
    expect(await kernel.replay('r')).toMatchObject({ identical: true })
    await kernel.stop()
  })

  test('tick, are cleared, and run in the order of their times', async () => {
    const kernel = world({})
    const source = script(`
      const log = []
      const gone = setTimeout(() => log.push('gone'), 1)
      clearTimeout(gone)
      await new Promise((done) => {
        setTimeout((...given) => log.push(given.join('')), 250, 'b', 'c')
        const tick = setInterval(() => { log.push('a'); if (log.length === 2) clearInterval(tick) }, 1)
        setTimeout(done, 300)
      })
      return log.join('')
    `)
    expect(outputOf(await runProgram(kernel, source, {}, { runId: 'r' }))).toBe('aabc')
    expect(await kernel.replay('r')).toMatchObject({ identical: true })
    await kernel.stop()
  })

  test('that the gate refuses end the program: no callback could tell it', async () => {
    const source = script('try { await new Promise((done) => setTimeout(done, 1)) } catch { return "caught" }')
    const outcome = await runProgram(world({ mandate: { deny: ['sleep'] } }), source)
    expect(outcome).toMatchObject({ state: 'failed', error: { code: 'DENIED' } })
  })

  test('whose callback throws end the program with what it threw', async () => {
    const { error } = await Eval('setTimeout(() => { throw new RangeError("boom") }, 1); await new Promise(() => {})')
    expect(error).toMatchObject({ name: 'RangeError', message: 'boom' })
  })

  test('begin at once, however many calls are in flight', async () => {
    const tools = { hang: () => new Promise(() => {}) }
    const source = `for (let i = 0; i < 20; i++) tools.hang({}); await new Promise((done) => setTimeout(done, 5)); return 'on time'`
    expect(await Eval(source, { tools, limits: { parallelCalls: 2 } })).toMatchObject({ result: 'on time' })
  })
})
