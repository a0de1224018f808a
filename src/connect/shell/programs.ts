import { FILE_PROGRAMS } from './file-programs.ts'
import { GIT } from './git-programs.ts'
import { OTHER_PROGRAMS } from './network-programs.ts'
import type { ProgramTable } from './option-table.ts'
import { TEXT_PROGRAMS } from './text-programs.ts'

/** The programs whose arguments are understood. */
export const TABLES: ReadonlyMap<string, ProgramTable> = new Map([
  ...Object.entries(TEXT_PROGRAMS),
  ...Object.entries(FILE_PROGRAMS),
  ...Object.entries(OTHER_PROGRAMS),
  ['git', GIT] as const,
])

const SAME: { readonly [name: string]: string } = {
  egrep: 'grep',
  fgrep: 'grep',
  gawk: 'awk',
  mawk: 'awk',
  nawk: 'awk',
  nodejs: 'node',
  podman: 'docker',
  python3: 'python',
  sha1sum: 'md5sum',
  sha512sum: 'sha256sum',
  zsh: 'sh',
  dash: 'sh',
  ksh: 'sh',
  ruby: 'perl',
  php: 'perl',
  nohup: 'env',
  nice: 'env',
  timeout: 'env',
  setsid: 'env',
  stdbuf: 'env',
}

/** The meaning of a program's arguments; `undefined` for an unknown program. */
export function tableOf(name: string): ProgramTable | undefined {
  return TABLES.get(Object.hasOwn(SAME, name) ? SAME[name]! : name)
}
