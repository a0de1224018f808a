import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, onTestFailed, onTestFinished } from 'vitest'
import { findProgram } from '../requirements.ts'
import { COMMAND, REFUND, environment, mandate, mandateProcess, store, useOwnFolder } from './mandate.fixture.ts'

useOwnFolder()

const script = findProgram({ program: 'script', aptPackage: 'bsdutils', neededFor: 'shells in a pseudo-terminal' })

/** How each shell is started without what a user has set up, and how it gets its completion. */
const SHELLS: Readonly<Record<string, { readonly start: string; readonly load: string }>> = {
  bash: { start: 'bash --norc --noprofile -i', load: 'source <(mandate completion bash)' },
  zsh: { start: 'zsh -f -i', load: 'source <(mandate completion zsh)' },
  fish: { start: 'fish --no-config -i', load: 'mandate completion fish | source' },
}

let bin = ''
beforeEach(() => {
  bin = mkdtempSync(join(tmpdir(), 'mandate-bin-'))
  const command = COMMAND.map((word) => `'${word}'`).join(' ')
  writeFileSync(join(bin, 'mandate'), `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o755 })
})
afterEach(() => rmSync(bin, { recursive: true }))

/** Types the lines into an interactive shell, each after the screen has shown what the one before leads to. */
function typeInto(start: string, steps: readonly (readonly [keys: string, shown: RegExp])[]): Promise<string> {
  const home = join(bin, 'home')
  mkdirSync(home, { recursive: true })
  const child = spawn(script!, ['-qefc', `stty cols 200 rows 50; exec ${start}`, '/dev/null'], {
    cwd: home,
    env: {
      ...environment(),
      ...{ HOME: home, PATH: `${bin}:${process.env['PATH']}`, TERM: 'xterm', MANDATE_DIR: store() },
    },
  })
  const open = [...steps]
  let screen = ''
  let from = 0
  const next = (): void => {
    from = screen.length
    const [keys] = open[0] ?? ['\u0015exit\r']
    child.stdin.write(keys)
  }
  child.stdout.on('data', (data: Buffer) => {
    screen += data.toString().replaceAll('\0', '')
    const plain = stripVTControlCharacters(screen.slice(from))
    if (open[0]?.[1].test(plain) !== true) return
    open.shift()
    next()
  })
  next()
  onTestFailed(() => console.error(JSON.stringify(screen)))
  onTestFinished(() => void child.kill())
  return new Promise((resolve) => child.on('close', () => resolve(screen)))
}

describe.each(Object.entries(SHELLS))('completion in %s', (name, { start, load }) => {
  const shell = findProgram({ program: name, neededFor: `the completion of commands in ${name}` })

  it.skipIf(script === undefined || shell === undefined)(
    'completes commands, options, and ids of the store by the Tab key',
    { timeout: 120_000 },
    async () => {
      const run = /mandate resume (\S+)/.exec((await mandate('run', REFUND, 'Refund order A-17.')).notes)![1]!
      const cleared = '\u0015'
      const screen = await typeInto(start, [
        [`${load}; echo loa""ded\r`, /loaded/],
        ['mandate resu\t', /mandate resume /],
        [`${cleared}mandate resume \t`, new RegExp(`resume ${run}`)],
        [`${cleared}mandate approve \t`, new RegExp(`approve ${run}-ap4`)],
        [`${cleared}mandate fork ${run} --in\t`, /--input /],
        [`${cleared}mandate retention --ke\t`, /--keep /],
      ])
      expect(screen).not.toMatch(/command not found|Unknown command|parse error/)
    },
  )
})

it('a script for each shell needs nothing but that shell', () => {
  for (const shell of Object.keys(SHELLS))
    expect(mandateProcess('completion', shell).out).not.toMatch(/\bsed\b|\bawk\b/)
})
