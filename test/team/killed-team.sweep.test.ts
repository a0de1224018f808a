import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { rotate } from '../rotation.ts'
import { workThrough } from './killed-team.ts'

it('a team whose process is killed with any entry comes to the same end, and nobody is paid twice', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mandate-team-'))
  const { entries } = await workThrough(folder)
  expect(entries).toBeGreaterThan(60)
  const places = Array.from({ length: entries }, (_, index) => index + 1)
  const left = rotate(places, 'teams in killed processes')
  const next = async (): Promise<void> => {
    for (let dieAt = left.pop(); dieAt !== undefined; dieAt = left.pop()) await workThrough(folder, dieAt)
  }
  await Promise.all([next(), next()])
  await rm(folder, { recursive: true })
}, 280_000)
