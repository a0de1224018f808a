import { describe, expect, test } from 'vitest'
import type { Json } from '../../core/index.ts'
import { scriptBuiltins } from '../builtins/index.ts'
import { withLabels } from '../labels/index.ts'
import { createMachine } from '../machine/machine.ts'
import type { VmRequest } from '../port.ts'
import { script } from '../script/index.ts'
import { compileProgram } from './compile.ts'
import { scriptLanguage } from './script/index.ts'

/** What a script asked of `book`, and what it returned. */
async function run(source: string): Promise<{ asked: VmRequest[]; result: Json }> {
  const compiled = compileProgram(script(source), {
    language: withLabels(scriptLanguage),
    builtins: scriptBuiltins,
    capabilities: {
      book: { find: { kind: 'book', name: 'find', takesAll: true }, length: 7, name: 'atlas' },
      web: { kind: 'tool', name: 'web' },
    },
  })
  const asked: VmRequest[] = []
  const port = {
    perform: (request: VmRequest) => {
      if (request.name === 'web') return { status: 'ok' as const, value: 'page', labels: ['untrusted:web'] }
      asked.push(request)
      return { status: 'ok' as const, value: asked.length }
    },
  }
  const { result, error } = await createMachine(compiled, { port }).run()
  expect(error).toBeUndefined()
  return { asked, result: result as Json }
}

describe('a function of the host that takes a list', () => {
  test('is asked with all its arguments in order, regular expressions as data', async () => {
    const { asked, result } = await run('return await book.find(/a+/gi, { limit: 2 }, undefined, [1])')
    expect(asked).toMatchObject([
      { kind: 'book', name: 'find', input: [{ source: 'a+', flags: 'gi' }, { limit: 2 }, null, [1]] },
    ])
    expect(result).toBe(1)
  })

  test('is asked with none', async () => {
    expect((await run('return await book.find()')).asked).toMatchObject([{ input: [] }])
  })

  test('is asked with the labels of every argument', async () => {
    const { asked } = await run('const page = await web({}); await book.find(1, page); await book.find(1, 2)')
    expect(Object.values(asked[0]!.labels).flat()).toContain('untrusted:web')
    expect(Object.values(asked[1]!.labels).flat()).toEqual([])
  })
})

test('a constant of the host is a member like any other, also under the names that functions have', async () => {
  expect((await run('return [book.length, book.name, book.other]')).result).toEqual([7, 'atlas', null])
})
