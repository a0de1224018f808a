import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { workThrough } from './killed-team.ts'

it('a team whose process is killed while workers work goes on in the next one, and none of them works twice', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-team-'))
  const reports = await Promise.all([workThrough(folder, 25), workThrough(folder, 45)])
  for (const { entries } of reports) expect(entries).toBeGreaterThan(60)
  await rm(folder, { recursive: true })
}, 60_000)
