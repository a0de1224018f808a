import { COMMANDS } from './commands.ts'
import { note } from '../output.ts'

/** How the command is started here, as a person can paste it: installed in a project, it is not on the path. */
export function ownCommand(
  started: string = process.argv[1] ?? '',
  env: Readonly<Record<string, string | undefined>> = process.env,
): string {
  const path = started.replaceAll('\\', '/')
  if (path.endsWith('/src/cli/main.ts')) return 'npm run -s mandate --'
  if (!INSTALLED.test(path)) return 'mandate'
  const [packageManager = ''] = (env['npm_config_user_agent'] ?? '').split('/')
  return RUNNERS[packageManager] ?? 'npx mandate'
}

/** The command, or the one that makes a project, in a folder of packages. */
const INSTALLED =
  /\/node_modules\/(?:\.bin\/(?:create-)?mandate|mandate\/dist\/cli\/main\.js|create-mandate\/create-mandate\.js)$/

const RUNNERS: Readonly<Record<string, string>> = {
  pnpm: 'pnpm exec mandate',
  yarn: 'yarn mandate',
  bun: 'bunx mandate',
}

/** Replaces `mandate` in the commands that a text names by how it is started here. */
export function pastable(text: string, own: string = ownCommand()): string {
  if (own === 'mandate') return text
  return text.replaceAll(COMMAND, (_, before: string, name: string) =>
    COMMANDS.has(name) ? `${before}${own} ${name}` : `${before}mandate ${name}`,
  )
}

/** Where a text names a command: at the beginning of a line, after a mark, or after a word that leads to one. Elsewhere the word is the policy of an agent. */
const COMMAND = /(^|[:;,.(`] ?| (?:or|with|and|by|run) )mandate ([a-z]+)/gm

/** Writes a note whose commands can be pasted. */
export function hint(text: string): void {
  note(pastable(text))
}
