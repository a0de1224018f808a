import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bundle } from '../../scripts/package-cost.ts'
import { root } from '../tidy/sources.ts'

/** Bytes, minified and zipped. */
const WRITING_MAX = 17_000
const RUNNING_MAX = 28_000

test('writing programs costs little to load; what runs them comes with the first run, and what only scripts need with the first script', async () => {
  // Inside the repository, so that its packages are found.
  const dir = mkdtempSync(join(root, '.cache', 'size-'))
  try {
    const entry = join(dir, 'entry.ts')
    writeFileSync(entry, "export { AgentVM, coreAtoms, program } from '../../src/vm/index.ts'\n")
    const { zipped, chunks } = await bundle(entry)
    const later = chunks
      .filter(({ isInitial }) => !isInitial)
      .map(({ file, zipped: size }) => ({ name: file.replace(/-[\w-]{8}\.js$/, ''), size }))
    process.stdout.write(
      `AgentVM, builder and core atoms ${zipped}; later: ${later.map(({ name, size }) => `${name} ${size}`).join(', ')}\n`,
    )
    expect(zipped).toBeLessThan(WRITING_MAX)
    expect(later.find(({ name }) => name === 'runner')?.size).toBeLessThan(RUNNING_MAX)
    expect(later.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['builtins', 'regexp-engine', 'script', 'script-parts']),
    )
  } finally {
    rmSync(dir, { recursive: true })
  }
})
