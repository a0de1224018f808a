// `npm run package`: makes the package in `.cache/package`, from where `changeset publish` publishes it (`publishConfig.directory`), and checks
// the tarball. Not in the root, whose manifest leads tests and scripts to the sources, also while something is packed.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stagePackage } from './build-package.ts'
import { pack } from './pack.ts'
import { packageFaults } from './package-faults.ts'

const folder = join(import.meta.dirname, '../.cache/package')
const tarballs = mkdtempSync(join(tmpdir(), 'mandate-package-'))
try {
  await stagePackage(folder)
  const [{ filename, size, entryCount }] = pack([folder], tarballs) as [ReturnType<typeof pack>[0]]
  const faults = await packageFaults(join(tarballs, filename))
  // What is wrong is not left where it would be published.
  if (faults.length > 0) rmSync(folder, { recursive: true })
  for (const fault of faults) console.error(fault)
  process.exitCode = faults.length > 0 ? 1 : 0
  console.log(`.cache/package: ${entryCount} files, ${(size / 1e6).toFixed(2)} MB packed, ${faults.length} faults`)
} finally {
  rmSync(tarballs, { recursive: true })
}
