import { describe, expect, test } from 'vitest'
import type { Json } from '../../core/index.ts'
import { entriesOfType, memoryJournal, readAll } from '../../journal/index.ts'
import type { Journal } from '../../journal/index.ts'
import { scripted } from '../../model/index.ts'
import { Kernel } from '../../run/index.ts'
import type { KernelOptions, RunOutcome } from '../../run/index.ts'
import { inMemoryDatabase } from '../../memory/index.ts'
import { defineTool } from '../../tool/index.ts'
import { defineAtom } from '../atoms/define-atom.ts'
import { memoryStore } from '../atoms/host/memory-store.ts'
import { program } from '../builder/program.ts'
import { s } from '../builder/schema.ts'
import { registerProgram, runProgram } from './run-program.ts'

/** What was really done, by whom it was done. */
interface World {
  readonly done: string[]
  readonly kernel: Kernel
}

function world(options: KernelOptions = {}, done: string[] = []): World {
  const kernel = new Kernel(options)
  const tool = (name: string, facts: object): void =>
    kernel.registry.registerTool(
      defineTool({
        name,
        inputSchema: { type: 'object' },
        ...facts,
        run: (input: Json) => {
          const text = String((input as { text?: string }).text)
          done.push(`${name} ${text}`)
          return `${text}!`
        },
      }),
    )
  tool('act', { risk: 'write' })
  tool('deploy', { risk: 'write', needsApproval: true })
  return { kernel, done }
}

const outputOf = (outcome: RunOutcome): unknown =>
  outcome.state === 'completed' ? (outcome.output as { result: Json }).result : outcome

const say = defineAtom('say', s.object({ text: s.string }), s.string, ({ text }, ctx) => {
  ;(ctx.context['said'] as { push(text: string): void }).push(text)
  return `said ${text}`
})

/** A list that lives through the freezing of the context. */
class Said {
  readonly all: string[] = []
  push(text: string): void {
    this.all.push(text)
  }
}

const literal = (value: Json): { $expr: 'literal'; value: Json } => ({ $expr: 'literal', value })

