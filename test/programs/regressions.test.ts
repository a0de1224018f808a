import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { Agent } from '../../src/compat/public.ts'
import { AgentVM, defineAtom, memoryStore, s } from '../../src/vm/index.ts'
import type { Capabilities } from '../../src/vm/index.ts'
import type { VmRunOptions } from '../../src/vm/atoms/run-options.ts'

/** What broke in the machine that programs come from, case by case; the order is that of the list in which it was found. */

const literal = (value: unknown): object => ({ $expr: 'literal', value })
const ident = (name: string): object => ({ $expr: 'ident', name })
const seq = (...steps: object[]): object => ({ mandate: 1, op: 'seq', steps })
const set = (key: string, value: unknown): object => ({ op: 'varSet', key, value })
const give = (value: unknown): object => ({ op: 'return', value })
const plus = (left: unknown, right: unknown): object => ({ $expr: 'binary', op: '+', left, right })
const vm = new AgentVM()
const run = (program: object | string, args: object = {}, options: VmRunOptions = {}): ReturnType<AgentVM['run']> =>
  vm.run(program, args, options)

async function resultOf(program: object | string, args: object = {}, options: VmRunOptions = {}): Promise<unknown> {
  const { result, error } = await run(program, args, options)
  return error === undefined ? result : { error: error.code }
}

