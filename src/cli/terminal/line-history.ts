import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Flags } from '../flags.ts'
import { settings } from '../host.ts'

/** Returns the file for the history of typed lines: beside the runs, if these are in a folder. */
export function historyFile({ dir }: Flags, name: string): string | undefined {
  const folder = dir ?? settings().dir
  return folder.includes('://') ? undefined : join(folder, name)
}

export function readHistory(file: string | undefined): string[] {
  return file === undefined || !existsSync(file) ? [] : readFileSync(file, 'utf8').split('\n').filter(Boolean)
}

/** Writes the history, readable only by its owner, because it may contain secrets. */
export function writeHistory(file: string | undefined, lines: readonly string[]): void {
  if (file === undefined || lines.length === 0) return
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 })
  chmodSync(file, 0o600)
}
