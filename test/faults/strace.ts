import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { findProgram } from '../requirements.ts'
import { announceSkip } from '../rotation.ts'

/** How SQLite touches its files. */
export const WRITES = 'pwrite64,ftruncate,fsync,fdatasync'

/** The path of a strace that works here, or undefined after one loud line: some containers have the program and not the right to use it. */
export function findStrace(neededFor: string): string | undefined {
  const strace = findProgram({ program: 'strace', neededFor })
  if (strace === undefined) return undefined
  if (spawnSync(strace, ['-f', '-o', '/dev/null', '-e', 'trace=close', 'true']).status === 0) return strace
  announceSkip(`${neededFor} (strace may not trace processes here)`, 'give the container the capability SYS_PTRACE')
  return undefined
}

export interface TraceOptions {
  readonly trace: string
  /** Only calls on this database and its log, not those with which Node reads its own files. */
  readonly path: string
  readonly inject?: string | undefined
  readonly log?: string | undefined
}

/** The beginning of a command line that lets a program run with some of its system calls changed, and logs those it traces. */
export function withFault(strace: string, options: TraceOptions): string[] {
  const files = ['', '-wal', '-shm', '-journal', '.heads'].flatMap((suffix) => ['-P', `${options.path}${suffix}`])
  const inject = options.inject === undefined ? [] : ['-e', `inject=${options.inject}`]
  // Not with --seccomp-bpf, which would be faster: some versions then trace the calls and change nothing.
  return [strace, '-f', '-qq', '-o', options.log ?? '/dev/null', ...files, '-e', `trace=${options.trace}`, ...inject]
}

/** How many of the logged calls the busiest thread made: that one is the store's, and faults are counted per thread. */
export function countCalls(log: string, names: string): number {
  const pattern = new RegExp(`^(\\d+) +(?:${names.replaceAll(',', '|')})\\(`)
  const counts = new Map<string, number>()
  for (const line of readFileSync(log, 'utf8').split('\n')) {
    const thread = pattern.exec(line)?.[1]
    if (thread !== undefined) counts.set(thread, (counts.get(thread) ?? 0) + 1)
  }
  return Math.max(0, ...counts.values())
}