describe('names of prototypes reach nothing', () => {
  const NAMES = ['constructor', '__proto__', 'toString', 'hasOwnProperty', '__defineGetter__', 'valueOf']

  test.each(NAMES)('as an identifier: %s', async (name) => {
    const { result } = await run(seq(give({ found: ident(name) })))
    expect(result === null || result === undefined || (result as { found?: unknown }).found === undefined).toBe(true)
  })

  test.each(NAMES)('as an argument: %s', async (name) => {
    const { result } = await run(seq(give({ found: { $kind: 'arg', path: name } })))
    expect((result as { found?: unknown } | null)?.found).toBeUndefined()
  })

  test.each(NAMES)('as something to call: %s', async (name) => {
    const { error } = await run(seq(give({ $expr: 'call', callee: ident(name), arguments: [] })))
    expect(error).toBeDefined()
  })

  test.each(NAMES)('as a member or a method: %s', async (name) => {
    for (const object of [literal('text'), literal([1]), literal({}), literal(5)]) {
      const { result } = await run(seq(give({ found: { $expr: 'member', object, property: name } })))
      expect(typeof (result as { found?: unknown } | null)?.found).not.toBe('function')
    }
  })

  test('as a key of an object', async () => {
    const made = {
      $expr: 'object',
      properties: [
        { key: '__proto__', value: { $expr: 'object', properties: [{ key: 'polluted', value: literal(1) }] } },
      ],
    }
    const { result, error } = await run(
      seq(set('o', made), give({ read: { $expr: 'member', object: ident('o'), property: 'polluted' } })),
    )
    expect(error?.code ?? (result as { read?: unknown }).read).not.toBe(1)
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  test("names of the machine's own places cannot be used", async () => {
    for (const step of [
      set('%1', 1),
      { op: 'filter', items: ' ', as: '%1', condition: ' ' },
      { op: 'varsLet', '%2': 1 },
      { op: 'len', list: [], result: '%3' },
    ])
      expect(await run(seq(step))).toMatchObject({ error: { code: 'INPUT_INVALID' } })
    expect((await run(seq(give('%1')))).result).toBe('%1')
  })

  test('in the path of a builder', () => {
    expect(() => Agent.val('a.constructor')).toThrow('constructor')
    expect(() => Agent.args('__proto__.x')).toThrow('__proto__')
  })
})

describe('what goes in and out is plain data', () => {
  test('the input of another agent is an object of data, never a function', async () => {
    let seen: unknown = 'nothing'
    const capabilities: Capabilities = { agent: { run: async (_, input) => void (seen = input) } }
    const { error } = await run(seq({ op: 'agentRun', agentId: 'x', input: ident('parseInt') }), {}, { capabilities })
    expect([error !== undefined, seen]).toEqual([true, 'nothing'])
  })

  test('functions, getters and instances that a host gives do not reach a program', async () => {
    const odd = defineAtom('odd', s.object({}), s.any, async () => ({ call: () => 1 }))
    const { error } = await new AgentVM({ odd }).run(seq({ op: 'odd', result: 'x' }, give(ident('x'))))
    expect(error).toBeDefined()
  })

  test('arguments that are not data are refused', async () => {
    expect(await run(seq(give(1)), { f: () => 1 })).toMatchObject({ error: { code: 'INPUT_INVALID' } })
    expect(await run(seq(give(1)), [] as object)).toMatchObject({ error: { code: 'INPUT_INVALID' } })
  })

  test('what one run does to a built-in, the next does not see', async () => {
    await run('Math.max = () => 42; return 1').catch(() => {})
    expect(
      await resultOf(
        seq(give({ $expr: 'methodCall', object: ident('Math'), method: 'max', arguments: [literal(1), literal(2)] })),
      ),
    ).toBe(2)
  })

  test("the caller's arguments and program are as they were", async () => {
    const args = { list: [1] }
    const program = seq(
      set('l', literal([1])),
      { op: 'push', list: ident('l'), item: 2 },
      { op: 'push', list: { $kind: 'arg', path: 'list' }, item: 3 },
      give(ident('l')),
    )
    const before = JSON.stringify([args, program])
    expect([await resultOf(program, args), await resultOf(program, args)]).toEqual([
      [1, 2],
      [1, 2],
    ])
    expect(JSON.stringify([args, program])).toBe(before)
  })

  test("the caller's capabilities are as they were, and two runs share only what is in them", async () => {
    const capabilities = Object.freeze({ store: memoryStore() })
    await run(seq({ op: 'storeSet', key: 'a', value: 1 }), {}, { capabilities })
    expect(Object.keys(capabilities)).toEqual(['store'])
    expect(await resultOf(seq({ op: 'storeGet', key: 'a', result: 'a' }, give(ident('a'))), {}, {})).toEqual({
      error: 'CONFIG_INVALID',
    })
  })
})

describe('limits are limits', () => {
  const search = (k: unknown): object =>
    seq({ op: 'storeVectorSearch', collection: 'c', vector: [1], k, result: 'r' }, give(1))
  const capabilities = { store: { vectorSearch: async () => [] } }

  test.each([-1, -1e6, 0, 1.5, 1e9, null, 'NaN'])(
    'a search for %s neighbours is refused and gives no fuel back',
    async (k) => {
      const { error, fuelUsed } = await run(search(k), {}, { capabilities })
      expect(error).toMatchObject({ code: 'INPUT_INVALID', op: 'storeVectorSearch' })
      expect(fuelUsed).toBeGreaterThanOrEqual(0)
    },
  )

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])(
    '%s is no cost, no fuel, no time and no quota',
    async (amount) => {
      const program = seq({ op: 'storeGet', key: 'a' })
      for (const options of [
        { fuel: amount },
        { timeoutMs: amount },
        { costOverrides: { storeGet: amount } },
        { quotas: { storeGet: amount } },
        { timeoutOverrides: { storeGet: amount } },
        { trace: amount },
      ])
        await expect(run(program, {}, options)).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
      expect(() => defineAtom('x', s.object({}), s.any, () => 1, { cost: amount })).toThrow('cost')
      const { error } = await run(
        program,
        {},
        { capabilities: { store: memoryStore() }, costOverrides: { storeGet: () => amount } },
      )
      expect(error?.code).toBe('CONFIG_INVALID')
    },
  )

  test('a limit that is not known, or none, is refused; one that is given holds', async () => {
    await expect(run(seq(), {}, { limits: { memory: 5 } as never })).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    await expect(run(seq(), {}, { limits: { memoryBytes: Number.NaN } })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    })
    expect((await run(seq(set('a', 1), set('b', 2)), {}, { limits: { programNodes: 3 } })).error?.message).toContain(
      'programNodes',
    )
    expect(
      (await run(seq(set('a', literal('x'.repeat(10_000)))), {}, { limits: { memoryBytes: 100 } })).error,
    ).toMatchObject({ code: 'LIMIT_EXCEEDED' })
  })

  const endless = seq({ op: 'while', condition: literal(true), body: [set('i', 1)] })

  test('a signal that has fired already stops a run before its first step', async () => {
    const { error, fuelUsed } = await run(endless, {}, { signal: AbortSignal.abort(), fuel: 1e9 })
    expect(error?.code).toBe('CANCELLED')
    expect(fuelUsed).toBeLessThan(1000)
  })

  test('computing can be cut, and lets the host go on meanwhile', async () => {
    const controller = new AbortController()
    let ticks = 0
    const ticking = setInterval(() => (ticks += 1), 5)
    setTimeout(() => controller.abort(), 100)
    const { error } = await run(endless, {}, { signal: controller.signal, fuel: 1e9, timeoutMs: 60_000 })
    clearInterval(ticking)
    expect(error?.code).toBe('CANCELLED')
    expect(ticks).toBeGreaterThan(3)
  })

  test('time ends what only computes', async () => {
    expect((await run(endless, {}, { fuel: 1e9, timeoutMs: 30 })).error).toMatchObject({
      message: expect.stringMatching(/time|wallMs/i),
    })
  })

  test('what would not fit is refused before it is allocated', async () => {
    const before = process.memoryUsage().rss
    const double = seq(set('t', 'x'.repeat(1024)), {
      op: 'while',
      condition: literal(true),
      body: [set('t', plus(ident('t'), ident('t')))],
    })
    expect((await run(double, {}, { fuel: 1e6 })).error?.code).toBe('LIMIT_EXCEEDED')
    const join = seq(
      set('l', literal(Array.from({ length: 1000 }, () => ''))),
      set('sep', literal('y'.repeat(1_000_000))),
      { op: 'join', list: ident('l'), sep: ident('sep') },
    )
    expect((await run(join, {}, { fuel: 1e6 })).error?.code).toBe('LIMIT_EXCEEDED')
    const template = seq(set('v', literal('z'.repeat(1_000_000))), {
      op: 'template',
      tmpl: '{{v}}'.repeat(1000),
      vars: { v: ident('v') },
    })
    expect((await run(template, {}, { fuel: 1e6 })).error?.code).toBe('LIMIT_EXCEEDED')
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 * 1024)
  })

  test('patterns take time that grows with the text and no faster', async () => {
    // One that backtracked would still be at it when the test's own time is up.
    for (const [pattern, value] of [
      ['(a|aa)+$', `${'a'.repeat(38)}b`],
      ['(a+)+$', `${'a'.repeat(5000)}b`],
      ['(.*)(.*)(.*)(.*)x', 'y'.repeat(500)],
    ]) {
      const { error } = await run(
        seq({ op: 'regexMatch', pattern, value, result: 'm' }, give(ident('m'))),
        {},
        { fuel: 1e5 },
      )
      expect(error === undefined || error.code === 'LIMIT_EXCEEDED').toBe(true)
    }
    for (const method of ['match', 'search'])
      await run(
        seq(
          give({ $expr: 'methodCall', object: literal('a'.repeat(25) + 'b'), method, arguments: [literal('(a+)+$')] }),
        ),
        {},
        { fuel: 1e5 },
      )
  })

  test('an expression 50,000 deep and blocks 20,000 deep are refused, not fatal', async () => {
    let deep: object = literal(1)
    for (let i = 0; i < 50_000; i++) deep = { $expr: 'unary', op: '-', argument: deep }
    expect((await run(seq(give(deep)))).error?.code).toMatch(/INPUT_INVALID|LIMIT_EXCEEDED/)
    let block: object = set('x', 1)
    for (let i = 0; i < 20_000; i++) block = { op: 'if', condition: literal(true), then: [block] }
    expect((await run(seq(block))).error?.code).toMatch(/INPUT_INVALID|LIMIT_EXCEEDED/)
  })

  test('a catch block cannot go on without fuel', async () => {
    const program = seq({ op: 'try', try: [endlessStep()], catch: [give('caught')] })
    expect((await run(program, {}, { fuel: 5 })).error?.code).toBe('LIMIT_EXCEEDED')
  })

  function endlessStep(): object {
    return { op: 'while', condition: literal(true), body: [set('i', 1)] }
  }

  test('the trace has an end', async () => {
    const program = seq({
      op: 'while',
      condition: {
        $expr: 'binary',
        op: '<',
        left: { $expr: 'logical', op: '??', left: ident('i'), right: literal(0) },
        right: literal(100),
      },
      body: [set('i', plus({ $expr: 'logical', op: '??', left: ident('i'), right: literal(0) }, literal(1)))],
    })
    const { trace, error } = await run(program, {}, { trace: 20 })
    expect(error).toBeUndefined()
    expect(trace!.length).toBeGreaterThan(0)
    expect(trace!.length).toBeLessThanOrEqual(20)
    expect((await run(program)).trace).toBeUndefined()
  })

  test('calls of an atom can be counted', async () => {
    const twice = seq({ op: 'storeGet', key: 'a' }, { op: 'storeGet', key: 'b' })
    const options = { capabilities: { store: memoryStore() } }
    expect((await run(twice, {}, { ...options, quotas: { storeGet: 2 } })).error).toBeUndefined()
    expect((await run(twice, {}, { ...options, quotas: { storeGet: 1 } })).error).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      op: 'storeGet',
    })
  })
})