describe('a program under the kernel', () => {
  test('an atom that touches the world is an effect, recorded before and after', async () => {
    const { kernel } = world()
    const said = new Said()
    const chain = program
      .custom({ say })
      .say({ text: 'hello' })
      .as('x')
      .return({ value: program.val('x') })
    const outcome = await runProgram(kernel, chain, {}, { runId: 'r', atoms: { say }, context: { said } })
    expect([outputOf(outcome), said.all]).toEqual(['said hello', ['hello']])
    const types = (await readAll(kernel.journal, 'r')).map(({ type, key }) => `${type} ${key ?? ''}`.trim())
    expect(types).toEqual(['run-start', 'effect-start say', 'effect-end say', 'run-end'])
    expect(await kernel.replay('r')).toMatchObject({ identical: true, effects: 1 })
    expect(said.all).toEqual(['hello'])
  })

  test('the gate can refuse an atom, and the program may take it', async () => {
    const { kernel } = world({ mandate: { deny: ['httpFetch'] } })
    let fetched = 0
    const chain = program
      .try({
        try: (b) => b.httpFetch({ url: 'https://example.com' }),
        catch: (b) => b.varSet({ key: 'why', value: 'refused' }),
      })
      .return({ value: program.val('why') })
    const outcome = await runProgram(kernel, chain, {}, { capabilities: { fetch: async () => ++fetched } })
    expect([outputOf(outcome), fetched]).toEqual(['refused', 0])
  })

  test('what was pinned holds: program, limits, build and cost table', async () => {
    const { kernel } = world()
    await runProgram(kernel, program.return({ value: 1 }), {}, { runId: 'r', fuel: 7 })
    const [start] = entriesOfType(await readAll(kernel.journal, 'r'), 'run-start')
    expect(start!.data.pins).toMatchObject({
      mind: {
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        vm: expect.any(String),
        costs: expect.any(String),
        limits: { fuel: 7 },
        program: { op: 'seq' },
      },
    })
  })

  test('one that fails leaves its error, its fuel and what it printed', async () => {
    const { kernel } = world()
    const outcome = await runProgram(
      kernel,
      program.consoleWarn({ message: 'careful' }).consoleError({ message: 'no' }),
    )
    expect(outcome).toMatchObject({
      state: 'failed',
      error: { message: expect.stringContaining('no') },
      output: { fuelUsed: expect.any(Number), warnings: ['careful'] },
    })
  })

  test('another program cannot take its name, the same one can be registered again', async () => {
    const { kernel } = world()
    await registerProgram(kernel, program.return({ value: 1 }), { name: 'one' })
    await registerProgram(kernel, program.return({ value: 1 }), { name: 'one' })
    await expect(registerProgram(kernel, program.return({ value: 2 }), { name: 'one' })).rejects.toMatchObject({
      code: 'DUPLICATE',
    })
  })

  test('what takes long to compute replays as it was', async () => {
    const { kernel } = world()
    const chain = program
      .varSet({ key: 'i', value: 0 })
      .while('i < 20000', { i: 'i' }, (b) =>
        b.varSet({ key: 'i', value: { $expr: 'binary', op: '+', left: b.val('i'), right: 1 } }),
      )
      .return({ value: program.val('i') })
    expect(outputOf(await runProgram(kernel, chain, {}, { runId: 'r', fuel: 1e6 }))).toBe(20_000)
    expect(await kernel.replay('r')).toMatchObject({ identical: true, complete: true })
  })

  test('an atom that only computes is recorded, not judged, and not done again', async () => {
    const { kernel } = world({ mandate: { allow: [] } })
    let times = 0
    const slow = defineAtom('slow', s.object({}), s.number, async () => ++times, { effects: 'pure' })
    const chain = program
      .custom({ slow })
      .slow({})
      .as('n')
      .return({ value: program.val('n') })
    expect(outputOf(await runProgram(kernel, chain, {}, { runId: 'r', atoms: { slow } }))).toBe(1)
    expect(await kernel.replay('r')).toMatchObject({ identical: true })
    expect(times).toBe(1)
  })

  test('a cache is an effect on the store, and what it gave is not asked for again', async () => {
    const { kernel } = world()
    const store = memoryStore()
    const chain = program
      .cache((b) => b.random({ format: 'base36' }).as('result'), 'k')
      .as('x')
      .return({ value: program.val('x') })
    const first = outputOf(await runProgram(kernel, chain, {}, { runId: 'a', capabilities: { store } }))
    expect(outputOf(await runProgram(kernel, chain, {}, { runId: 'b', capabilities: { store } }))).toBe(first)
    const keys = async (run: string): Promise<unknown[]> =>
      (await readAll(kernel.journal, run)).filter(({ type }) => type === 'effect-start').map(({ key }) => key)
    expect([await keys('a'), await keys('b')]).toEqual([['storeGet', 'storeSet'], ['storeGet']])
    expect([await kernel.replay('a'), await kernel.replay('b')]).toMatchObject([
      { identical: true },
      { identical: true },
    ])
  })

  test('computing is cut with its run', async () => {
    const { kernel } = world()
    const endless = program.while('true', {}, (b) => b.varSet({ key: 'i', value: 1 }))
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 30)
    expect(await runProgram(kernel, endless, {}, { fuel: 1e9, signal: controller.signal })).toMatchObject({
      state: 'cancelled',
    })
  })

  test('computing ends when its run is put away', async () => {
    const { kernel } = world()
    let counted = 0
    const begun = Promise.withResolvers<void>()
    const once = (): number => {
      begun.resolve()
      return ++counted
    }
    const count = defineAtom('count', s.object({}), s.number, once, { effects: 'pure' })
    const endless = { op: 'seq', steps: [{ op: 'while', condition: literal(true), body: [{ op: 'count' }] }] }
    const running = runProgram(kernel, endless, {}, { runId: 'r', fuel: 1e12, atoms: { count } })
    await begun.promise
    await kernel.interrupt('r')
    expect(await running).toMatchObject({ state: 'suspended', reason: 'interrupt' })
    const before = counted
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(counted).toBe(before)
  })

  test('a model and a database of the host answer where no capability was given', async () => {
    const { kernel } = world()
    kernel.registry.registerModel('small', scripted(['four']))
    kernel.registry.database = inMemoryDatabase()
    const chain = program
      .llmPredict({ prompt: 'two and two?' })
      .as('answer')
      .storeSet({ key: 'answer', value: program.val('answer') })
      .storeGet({ key: 'answer' })
      .as('kept')
      .return({ value: program.val('kept') })
    const outcome = await runProgram(kernel, chain, {}, { runId: 'r', model: 'small' })
    expect(outputOf(outcome)).toBe('four')
    const kinds = entriesOfType(await readAll(kernel.journal, 'r'), 'effect-start').map(({ data }) => data.kind)
    expect(kinds).toEqual(['model', 'database', 'database'])
  })

  test('a database of the host finds the nearest, through the gate', async () => {
    const { kernel } = world()
    const database = inMemoryDatabase()
    kernel.registry.database = database
    await database.write('notes', 'near', 'near', { vector: [1, 0.1] })
    await database.write('notes', 'far', 'far', { vector: [0, 1] })
    const chain = program
      .storeVectorSearch({ collection: 'notes', vector: [1, 0], k: 1 })
      .as('found')
      .return({ value: program.val('found') })
    const outcome = await runProgram(kernel, chain, {}, { runId: 'r' })
    expect(outputOf(outcome)).toMatchObject([{ key: 'near', value: 'near' }])
    expect((await kernel.replay('r')).identical).toBe(true)
  })
})

