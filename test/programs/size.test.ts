import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bundle } from '../../scripts/package-cost.ts'
import type { Bundle } from '../../scripts/package-cost.ts'
import { root } from '../tidy/sources.ts'

/** Bytes, minified and zipped: to write programs, to have run one of JSON, and all that only scripts load. */
const WRITING_MAX = 17_000
const RUNNING_MAX = 48_000
const SCRIPTS_MAX = 76_000
const SCRIPT_CHUNKS = ['script', 'script-parts', 'builtins', 'pattern-parser', 'regexp-engine', 'labels']

const RUNNING = `
import { AgentVM, coreAtoms, program } from '../../src/vm/index.ts'
const steps = program.take({}).map(program.args('items'), 'x', (b) => b.template({ tmpl: '{{x}}', vars: { x: { $expr: 'ident', name: 'x' } } }).as('result')).as('out').return({ value: { $expr: 'ident', name: 'out' } })
const { result, error } = await new AgentVM().run(steps.toJSON(), { items: [1, 2, 3] })
console.log(Object.keys(coreAtoms).length > 0, JSON.stringify(error ?? result))
`

/** Bundles a source inside the repository, so that its packages are found. */
async function bundled<T>(source: string, look: (made: Bundle) => T): Promise<T> {
  const dir = mkdtempSync(join(root, '.cache', 'size-'))
  try {
    const entry = join(dir, 'entry.ts')
    writeFileSync(entry, source)
    return look(await bundle(entry))
  } finally {
    rmSync(dir, { recursive: true })
  }
}

test('writing programs costs little to load; what only scripts need comes with the first script', async () => {
  const source = "export { AgentVM, coreAtoms, program } from '../../src/vm/index.ts'\n"
  const { zipped, chunks } = await bundled(source, (made) => made)
  const later = new Map(
    chunks
      .filter(({ isInitial }) => !isInitial)
      .map(({ file, zipped: size }) => [file.replace(/-[\w-]{8}\.js$/, ''), size]),
  )
  const list = [...later].map(([name, size]) => `${name} ${size}`).join(', ')
  process.stdout.write(`AgentVM, builder and core atoms ${zipped}; later: ${list}\n`)
  expect(zipped).toBeLessThan(WRITING_MAX)
  const ofScripts = SCRIPT_CHUNKS.map((name) => later.get(name)!)
  expect(ofScripts.reduce((sum, size) => sum + size, 0)).toBeLessThan(SCRIPTS_MAX)
})

test('a JSON program that has run has loaded no part of scripts', async () => {
  const { stdout, loaded, zipped } = await bundled(RUNNING, (made) => made.run())
  process.stdout.write(`AgentVM, builder, core atoms and a run of a JSON program ${zipped}\n`)
  expect(stdout).toBe('true ["1","2","3"]\n')
  expect(loaded.join()).not.toMatch(/script|builtins|regexp|pattern|labels|memo|remembering/)
  expect(zipped).toBeLessThan(RUNNING_MAX)
})