describe('atoms', () => {
  test('the input of an atom is checked, in the core and in your own', async () => {
    expect(await resultOf(seq({ op: 'httpFetch', url: 5 }), {}, { capabilities: { fetch: async () => 1 } })).toEqual({
      error: 'INPUT_INVALID',
    })
    expect((await run(seq({ op: 'push', list: 'no list', item: 1 }))).error?.message).toContain('list')
    const own = defineAtom('own', s.object({ n: s.number.min(1) }), s.any, async ({ n }) => n)
    expect((await new AgentVM({ own }).run(seq({ op: 'own', n: 0 }))).error).toMatchObject({
      code: 'INPUT_INVALID',
      op: 'own',
    })
  })

  test('what an atom gives is checked', async () => {
    const lies = defineAtom('lies', s.object({}), s.number, (async () => 'text') as never)
    expect((await new AgentVM({ lies }).run(seq({ op: 'lies', result: 'x' }))).error?.code).toBe('OUTPUT_INVALID')
  })

  test('an atom that takes too long is told, and what it gives later is ignored', async () => {
    let told = false
    let ended = 0
    const slow = defineAtom(
      'slow',
      s.object({}),
      s.any,
      async (_, ctx) => {
        ctx.signal.addEventListener('abort', () => (told = true))
        await sleep(60)
        return ++ended
      },
      { timeoutMs: 10 },
    )
    const own = new AgentVM({ slow })
    const { result, error } = await own.run(
      seq({ op: 'try', try: [{ op: 'slow', result: 'x' }], catch: [set('x', 'cut')] }, give(ident('x'))),
    )
    expect([error, result, told]).toEqual([undefined, 'cut', true])
    await sleep(80)
    expect(ended).toBe(1)
  })

  test('blocks that remember, and programs inside programs, have no second of their own', async () => {
    const wait = defineAtom('wait', s.object({}), s.any, () => sleep(1_200).then(() => 1), { timeoutMs: 5_000 })
    const own = new AgentVM({ wait })
    const inner = seq({ op: 'wait', result: 'w' }, give(ident('w')))
    const { result, error } = await own.run(
      seq(
        {
          op: 'memoize',
          steps: [{ op: 'agentRun', agentId: literal(inner), input: {}, result: 'result' }],
          result: 'out',
        },
        give(ident('out')),
      ),
    )
    expect([error, result]).toEqual([undefined, 1])
  })

  test('nothing of a program happens after its run has ended', async () => {
    const writes: string[] = []
    const capabilities: Capabilities = {
      fetch: () => sleep(60),
      store: { set: async (key) => void writes.push(key) },
    }
    const program = seq({
      op: 'scope',
      steps: [
        { op: 'try', try: [{ op: 'httpFetch', url: 'x' }], catch: [{ op: 'storeSet', key: 'late', value: 1 }] },
        { op: 'storeSet', key: 'later', value: 1 },
      ],
    })
    const { error } = await run(program, {}, { capabilities, timeoutMs: 20 })
    expect(error).toBeDefined()
    await sleep(100)
    expect(writes).toEqual([])
  })
})