const looping = program
  .take(s.object({ items: s.array(s.string) }))
  .varsImport(['items'])
  .map('items', 'item', (b) =>
    b
      .step({ op: 'act', text: b.val('item') })
      .as('acted')
      .step({ op: 'deploy', text: b.val('item') })
      .as('result'),
  )
  .as('all')
  .return({ value: program.val('all') })

/** Tools as atoms, so that JSON programs can name them. */
const asAtoms = (done: string[]): { act: ReturnType<typeof defineAtom>; deploy: ReturnType<typeof defineAtom> } => {
  const make = (op: string): never =>
    defineAtom(op, s.object({ text: s.string }), s.string, ({ text }) => {
      done.push(`${op} ${text}`)
      return `${text}!`
    }) as never
  return { act: make('act'), deploy: make('deploy') }
}

const ASKING = { rules: [{ id: 'ask', when: { tool: 'deploy' }, then: 'ask' as const }] }

/** Answers whatever waits, then resumes, until the run is over. Each time with a new kernel, as another process would. */
async function driveOn(
  journal: Journal,
  done: string[],
  first: RunOutcome,
): Promise<{ outcome: RunOutcome; suspensions: number }> {
  let outcome = first
  let suspensions = 0
  while (outcome.state === 'suspended') {
    suspensions += 1
    const { kernel } = world({ journal, mandate: ASKING }, done)
    await registerProgram(kernel, looping, { name: 'loop', atoms: asAtoms(done) })
    for (const { id } of await kernel.approvals()) await kernel.respond(id, { answer: 'approve' })
    outcome = await kernel.resume(outcome.run)
    await kernel.stop()
  }
  return { outcome, suspensions }
}

describe('suspension', () => {
  test('an approval inside a loop suspends the run each time, and other kernels go on without repeating anything', async () => {
    const journal = memoryJournal()
    const done: string[] = []
    const { kernel } = world({ journal, mandate: ASKING }, done)
    const first = await runProgram(
      kernel,
      looping,
      { items: ['a', 'b', 'c'] },
      { name: 'loop', runId: 'r', atoms: asAtoms(done) },
    )
    await kernel.stop()
    expect(first).toMatchObject({ state: 'suspended', reason: 'approval' })
    const { outcome, suspensions } = await driveOn(journal, done, first)
    expect(outputOf(outcome)).toEqual(['a!', 'b!', 'c!'])
    expect(suspensions).toBe(3)
    expect(done).toEqual(['act a', 'deploy a', 'act b', 'deploy b', 'act c', 'deploy c'])
    const last = world({ journal, mandate: ASKING }, done).kernel
    await registerProgram(last, looping, { name: 'loop', atoms: asAtoms(done) })
    expect(await last.replay('r')).toMatchObject({ identical: true })
    expect(await last.verify('r')).toMatchObject({ ok: true })
    expect(done).toHaveLength(6)
  })

  test('a fork of it with another argument runs its own way', async () => {
    const { kernel, done } = world()
    const chain = program
      .take(s.object({ text: s.string }))
      .step({ op: 'act', text: program.args('text') })
      .as('x')
      .return({ value: program.val('x') })
    const atoms = asAtoms(done)
    await runProgram(kernel, chain, { text: 'one' }, { name: 'p', runId: 'r', atoms })
    const fork = await kernel.fork('r', { edit: { input: { text: 'two' } } })
    expect([outputOf(await kernel.resume(fork)), done]).toEqual(['two!', ['act one', 'act two']])
    const other = await kernel.fork('r', { edit: { key: 'act', value: 'edited' } })
    expect([outputOf(await kernel.resume(other)), done]).toEqual(['edited', ['act one', 'act two']])
  })
})

