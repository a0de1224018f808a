// Accepts the public API as it is now: rewrites test/api/*.txt. The diff of these files is what a reviewer reads.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describeApi, readSubpaths, snapshotPath } from '../test/tidy/api.ts'

const folder = dirname(snapshotPath('.'))
mkdirSync(folder, { recursive: true })
for (const name of readdirSync(folder)) rmSync(join(folder, name))
for (const [subpath, source] of readSubpaths()) {
  writeFileSync(snapshotPath(subpath), describeApi(source))
  console.log(`test/api: ${subpath} written`)
}
