import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder that is gone after the test. */
export function newFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'mandate-scenario-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}
