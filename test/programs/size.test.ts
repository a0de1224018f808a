import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundle } from '../../scripts/package-cost.ts'
import type { Bundle } from '../../scripts/package-cost.ts'
import { isSweep, shareOf } from '../rotation.ts'
import { root } from '../tidy/sources.ts'
import { BARE, ENTRY, SMALL } from './size-programs.ts'

const dirs: string[] = []
afterAll(() => {
  for (const dir of dirs) rmSync(dir, { recursive: true })
})

/** Bundles sources inside the repository, so that its packages are found. */
async function bundled(source: string, more: Readonly<Record<string, string>> = {}): Promise<Bundle> {
  mkdirSync(join(root, '.cache'), { recursive: true })
  const dir = mkdtempSync(join(root, '.cache', 'size-'))
  dirs.push(dir)
  for (const [name, text] of Object.entries({ 'entry.ts': source, ...more })) writeFileSync(join(dir, name), text)
  return bundle(join(dir, 'entry.ts'))
}

test.skipIf(isSweep).each([
  [
    'AgentVM, builder and core atoms',
    "export { coreAtoms } from '../../src/vm/atoms/registry.ts'\nexport { AgentVM, program } from '../../src/vm/index.ts'\n",
  ],
  ['expressions', "export * from '../../src/expr/index.ts'\n"],
])('%s can be bundled, and how large the bundle is gets printed', async (name, source) => {
  const { zipped } = await bundled(source)
  process.stdout.write(`${name} ${zipped} bytes zipped\n`)
  expect(zipped).toBeGreaterThan(0)
})

const COMPUTED =
  '{"is":true,"tagged":["<1>","<2>","<3>"],"large":[2,3],"first":2,"sum":6,"failed":"jsonParse","joined":"a-b","count":3,"picked":{"b":2},"omitted":{"a":1},"keys":["a","b"],"json":"{\\"a\\":1,\\"b\\":2}"}'
const ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
/** What each program gives. */
const PROGRAMS: readonly (readonly [program: string, gives: string])[] = [
  ['computing', COMPUTED],
  ['schema', '1'],
  ['wrong', '"The arguments do not fit what the program takes: n must be a number, not \\"x\\"."'],
  ['helper', '4'],
  ['method', '"A-B"'],
  ['store', '1'],
  ['memoize', '1'],
  ['procedure', '7'],
  ['hash', `"${ABC}"`],
  ['pattern', 'true'],
  ['chance', '4'],
  ['trace', '1'],
  ['memory', '100000'],
  ['script', '[2,4]'],
]

describe('where there is nothing that a browser does not have', () => {
  let made: Bundle
  beforeAll(async () => {
    made = await bundled(ENTRY, { 'bare.ts': BARE })
  })

  test.skipIf(isSweep)('a JSON program that only computes runs, and how much it loads gets printed', async () => {
    const { stdout, zipped } = (await bundled(SMALL)).run()
    process.stdout.write(`AgentVM, builder, core atoms and a run of a JSON program ${zipped}\n`)
    expect(stdout).toBe('true ["1","2","3"]\n')
  })

  test.each(shareOf(PROGRAMS, 4))('a program of kind %s runs', (name, gives) => {
    expect(made.run(name).stdout).toBe(`${gives} true\n`)
  })
})
