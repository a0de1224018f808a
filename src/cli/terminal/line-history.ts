import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Flags } from '../flags.ts'
import { settings } from '../host.ts'

/** Where typed lines are kept for the next time: beside the runs, where these are in a folder. */
export function historyFile({ dir }: Flags, name: string): string | undefined {
  const folder = dir ?? settings().dir
  return folder.includes('://') ? undefined : join(folder, name)
}

export function readHistory(file: string | undefined): string[] {
  return file === undefined || !existsSync(file) ? [] : readFileSync(file, 'utf8').split('\n').filter(Boolean)
}

/** What was typed may hold anything: only its owner may read it. */
export function writeHistory(file: string | undefined, lines: readonly string[]): void {
  if (file === undefined || lines.length === 0) return
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 })
  chmodSync(file, 0o600)
}
