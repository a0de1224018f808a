import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundle } from '../../scripts/package-cost.ts'
import type { Bundle } from '../../scripts/package-cost.ts'
import { root } from '../tidy/sources.ts'
import { BARE, ENTRY, SMALL } from './size-programs.ts'

/** Bytes, minified and zipped: to write programs, to have run one of JSON that only computes, all that only scripts load, and expressions alone. */
const WRITING_MAX = 15_000
const RUNNING_MAX = 34_700
const SCRIPTS_MAX = 80_000
const EXPRESSIONS_MAX = 5_100
const SCRIPT_CHUNKS = ['script', 'script-parts', 'builtins', 'pattern-parser', 'regexp-engine', 'labels']

const dirs: string[] = []
afterAll(() => {
  for (const dir of dirs) rmSync(dir, { recursive: true })
})

/** Bundles sources inside the repository, so that its packages are found. */
async function bundled(source: string, more: Readonly<Record<string, string>> = {}): Promise<Bundle> {
  const dir = mkdtempSync(join(root, '.cache', 'size-'))
  dirs.push(dir)
  for (const [name, text] of Object.entries({ 'entry.ts': source, ...more })) writeFileSync(join(dir, name), text)
  return bundle(join(dir, 'entry.ts'))
}

/** Names of chunks as their sources are called. */
function nameOf(file: string): string {
  return file.replace(/-[\w-]{8}\.js$/, '')
}

test('writing programs costs little to load; what only scripts need comes with the first script', async () => {
  const { zipped, chunks } = await bundled("export { AgentVM, coreAtoms, program } from '../../src/vm/index.ts'\n")
  const later = new Map(
    chunks.filter(({ isInitial }) => !isInitial).map(({ file, zipped: size }) => [nameOf(file), size]),
  )
  const list = [...later].map(([name, size]) => `${name} ${size}`).join(', ')
  process.stdout.write(`AgentVM, builder and core atoms ${zipped}; later: ${list}\n`)
  expect(zipped).toBeLessThan(WRITING_MAX)
  const ofScripts = SCRIPT_CHUNKS.map((name) => later.get(name)!)
  expect(ofScripts.reduce((sum, size) => sum + size, 0)).toBeLessThan(SCRIPTS_MAX)
})

test('expressions alone cost less', async () => {
  const { zipped } = await bundled("export * from '../../src/expr/index.ts'\n")
  process.stdout.write(`expressions ${zipped}\n`)
  expect(zipped).toBeLessThan(EXPRESSIONS_MAX)
})

const COMPUTED =
  '{"is":true,"tagged":["<1>","<2>","<3>"],"large":[2,3],"first":2,"sum":6,"failed":"jsonParse","joined":"a-b","count":3,"picked":{"b":2},"omitted":{"a":1},"keys":["a","b"],"json":"{\\"a\\":1,\\"b\\":2}"}'
const ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
const REST = ['script', 'builtins', 'core', 'asking', 'labels', 'measure', 'schema-check', 'tracing']

/** What each program gives, and which parts it must have loaded; no other of `REST`. */
const NEEDS: readonly (readonly [program: string, gives: string, loads: readonly string[]])[] = [
  ['computing', COMPUTED, []],
  ['schema', '1', ['schema-check']],
  ['wrong', '"The arguments do not fit what the program takes: n must be a number, not \\"x\\"."', ['schema-check']],
  ['helper', '4', ['core', 'asking']],
  ['method', '"A-B"', ['core', 'asking', 'builtins']],
  ['store', '1', ['core', 'asking', 'outer-work']],
  ['memoize', '1', ['core', 'asking', 'memo', 'remembering']],
  ['procedure', '7', ['core', 'asking', 'outer-work', 'procedure-shelf']],
  ['hash', `"${ABC}"`, ['hash-work']],
  ['pattern', 'true', ['regex-work', 'regexp-engine']],
  ['chance', '4', ['chance-work']],
  ['trace', '1', ['tracing']],
  ['memory', '100000', ['measure']],
  ['script', '[2,4]', ['script', 'script-parts', 'builtins', 'core', 'asking']],
]

describe('where there is nothing that a browser does not have', () => {
  let made: Bundle
  beforeAll(async () => {
    made = await bundled(ENTRY, { 'bare.ts': BARE })
  })

  test('a JSON program that only computes has loaded little when it has run, whatever its steps are', async () => {
    const { stdout, loaded, zipped } = (await bundled(SMALL)).run()
    process.stdout.write(`AgentVM, builder, core atoms and a run of a JSON program ${zipped}\n`)
    expect(stdout).toBe('true ["1","2","3"]\n')
    expect(zipped).toBeLessThan(RUNNING_MAX)
    expect(made.run('computing').loaded.map(nameOf)).toEqual(loaded.map(nameOf))
  })

  test.each(NEEDS)('a program of kind %s runs, and loads what it needs', (name, gives, loads) => {
    const { stdout, loaded } = made.run(name)
    expect(stdout).toBe(`${gives} true\n`)
    const names = loaded.map(nameOf)
    expect(names).toEqual(expect.arrayContaining([...loads]))
    expect(names.filter((one) => REST.includes(one) && !loads.includes(one))).toEqual([])
  })
})
