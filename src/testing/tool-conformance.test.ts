import { describe, expect, it, test } from 'vitest'
import { defineTool } from '../tool/index.ts'
import { toolConformance } from './index.ts'
import type { ToolSubject } from './tool-cases/case.ts'

const inputSchema = {
  type: 'object',
  properties: { key: { type: 'string' }, waitMs: { type: 'integer' } },
  required: ['key'],
  additionalProperties: false,
}

/** A small store that keeps all the promises. */
function good(): ToolSubject {
  return {
    name: 'put',
    open() {
      const stored: string[] = []
      const keys = new Set<string>()
      const tool = defineTool({
        name: 'put',
        inputSchema,
        outputSchema: { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] },
        idempotent: true,
        run: async ({ key, waitMs = 0 }: { key: string; waitMs?: number }, { signal, idempotencyKey }) => {
          signal.throwIfAborted()
          await new Promise<void>((resolve, reject) => {
            const handle = setTimeout(resolve, waitMs)
            signal.addEventListener('abort', () => {
              clearTimeout(handle)
              reject(new Error('cut'))
            })
          })
          if (!keys.has(idempotencyKey)) stored.push(key)
          keys.add(idempotencyKey)
          return { count: stored.length }
        },
      })
      return { tool, observe: () => stored }
    },
    valid: [{ key: 'a' }, { key: 'b', waitMs: 1 }],
    invalid: [{}, { key: 1 }, { key: 'a', other: true }, []],
    slow: { key: 'c', waitMs: 60_000 },
    patienceMs: 5_000,
  }
}

toolConformance(good(), { describe, it, expect })

/** Runs the suite and gives the names of the cases that failed. */
async function failuresOf(subject: ToolSubject): Promise<readonly string[]> {
  const cases: [string, () => Promise<void>][] = []
  const api = {
    describe: (_name: string, body: () => void) => body(),
    it: (name: string, body: () => Promise<void>) => void cases.push([name, body]),
    expect,
  }
  toolConformance(subject, api)
  const failed: string[] = []
  for (const [name, body] of cases) await body().catch(() => failed.push(name))
  return failed
}

const base: ToolSubject = { name: 'bad', valid: [{ key: 'a' }], invalid: [{}], open: () => good().open() }

test.each<[string, Partial<ToolSubject>, RegExp]>([
  [
    'accepts everything',
    { open: () => ({ tool: defineTool({ name: 'any', run: () => 1 }) }) },
    /every invalid input is refused/,
  ],
  ['refuses what it should take', { valid: [{ key: 1 }] }, /every valid input is accepted/],
  [
    'writes into its input',
    {
      open: () => ({
        tool: defineTool({ name: 'w', inputSchema, run: (input: { key: string }) => (input.key += '!') }),
      }),
    },
    /leaves its input as it was/,
  ],
  [
    'gives what JSON cannot say',
    { open: () => ({ tool: defineTool({ name: 'm', inputSchema, run: () => ({ big: 10n }) }) }) },
    /its result is plain JSON/,
  ],
  [
    'gives another shape than it says',
    {
      open: () => ({
        tool: defineTool({
          name: 'o',
          inputSchema,
          outputSchema: { type: 'object', required: ['n'] },
          run: () => ({}),
        }),
      }),
    },
    /its result is plain JSON, of the shape/,
  ],
  [
    'does not end when it is cut',
    {
      open: () => ({
        tool: defineTool({
          name: 'h',
          inputSchema,
          run: ({ key }: { key: string }) => (key === 's' ? new Promise(() => {}) : 1),
        }),
      }),
      slow: { key: 's' },
      patienceMs: 30,
    },
    /a long call that is cut ends soon after/,
  ],
  [
    'is idempotent by name only',
    {
      open() {
        const log: string[] = []
        const run = ({ key }: { key: string }): string => {
          log.push(key)
          return 'ok'
        }
        return { tool: defineTool({ name: 'i', inputSchema, idempotent: true, run }), observe: () => log }
      },
    },
    /doing it twice with one key/,
  ],
  [
    'refuses in words nobody can use',
    {
      open: () => ({
        tool: defineTool({
          name: 'x',
          inputSchema: {},
          validate: (input: object) =>
            'key' in input
              ? { valid: true, value: input }
              : { valid: false, issues: [{ path: '', message: '[object Object]' }] },
          run: () => 1,
        } as never),
      }),
    },
    /in words that a model can act on/,
  ],
])('a tool that %s is found out', async (_what, subject, expected) => {
  const failed = await failuresOf({ ...base, ...subject })
  expect(failed.join('\n')).toMatch(expected)
})
