import { describe, expect, test, vi } from 'vitest'
import { manualClock, seededRandom } from '../core/index.ts'
import { AgentVM } from './agent-vm.ts'
import { batteryAtoms } from './atoms/set/battery-atoms.ts'
import type { Capabilities } from './atoms/host/capabilities.ts'
import { defineAtom } from './atoms/define-atom.ts'
import { FLOW_OPS } from './atoms/set/flow.ts'
import { memoryStore } from './atoms/host/memory-store.ts'
import { coreAtoms } from './atoms/registry.ts'
import type { VmRunOptions } from './atoms/run-options.ts'
import { program as Agent } from './builder/program.ts'
import { s } from './builder/schema.ts'

const vm = new AgentVM()
const ident = (name: string): object => ({ $expr: 'ident', name })
const literal = (value: unknown): object => ({ $expr: 'literal', value })

/** What one step gives, or the code of its error. */
async function give(
  step: { readonly op: string; readonly [field: string]: unknown },
  options: VmRunOptions = {},
  machine: { run: AgentVM['run'] } = vm,
): Promise<unknown> {
  const steps = [
    { ...step, result: 'out' },
    { op: 'return', value: ident('out') },
  ]
  const { result, error } = await machine.run({ mandate: 1, op: 'seq', steps }, {}, options)
  return error === undefined ? result : { error: error.code, message: error.message }
}

