import { spawn } from 'node:child_process'
import { stripVTControlCharacters } from 'node:util'
import { findProgram } from '../requirements.ts'
import { ROOT, commandLine, environment } from './mandate.fixture.ts'

export const script: string | undefined = findProgram({
  program: 'script',
  aptPackage: 'bsdutils',
  neededFor: 'the command line in a pseudo-terminal',
})

export interface Terminal {
  readonly code: number | null
  readonly screen: string
}

/** Runs the command in a pseudo-terminal; `typed` is asked, with what is on the screen so far, what to type next. */
export function inTerminal(
  words: readonly string[],
  typed: (screen: string, type: (keys: string) => void) => string | undefined = () => undefined,
  env: Record<string, string> = {},
): Promise<Terminal> {
  return programInTerminal(commandLine(words), typed, env)
}

/** The same with a whole command line; `more` is added to it as a shell reads it. */
export function programInTerminal(
  program: readonly string[],
  typed: (screen: string, type: (keys: string) => void) => string | undefined = () => undefined,
  env: Record<string, string> = {},
  more = '',
): Promise<Terminal> {
  const line = `${program.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')} ${more}`
  // As wide as a terminal is at least. Without a shell beside it, which would take Ctrl-C as well and decide the exit code.
  const child = spawn(script!, ['-qefc', `stty cols 80 rows 24; exec ${line}`, '/dev/null'], {
    cwd: ROOT,
    env: { ...environment(), TERM: 'xterm-256color', ...env },
  })
  let screen = ''
  child.stdout.on('data', (data: Buffer) => {
    screen += data.toString()
    const keys = typed(screen, (later) => void child.stdin.write(later))
    if (keys !== undefined) child.stdin.write(keys)
  })
  // Not at its exit: what it said last may be read after that.
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, screen })))
}

/** Runs the command in a pseudo-terminal and types each part when the screen shows what it waits for; gives the screen, with the exit code at its end. */
export async function typedInTerminal(
  words: readonly string[],
  parts: readonly (readonly [shown: RegExp, keys: string])[],
  kind: 'dumb' | 'xterm' = 'dumb',
): Promise<string> {
  let next = 0
  let seen = 0
  const type = (screen: string): string | undefined => {
    const part = parts[next]
    if (part === undefined || !part[0].test(screen.slice(seen))) return undefined
    seen = screen.length
    next += 1
    return part[1]
  }
  const { screen, code } = await inTerminal(words, type, { TERM: kind })
  return `${screen}exit ${code}`
}

/** What a screen shows after everything was written to it: carriage returns and erased lines are carried out. */
export function rendered(screen: string): string[] {
  return screen.split('\r\n').map((line) => stripVTControlCharacters(line.split('\r\u001B[2K').at(-1)!))
}

/** Types once, when the screen first shows something. */
export function when(shown: RegExp, keys: string): (screen: string) => string | undefined {
  let isTyped = false
  return (screen) => {
    if (isTyped || !shown.test(screen)) return undefined
    isTyped = true
    return keys
  }
}
