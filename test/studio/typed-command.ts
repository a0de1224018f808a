import { spawnSync } from 'node:child_process'
import { checkFlags, readFlags } from '../../src/cli/flags.ts'
import type { Flags } from '../../src/cli/flags.ts'
import { COMMANDS } from '../../src/cli/help/commands.ts'

export interface Typed {
  readonly command: string
  readonly words: readonly string[]
  readonly flags: Partial<Flags>
}

/** A line as a shell takes it apart and the command line reads it; what the command would refuse throws. */
export function typed(line: string): readonly Typed[] {
  const script = `mandate() { printf '%s\\0' "$@"; printf '\\n\\0'; }\n${line}`
  const { stdout, stderr, status } = spawnSync('sh', ['-c', script], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${line}: ${stderr}`)
  return stdout
    .split('\0\n\0')
    .filter((call) => call !== '')
    .map((call) => {
      const [command = '', ...rest] = call.split('\0')
      const known = COMMANDS.get(command)
      if (known === undefined) throw new Error(`${line}: there is no command "${command}"`)
      checkFlags(command, rest)
      const { flags, words } = readFlags(rest)
      const given = Object.entries(flags).filter(([, value]) =>
        Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false,
      )
      const needed = known.usage.match(/<[^>]+>/g)?.length ?? 0
      if (words.length < needed) throw new Error(`${line}: ${command} ${known.usage}`)
      return { command, words, flags: Object.fromEntries(given) }
    })
}