describe('atoms that compute', () => {
  test.each([
    [{ op: 'push', list: [1], item: 2 }, [1, 2]],
    [{ op: 'len', list: 'four' }, 4],
    [{ op: 'len', list: [1, 2] }, 2],
    [{ op: 'len', list: 7 }, 0],
    [{ op: 'split', str: 'a,b,c', sep: ',' }, ['a', 'b', 'c']],
    [{ op: 'split', str: 'abc', sep: '' }, ['a', 'b', 'c']],
    [{ op: 'join', list: ['a', 1, null], sep: '-' }, 'a-1-'],
    [{ op: 'template', tmpl: '{{a}} and {{ b }}{{c}}', vars: { a: 1, b: 'x' } }, '1 and x'],
    [{ op: 'pick', obj: { a: 1, b: 2 }, keys: ['a', 'z'] }, { a: 1 }],
    [{ op: 'omit', obj: { a: 1, b: 2 }, keys: ['a'] }, { b: 2 }],
    [
      { op: 'merge', a: { x: 1, y: 1 }, b: { y: 2 } },
      { x: 1, y: 2 },
    ],
    [{ op: 'keys', obj: { a: 1, b: 2 } }, ['a', 'b']],
    [{ op: 'jsonParse', str: '{"a":[1,null]}' }, { a: [1, null] }],
    [{ op: 'jsonStringify', value: { a: [1, 'x'] } }, '{"a":[1,"x"]}'],
    [{ op: 'regexMatch', pattern: '^a+b$', value: 'aab' }, true],
    [{ op: 'regexMatch', pattern: '^a+b$', value: 'abc' }, false],
    [{ op: 'hash', value: 'abc' }, 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    [{ op: 'eq', a: 1, b: 1 }, true],
    [{ op: 'not', value: 0 }, true],
    [{ op: 'varsExport', keys: [] }, {}],
  ])('%j', async (step, expected) => expect(await give(step)).toEqual(expected))

  test('a hash does not depend on how an object was spelled', async () => {
    expect(await give({ op: 'hash', value: { a: 1, b: 2 } })).toBe(await give({ op: 'hash', value: { b: 2, a: 1 } }))
  })

  test('chance comes from the generator that was given', async () => {
    const options = (): VmRunOptions => ({ random: seededRandom('x') })
    for (const step of [
      { op: 'random' },
      { op: 'random', format: 'integer', min: 5, max: 9 },
      { op: 'random', format: 'base36', length: 6 },
      { op: 'uuid' },
    ])
      expect(await give(step, options())).toEqual(await give(step, options()))
    expect(await give({ op: 'uuid' })).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(await give({ op: 'random', format: 'base36', length: 6 })).toMatch(/^[0-9a-z]{6}$/)
    expect([5, 6, 7, 8, 9]).toContain(await give({ op: 'random', format: 'integer', min: 5, max: 9 }))
  })

  test.each([
    { op: 'jsonParse', str: '{' },
    { op: 'join', list: 'no list', sep: ',' },
    { op: 'split', str: 5, sep: ',' },
    { op: 'split', str: 'x' },
    { op: 'pick', obj: [], keys: ['a'] },
    { op: 'pick', obj: {}, keys: [1] },
    { op: 'len', list: [], more: 1 },
    { op: 'random', format: 'roman' },
    { op: 'random', length: 1e9, format: 'base36' },
    { op: 'regexMatch', pattern: '(', value: 'x' },
    { op: 'hash', value: 'x', algorithm: 'MD5' },
  ])('%j is refused', async (step) => expect(await give(step)).toHaveProperty('error'))
})

describe('atoms that touch the world', () => {
  test('without its capability an atom says what to give', async () => {
    const lacking: readonly (readonly [object, string])[] = [
      [{ op: 'httpFetch', url: 'x' }, 'fetch'],
      [{ op: 'storeGet', key: 'x' }, 'store.get'],
      [{ op: 'llmPredict', prompt: 'x' }, 'llm.predict'],
      [{ op: 'agentRun', agentId: 'x' }, 'agent.run'],
      [{ op: 'xmlParse', str: 'x' }, 'xml.parse'],
      [{ op: 'storeQueryWhere', predicate: {} }, 'store.queryPredicate'],
    ]
    for (const [step, name] of lacking)
      expect(await give(step as never)).toMatchObject({
        error: 'CONFIG_INVALID',
        message: expect.stringContaining(name),
      })
  })

  test('an answer of the network is read by its type, and an error status is an error', async () => {
    const answer = (body: string, type: string, status = 200): Capabilities => ({
      fetch: async () => new Response(body, { status, headers: { 'content-type': type } }),
    })
    expect(await give({ op: 'httpFetch', url: 'x' }, { capabilities: answer('{"a":1}', 'application/json') })).toEqual({
      a: 1,
    })
    expect(await give({ op: 'httpFetch', url: 'x' }, { capabilities: answer('{"a":1}', 'text/plain') })).toBe('{"a":1}')
    expect(
      await give({ op: 'httpFetch', url: 'x', responseType: 'dataUrl' }, { capabilities: answer('hi', 'text/x') }),
    ).toBe('data:text/x;base64,aGk=')
    expect(await give({ op: 'httpFetch', url: 'x' }, { capabilities: answer('no', 'text/plain', 404) })).toMatchObject({
      message: expect.stringContaining('404'),
    })
  })

  test('what is sent is what was asked for', async () => {
    const seen: unknown[] = []
    const capabilities: Capabilities = {
      fetch: async (url, init) => void seen.push(url, { ...init, signal: init.signal instanceof AbortSignal }),
    }
    await give({ op: 'httpFetch', url: 'u', method: 'POST', headers: { a: 'b' }, body: { x: 1 } }, { capabilities })
    expect(seen).toEqual(['u', { method: 'POST', headers: { a: 'b' }, body: '{"x":1}', signal: true }])
  })

  test('values, queries and predicates of a store', async () => {
    const capabilities: Capabilities = {
      store: { ...memoryStore(), queryPredicate: async (predicate, options) => [predicate, options] },
    }
    await give({ op: 'storeSet', key: 'a', value: { kind: 'x', n: 1 } }, { capabilities })
    expect(await give({ op: 'storeGet', key: 'a' }, { capabilities })).toEqual({ kind: 'x', n: 1 })
    expect(await give({ op: 'storeGet', key: 'none' }, { capabilities })).toBeNull()
    expect(await give({ op: 'storeQuery', query: { kind: 'x' } }, { capabilities })).toEqual([{ kind: 'x', n: 1 }])
    expect(await give({ op: 'storeQuery', query: { kind: 'y' } }, { capabilities })).toEqual([])
    expect(await give({ op: 'storeQueryWhere', predicate: { key: 'k' }, limit: 3 }, { capabilities })).toEqual([
      { key: 'k' },
      { limit: 3 },
    ])
  })

  test('vectors are found by their angle in a plain collection', async () => {
    const own = new AgentVM(batteryAtoms)
    const capabilities: Capabilities = {
      store: memoryStore(),
      llm: {
        embed: async (text) => (text === 'north' ? [0, 1] : [1, 0]),
        chat: async (request) => request,
        vision: async () => 'a cat',
      },
    }
    const chain = own.Agent.storeCreateCollection({ collection: 'c', dimension: 2 })
      .storeVectorAdd({ collection: 'c', doc: { id: 'east', vector: [1, 0.1], kind: 'a' } })
      .storeVectorAdd({ collection: 'c', doc: { id: 'north', vector: [0.1, 1], kind: 'b' } })
      .storeVectorize({ text: 'north' })
      .as('v')
      .storeSearch({ collection: 'c', queryVector: 'v', k: 1 })
      .as('near')
      .storeSearch({ collection: 'c', queryVector: 'v', filter: { kind: 'a' } })
      .as('filtered')
      .storeVectorSearch({ collection: 'c', vector: 'v' })
      .as('all')
      .return({ value: { near: ident('near'), filtered: ident('filtered'), all: ident('all') } })
    const { result, error } = await own.run(chain, {}, { capabilities })
    expect(error).toBeUndefined()
    const ids = (name: string): string[] => (result as Record<string, { id: string }[]>)[name]!.map(({ id }) => id)
    expect([ids('near'), ids('filtered'), ids('all')]).toEqual([['north'], ['east'], ['north', 'east']])
    expect(await give({ op: 'llmPredictBattery', user: 'hi', system: 'be kind' }, { capabilities }, own)).toEqual({
      user: 'hi',
      system: 'be kind',
    })
    expect(await give({ op: 'llmVision', prompt: 'what?', images: ['x'] }, { capabilities }, own)).toBe('a cat')
    expect(
      await give({ op: 'storeVectorAdd', collection: 'c', doc: { vector: [1] } }, { capabilities }, own),
    ).toHaveProperty('error')
  })

  test('a store in memory holds so much and no more', async () => {
    const store = memoryStore({ entriesMax: 1 })
    await store.set('a', 1)
    await expect(store.set('b', 1)).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' })
  })
})

describe('programs inside programs', () => {
  const inner = Agent.take(s.object({ n: s.integer }))
    .return({ value: { got: Agent.args('n') } })
    .toJSON()

  test("a program given as a value runs with its own variables and this one's fuel", async () => {
    expect(await give({ op: 'agentRun', agentId: literal(inner), input: { n: 4 } })).toEqual({ got: 4 })
    expect(await give({ op: 'agentRun', agentId: literal(inner), input: { n: 'x' } })).toMatchObject({
      message: expect.stringContaining('n must be'),
    })
    const endless = { mandate: 1, op: 'seq', steps: [{ op: 'while', condition: literal(true), body: [] }] }
    const program = {
      mandate: 1,
      op: 'seq',
      steps: [
        {
          op: 'try',
          try: [{ op: 'agentRun', agentId: literal(endless), input: {} }],
          catch: [{ op: 'varSet', key: 'x', value: 1 }],
        },
      ],
    }
    expect(await vm.run(program, {}, { fuel: 20 })).toMatchObject({ error: { code: 'LIMIT_EXCEEDED' }, fuelUsed: 20 })
  })

  test('a part of the fuel can be given, and the rest goes on', async () => {
    const endless = { mandate: 1, op: 'seq', steps: [{ op: 'while', condition: literal(true), body: [] }] }
    const program = {
      mandate: 1,
      op: 'seq',
      steps: [
        {
          op: 'try',
          try: [{ op: 'agentRun', agentId: literal(endless), input: {}, fuel: 5 }],
          catch: [{ op: 'return', value: 'went on' }],
        },
      ],
    }
    const { result, fuelUsed } = await vm.run(program, {}, { fuel: 50 })
    expect(result).toBe('went on')
    expect(fuelUsed).toBeGreaterThan(5)
    expect(fuelUsed).toBeLessThan(10)
  })

  test('nesting has an end', async () => {
    const self = {
      mandate: 1,
      op: 'seq',
      steps: [
        { op: 'agentRun', agentId: { $kind: 'arg', path: 'self' }, input: { self: { $kind: 'arg', path: 'self' } } },
      ],
    }
    expect((await vm.run(self, { self })).error?.message).toContain('deep')
  })
})

describe('a machine', () => {
  test('describes its operations as tools', () => {
    const own = new AgentVM({ anyName: defineAtom('mine', s.object({ n: s.number }), s.any, () => 1, 'Does mine.') })
    const all = own.getTools()
    expect(all.map((tool) => tool.function.name)).toEqual([
      ...FLOW_OPS.map(({ op }) => op),
      ...Object.keys(coreAtoms),
      'mine',
    ])
    expect(own.getTools(['mine'])).toEqual([
      {
        type: 'function',
        function: { name: 'mine', description: 'Does mine.', parameters: own.resolve('mine')!.inputSchema },
      },
    ])
    expect(own.getTools('flow')).toHaveLength(FLOW_OPS.length)
  })

  test('refuses atoms that are none, and words of the language', () => {
    expect(() => new AgentVM({ x: {} } as never)).toThrow('defineAtom')
    for (const op of ['if', 'take', 'memoize', 'memoGet'])
      expect(() => new AgentVM({ x: defineAtom(op, s.object({}), s.any, () => 1) })).toThrow(op)
    expect(() => defineAtom('no name', s.object({}), s.any, () => 1)).toThrow('no name')
  })

  test('an atom of the host may stand in the place of a core one', async () => {
    const own = new AgentVM({
      llmPredict: defineAtom('llmPredict', s.object({ prompt: s.string }), s.string, () => 'mine', { effects: 'pure' }),
    })
    expect(await give({ op: 'llmPredict', prompt: 'x' }, {}, own)).toBe('mine')
  })

  test('a cost may depend on who asks', async () => {
    const dear = defineAtom('dear', s.object({}), s.any, () => 1, {
      cost: (_, { context }) => (context['tier'] === 'free' ? 50 : 5),
    })
    const own = new AgentVM({ dear })
    const program = { mandate: 1, op: 'seq', steps: [{ op: 'dear' }] }
    const [free, paid] = [await own.run(program, {}, { context: { tier: 'free' } }), await own.run(program)]
    expect(free.fuelUsed - paid.fuelUsed).toBeCloseTo(45, 6)
  })

  test('gives the same result and fuel each time, also many at once', async () => {
    const chain = Agent.take(s.object({ n: s.integer }))
      .varSet({ key: 'i', value: 0 })
      .while('i < n', { i: 'i', n: 'args.n' }, (b) =>
        b.varSet({ key: 'i', value: { $expr: 'binary', op: '+', left: b.val('i'), right: 1 } }),
      )
      .return({ value: Agent.val('i') })
      .toJSON()
    const results = await Promise.all(Array.from({ length: 50 }, () => vm.run(chain, { n: 100 })))
    expect(new Set(results.map(({ result, fuelUsed }) => `${JSON.stringify(result)} ${fuelUsed}`)).size).toBe(1)
  })

  test('atoms time out by the clock that was given', async () => {
    const clock = manualClock(0)
    const hangs = defineAtom('hangs', s.object({}), s.any, () => new Promise(() => {}))
    const running = give({ op: 'hangs' }, { clock, timeoutOverrides: { hangs: 200 } }, new AgentVM({ hangs }))
    await vi.waitUntil(() => clock.next === 200, 15_000)
    clock.advance(200)
    expect(await running).toMatchObject({ error: 'TIMEOUT', message: expect.stringContaining("'hangs' timed out") })
  })

  test('what atoms and programs warn of is in the result', async () => {
    const warns = defineAtom('warns', s.object({}), s.any, (_, ctx) => ctx.warn('from the atom'))
    const { warnings } = await new AgentVM({ warns }).run({
      mandate: 1,
      op: 'seq',
      steps: [{ op: 'warns' }, { op: 'consoleWarn', message: 'from the program' }],
    })
    expect(warnings).toEqual(['from the atom', 'from the program'])
  })
})

describe('every operation costs more for more work', () => {
  const sized = (size: number): Record<string, Record<string, unknown>> => {
    const list = Array.from({ length: size }, (_, index) => `item ${index}`)
    const record = Object.fromEntries(list.map((name) => [name, 1]))
    const text = 'x,'.repeat(size)
    return {
      split: { str: text, sep: ',' },
      join: { list, sep: ',' },
      template: { tmpl: '{{a}}'.repeat(size), vars: { a: 'xx' } },
      regexMatch: { pattern: 'y$', value: text },
      pick: { obj: record, keys: list },
      omit: { obj: record, keys: ['none'] },
      merge: { a: record, b: {} },
      keys: { obj: record },
      jsonParse: { str: JSON.stringify(list) },
      jsonStringify: { value: list },
      hash: { value: text },
    }
  }
  /** These do the same work whatever they are given, or leave the machine, where other limits hold. */
  const FIXED = ['push', 'len', 'random', 'uuid', 'consoleLog', 'consoleWarn', 'consoleError']

  test('none is left out', () => {
    const inline = Object.values(coreAtoms)
      .filter((atom) => 'inline' in (atom as object))
      .map(({ op }) => op as string)
    expect(inline.filter((op) => !FIXED.includes(op) && !(op in sized(1)))).toEqual([])
  })

  test.each(Object.keys(sized(1)))('%s', async (op) => {
    const fuel = async (size: number): Promise<number> => {
      const step = {
        op,
        ...Object.fromEntries(Object.keys(sized(size)[op]!).map((name) => [name, { $kind: 'arg', path: name }])),
      }
      const { fuelUsed, error } = await vm.run({ mandate: 1, op: 'seq', steps: [step] }, sized(size)[op], {
        fuel: 1e6,
      })
      expect(error).toBeUndefined()
      // Bringing the arguments in costs by their size as well; that is not the atom's.
      const idle = await vm.run({ mandate: 1, op: 'seq', steps: [] }, sized(size)[op], { fuel: 1e6 })
      return fuelUsed - idle.fuelUsed
    }
    const [none, small, large] = [await fuel(0), await fuel(100), await fuel(10_000)]
    expect((large - none) / (small - none)).toBeGreaterThan(20)
  })
})