describe('a crash', () => {
  test('at any entry loses nothing and repeats nothing that may not be repeated', async () => {
    const chain = program
      .take(s.object({}))
      .step({ op: 'act', text: 'one' })
      .memoize((b) => b.step({ op: 'act', text: 'two' }).as('result'), 'k')
      .as('two')
      .random({ format: 'integer', max: 1000 })
      .as('chance')
      .agentRun({
        agentId: literal(
          program
            .step({ op: 'act', text: 'inside' })
            .as('x')
            .return({ value: program.val('x') })
            .toJSON(),
        ),
        input: {},
      })
      .as('inside')
      .return({ value: { two: program.val('two'), inside: program.val('inside'), chance: program.val('chance') } })
    const doneWhole: string[] = []
    const whole = world({}, doneWhole)
    const options = (done: string[]): object => ({ name: 'p', atoms: asAtoms(done) })
    const expected = outputOf(
      await runProgram(whole.kernel, chain, {}, { runId: 'r', seed: 'fixed', ...options(doneWhole) }),
    )
    expect(doneWhole).toEqual(['act one', 'act two', 'act inside'])
    const entries = await readAll(whole.kernel.journal, 'r')
    for (let count = 1; count < entries.length; count++) {
      const journal = memoryJournal()
      const lease = await journal.acquire({ run: 'r', owner: 'gone', ttlMs: 0, now: 0 })
      await journal.append(lease, 0, entries.slice(0, count))
      await journal.release(lease)
      const done: string[] = []
      const { kernel } = world({ journal }, done)
      await registerProgram(kernel, chain, options(done))
      let outcome = await kernel.resume('r')
      // A start without its end: nobody knows whether it happened, so a person says.
      for (const { id } of await kernel.approvals())
        await kernel.respond(id, {
          answer: 'happened',
          value: `${entries[count - 1]!.key?.includes('inside') ? 'inside' : 'two'}!`,
        })
      if (outcome.state === 'suspended') outcome = await kernel.resume('r')
      expect(outputOf(outcome), `cut after ${count}`).toEqual(expected)
      const ended = entries.slice(0, count).filter(({ type }) => type === 'effect-start').length
      expect(done, `cut after ${count}`).toEqual(doneWhole.slice(ended))
      await kernel.stop()
    }
  })
})

describe('children', () => {
  const child = program
    .take(s.object({ n: s.integer }))
    .varSet({ key: 'i', value: 0 })
    .while('i < n', { i: 'i', n: 'args.n' }, (b) =>
      b.varSet({ key: 'i', value: { $expr: 'binary', op: '+', left: b.val('i'), right: 1 } }),
    )
    .return({ value: program.val('i') })
  const parent = (fuel?: number): object =>
    program
      .agentRun({ agentId: 'child', input: { n: 20 }, ...(fuel === undefined ? {} : { fuel }) })
      .as('x')
      .return({ value: program.val('x') })

  test('share the fuel of their parent, which pays for them', async () => {
    const { kernel } = world()
    await registerProgram(kernel, child, { name: 'child' })
    const outcome = await runProgram(kernel, parent(), {}, { fuel: 50, runId: 'r' })
    expect(outputOf(outcome)).toBe(20)
    const alone = await runProgram(kernel, child, { n: 20 }, { name: 'child' })
    const [all, one] = [outcome, alone].map(
      (each) => (each as unknown as { output: { fuelUsed: number } }).output.fuelUsed,
    )
    expect(all!).toBeGreaterThan(one!)
    expect(await runProgram(kernel, parent(), {}, { fuel: one! / 2 })).toMatchObject({
      state: 'failed',
      error: { message: expect.stringContaining('fuel') },
    })
  })

  test('or have a part of it', async () => {
    const { kernel } = world()
    await registerProgram(kernel, child, { name: 'child' })
    expect(outputOf(await runProgram(kernel, parent(40), {}, { fuel: 1000 }))).toBe(20)
    expect(await runProgram(kernel, parent(1), {}, { fuel: 1000 })).toMatchObject({ state: 'failed' })
  })
})
