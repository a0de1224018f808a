import { describe, expect, test } from 'vitest'
import type { Json } from '../../core/index.ts'
import { scriptBuiltins } from '../builtins/index.ts'
import { compileProgram } from '../compile/compile.ts'
import type { Compiled } from '../compile/compile.ts'
import { scriptLanguage } from '../compile/script/index.ts'
import { createMachine } from '../machine/machine.ts'
import type { VmRequest } from '../port.ts'
import { script } from '../script/index.ts'
import { withLabels } from './index.ts'

const tool = (name: string): { kind: string; name: string } => ({ kind: 'tool', name })

function compile(source: string): Compiled {
  const capabilities = { tools: { web: tool('web'), mail: tool('mail'), sink: tool('sink') } }
  return compileProgram(script(source), {
    language: withLabels(scriptLanguage),
    builtins: scriptBuiltins,
    capabilities,
  })
}

const PAGE = { text: 'eve', n: 1, list: [{ email: 'e' }, { email: 'f' }] }

/** What a script gave to the sink, with its labels. */
async function asked(source: string): Promise<{ input: Json; labels: VmRequest['labels'] }[]> {
  const found: { input: Json; labels: VmRequest['labels'] }[] = []
  const port = {
    perform: ({ name, input, labels }: VmRequest) => {
      if (name === 'sink') found.push({ input, labels })
      const answers = {
        web: { value: PAGE, labels: ['untrusted:web'] },
        mail: { value: 'm', labels: ['untrusted:mail'] },
      }
      return { status: 'ok' as const, ...(answers[name as 'web'] ?? { value: null }) }
    },
  }
  const { error } = await createMachine(compile(source), { args: { to: 'ana' }, port }).run()
  expect(error).toBeUndefined()
  return found
}

const WEB = ['untrusted:web']

describe('labels of single values', () => {
  test.each([
    ['each part has its own', 'await tools.sink({ to: args.to, body: (await tools.web({})).text })', { '/body': WEB }],
    [
      'several sources are joined, and only where they meet',
      'const [p, m] = await Promise.all([tools.web({}), tools.mail({})]); await tools.sink({ p: p.n, m, both: p.n + m })',
      { '/p': WEB, '/m': ['untrusted:mail'], '/both': ['untrusted:mail', 'untrusted:web'] },
    ],
    [
      'what is waited for together has labels one by one, promises or not',
      'const p = await tools.web({}); const [a, b] = await Promise.all([p.n, 1]); await tools.sink({ a, b })',
      { '/a': WEB },
    ],
    [
      'what a callback makes of a clean item is clean, whatever the others are',
      'const p = await tools.web({}); const [a, b] = [p.n, 1].map((x) => x + 1); await tools.sink({ a, b })',
      { '/a': WEB },
    ],
    [
      'what is added up carries all that was added, and what was given to a callback is followed',
      'const p = await tools.web({}); await tools.sink({ a: [p.n, 1].reduce((x, y) => x + y, 0), b: [1, 2].reduce((x, y) => x + y, 0) })',
      { '/a': WEB },
    ],
    [
      'a text that is chosen where a function could stand labels nothing else, when no function can be meant',
      "const p = await tools.web({}); let n = 0; const add = () => { n++ }; add(); const t = 'a'.replace('a', p.text || 'x'); await tools.sink({ t, n })",
      { '/t': WEB },
    ],
    [
      'what is not there is labelled by what left it out',
      'const p = await tools.web({}); await tools.sink({ a: p.n === 1 ? undefined : 1, b: [1, p.n === 1 ? null : 1] })',
      { '/a': WEB, '/b/1': WEB },
    ],
    [
      'what a loop over untrusted items gathers is untrusted, the rest is not',
      'const p = await tools.web({}); const out = []; for (const x of p.list) out.push(x.email); await tools.sink({ to: args.to, out })',
      { '/out': WEB },
    ],
    [
      'what comes after a spread is what it is',
      'const p = await tools.web({}); await tools.sink({ ...p, to: args.to })',
      { '': WEB, '/to': [] },
    ],
    [
      'what decided a call leads to it',
      'const p = await tools.web({}); if (p.n === 1) await tools.sink({ to: args.to })',
      { pc: WEB },
    ],
    [
      'it leads no more where the ways have met',
      'const p = await tools.web({}); let x = 0; if (p.n === 2) x = 1; await tools.sink({ x, to: args.to })',
      { '/x': WEB },
    ],
    [
      'whether an item is there says what decided it',
      'const p = await tools.web({}); const a = [1, 2, 3]; if (p.n === 2) delete a[1]; let n = 0; a.forEach(() => { n++ }); await tools.sink({ n, has: 1 in a, keys: Object.keys(a).length, to: args.to })',
      { '/n': WEB, '/has': WEB, '/keys': WEB },
    ],
    [
      'a gap that stands in the script says nothing',
      'const p = await tools.web({}); const a = [p.text, , args.to]; let n = 0; a.forEach(() => { n++ }); await tools.sink({ n, has: 1 in a, length: a.length, last: a[2], first: a[0] })',
      { '/first': WEB },
    ],
    [
      'that a loop ended is said by its list',
      'const p = await tools.web({}); const l = [1]; let n = 0; for (const x of l) { n++; if (p.n === 2) l.push(2) } await tools.sink({ n, to: args.to })',
      { '/n': WEB },
    ],
    [
      'and by what its iterator was made of',
      'const p = await tools.web({}); const m = new Map([[1, 1], [2, 2]]); let n = 0; for (const k of m.keys()) { n++; if (p.n === 1) m.delete(2) } const l = [1]; let o = 0; for (const [i] of l.entries()) { o++; if (p.n === 2) l.push(2) } await tools.sink({ n, o, to: args.to })',
      { '/n': WEB, '/o': WEB },
    ],
    [
      'and by its keys',
      'const p = await tools.web({}); const o = { a: 1, b: 2 }; let n = 0; for (const k in o) { n++; if (p.n === 1) delete o.b } await tools.sink({ n, to: args.to })',
      { '/n': WEB },
    ],
    [
      'callbacks are followed item by item',
      'const p = await tools.web({}); const l = [args.to, p.text].map((x) => x + "!"); await tools.sink({ a: l[0], b: l[1] })',
      { '/b': WEB },
    ],
  ])('%s', async (_, source, labels) => {
    expect((await asked(source)).map((one) => one.labels)).toEqual([labels])
  })

  test('the result says where its parts came from', async () => {
    const port = { perform: () => ({ status: 'ok' as const, value: PAGE, labels: WEB }) }
    const made = await createMachine(compile('const p = await tools.web({}); return { a: 1, b: p.n }'), { port }).run()
    expect(made).toMatchObject({ result: { a: 1, b: 1 }, labels: { '/b': WEB } })
  })

  test('very many sources become their kinds, and stay', async () => {
    const labels = Array.from({ length: 1_000 }, (_, index) => `untrusted:web/${index}`)
    const port = { perform: () => ({ status: 'ok' as const, value: 'x', labels }) }
    const made = await createMachine(compile('return await tools.web({})'), { port }).run()
    expect(made.labels?.['']).toContain('untrusted:*')
  })
})