describe('remembering', () => {
  test('blocks without a key share nothing by accident', async () => {
    const block = (value: number, result: string): object => ({ op: 'memoize', steps: [set('result', value)], result })
    expect(await resultOf(seq(block(1, 'a'), block(2, 'b'), give([ident('a'), ident('b')])))).toEqual([1, 2])
    const reading = seq(
      set('x', 1),
      { op: 'memoize', steps: [set('result', ident('x'))], result: 'a' },
      set('x', 2),
      { op: 'memoize', steps: [set('result', ident('x'))], result: 'b' },
      give([ident('a'), ident('b')]),
    )
    expect(await resultOf(reading)).toEqual([1, 2])
  })

  test('the same block is done once', async () => {
    let calls = 0
    const count = defineAtom('count', s.object({}), s.number, async () => ++calls)
    const block = (result: string): object => ({
      op: 'memoize',
      key: { b: 1, a: 2 },
      steps: [{ op: 'count', result: 'result' }],
      result,
    })
    const { result } = await new AgentVM({ count }).run(seq(block('a'), block('b'), give([ident('a'), ident('b')])))
    expect([result, calls]).toEqual([[1, 1], 1])
  })

  test('a cache has a key of its own for each block, an end, and nothing of runs that failed', async () => {
    const keys: string[] = []
    const store = memoryStore()
    const capabilities: Capabilities = {
      store: {
        ...store,
        set: async (key, value) => {
          keys.push(key)
          await store.set(key, value)
        },
      },
    }
    const block = (value: unknown): object =>
      seq({ op: 'cache', steps: [set('result', value)], result: 'a' }, give(ident('a')))
    expect(await resultOf(block(1), {}, { capabilities })).toBe(1)
    expect(await resultOf(block(2), {}, { capabilities })).toBe(2)
    expect(await resultOf(block(2), {}, { capabilities })).toBe(2)
    expect(new Set(keys).size).toBe(2)
    expect(keys).toHaveLength(2)
    expect(keys.every((key) => /^cache:[0-9a-f]{64}$/.test(key))).toBe(true)
    await run(seq({ op: 'cache', steps: [{ op: 'Error', args: ['no'] }], result: 'a' }), {}, { capabilities })
    expect(keys).toHaveLength(2)
  })

  test('a stored procedure belongs to who stored it, and has bounds', async () => {
    const ast = seq(give({ n: { $kind: 'arg', path: 'n' } }))
    const keep = seq({ op: 'storeProcedure', ast: literal(ast), result: 't' }, give(ident('t')))
    const use = (token: unknown): object =>
      seq({ op: 'agentRun', agentId: token, input: { n: 5 }, result: 'r' }, give(ident('r')))
    const { result: token } = await run(keep, {}, { context: { userId: 'ada' } })
    expect(await resultOf(use(token), {}, { context: { userId: 'ada' } })).toEqual({ n: 5 })
    expect(await resultOf(use(token), {}, { context: { userId: 'eve' } })).toEqual({ error: 'NOT_FOUND' })
    expect(
      await resultOf(
        seq({ op: 'releaseProcedure', token, result: 'r' }, give(ident('r'))),
        {},
        { context: { userId: 'eve' } },
      ),
    ).toBe(false)
    expect(await run(String(token), { n: 7 }, { context: { userId: 'ada' } })).toMatchObject({ result: { n: 7 } })
    const large = seq(...Array.from({ length: 3000 }, () => set('x', 'y'.repeat(30))))
    expect(await resultOf(seq({ op: 'storeProcedure', ast: literal(large), maxSize: 1e9 }), {}, { fuel: 1e5 })).toEqual(
      { error: 'LIMIT_EXCEEDED' },
    )
  })
})

describe('meaning', () => {
  test('a bare text is a text, whatever variables there are', async () => {
    expect(
      await resultOf(seq(set('name', 1), give({ msg: 'name', url: 'www.x', odd: 'toString', also: 'args.name' }))),
    ).toEqual({ msg: 'name', url: 'www.x', odd: 'toString', also: 'args.name' })
  })

  test('a reference to an argument goes along its path', async () => {
    expect(await resultOf(seq(give({ $kind: 'arg', path: 'user.id' })), { user: { id: 7 } })).toBe(7)
  })

  test('a variable that is set inside a map is set, and a return inside it returns', async () => {
    const sum = seq(
      set('sum', 0),
      { op: 'map', items: [1, 2, 3], as: 'x', steps: [set('sum', plus(ident('sum'), ident('x')))] },
      give(ident('sum')),
    )
    expect(await resultOf(sum)).toBe(6)
    expect(
      await resultOf(
        seq(
          {
            op: 'map',
            items: [1, 2, 3],
            as: 'x',
            steps: [
              {
                op: 'if',
                condition: { $expr: 'binary', op: '==', left: ident('x'), right: literal(2) },
                then: [give('early')],
              },
            ],
          },
          give('late'),
        ),
      ),
    ).toBe('early')
    expect(
      await resultOf(
        seq(set('result', 'outer'), { op: 'map', items: [1, 2], as: 'x', steps: [], result: 'r' }, give(ident('r'))),
      ),
    ).toEqual([null, null])
  })

  test('an error inside a map or a loop ends the program', async () => {
    const fails = { op: 'Error', args: ['no'] }
    expect((await run(seq({ op: 'map', items: [1], as: 'x', steps: [fails] }, give(1)))).error?.message).toContain('no')
    expect(
      (await run(seq({ op: 'while', condition: literal(true), body: [fails] }, give(1)))).error?.message,
    ).toContain('no')
    expect((await run(seq({ op: 'scope', steps: [fails] }, give(1)))).error?.message).toContain('no')
  })

  test('a constant in the body of a loop is new each time', async () => {
    const program = seq(
      {
        op: 'map',
        items: [1, 2],
        as: 'x',
        steps: [{ op: 'constSet', key: 'c', value: ident('x') }, set('result', ident('c'))],
        result: 'r',
      },
      give(ident('r')),
    )
    expect(await resultOf(program)).toEqual([1, 2])
    expect((await run(seq({ op: 'constSet', key: 'c', value: 1 }, set('c', 2)))).error).toBeDefined()
  })

  test.each([
    ['let x = 1; x += 3; return x', 4],
    ['let i = 0; i++; ++i; return i', 2],
    ['const a = [1, 2]; const o = { x: 1 }; return [[...a, 3], { ...o, y: 2 }]', [[1, 2, 3], { x: 1, y: 2 }]],
    ['let s = 0; for (const x of [1, 2, 3]) { s += x } return s', 6],
    ['for (const x of [1, 2, 3]) { if (x === 2) return x } return 0', 2],
    ['const f = (a, b = 10) => a + b; return [f(1), f(1, 2)]', [11, 3]],
    ['const xs = [5, 6]; const i = 1; return xs[i]', 6],
    ['return `a${1 + 1}${`b${2}`}`', 'a2b2'],
  ])('the script %s', async (source, expected) => expect(await resultOf(source)).toEqual(expected))

  test('names in `vars` stand for what they say, and nothing else is seen', async () => {
    const chain = Agent.take(s.object({}))
      .varSet({ key: 'foo', value: { bar: 5 } })
      .if('n > 4', { n: 'foo.bar' }, (b) => b.varSet({ key: 'ok', value: true }))
    expect(await resultOf(chain.return(s.object({ ok: s.boolean })))).toEqual({ ok: true })
    expect(() => Agent.take(s.object({})).if('foo.bar > 4', {}, (b) => b)).toThrow('"foo"')
  })

  test('what is wrong with a program is found before its first step', async () => {
    const writes: unknown[] = []
    const capabilities = { store: { set: async (key: string) => void writes.push(key) } }
    const first = { op: 'storeSet', key: 'a', value: 1 }
    for (const wrong of [
      { op: 'noSuchAtom' },
      null,
      5,
      { op: 'if', condition: literal(true), then: 'x' },
      { key: 'no op' },
    ]) {
      const { error } = await run({ mandate: 1, op: 'seq', steps: [first, wrong] }, {}, { capabilities })
      expect(error).toMatchObject({ code: 'INPUT_INVALID' })
    }
    expect(writes).toEqual([])
    expect((await run({ op: 'varSet' })).error?.code).toBe('INPUT_INVALID')
  })

  test('arguments are checked against what the program takes', async () => {
    const chain = Agent.take(s.object({ n: s.integer })).return({ value: Agent.args('n') })
    expect(await resultOf(chain, { n: 3 })).toBe(3)
    for (const args of [{}, { n: '3' }, { n: 1.5 }, { n: 3, more: 1 }])
      expect(await resultOf(chain, args)).toEqual({ error: 'INPUT_INVALID' })
  })

  test('atoms cannot change the facts of a request', async () => {
    const grab = defineAtom('grab', s.object({}), s.any, async (_, ctx) => {
      ;(ctx.context['permissions'] as string[]).push('admin')
    })
    const context = { permissions: ['read'] }
    expect((await new AgentVM({ grab }).run(seq({ op: 'grab' }), {}, { context })).error).toBeDefined()
    expect(context).toEqual({ permissions: ['read'] })
  })
})
