import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MandateError } from 'mandate'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { type ConnectCheck, withoutCheck } from '../../src/connect/checks.ts'
import { optionsOf } from '../../src/connect/shell/option-table.ts'
import { TABLES, tableOf } from '../../src/connect/shell/programs.ts'
import { locate } from '../requirements.ts'
import { isSweep } from '../rotation.ts'
import { MODES, SHELL_CASES, shellFaults, shellGround } from './shell-corpus.fixture.ts'

/** An argument list that does harm when the real program gets it: `p` appears in the workspace or outside, or the secret in the output. */
interface Attack {
  readonly argv: readonly string[]
  readonly allow?: string
  /** The check that stops it. */
  readonly check: ConnectCheck
  readonly deed: 'p' | 'outside' | 'secret' | 'q'
  /** Another check refuses it as well. */
  readonly twice?: true
}

const by = (check: ConnectCheck, deed: Attack['deed'], argv: readonly string[], allow?: string): Attack => ({
  argv,
  check,
  deed,
  ...(allow === undefined ? {} : { allow }),
})

/** `OUT` stands for a folder outside the workspace. */
const ATTACKS: readonly Attack[] = [
  by('shell.options', 'p', ['tar', '-I', 'touch p', '-cf', 'y.tar', 'a.txt']),
  by('shell.options', 'p', ['tar', 'cfI', 'y.tar', 'touch p', 'a.txt']),
  by('shell.options', 'p', ['tar', '--checkpoint=1', '--checkpoint-actio=exec=touch p', '-cf', 'y.tar', 'a.txt']),
  by('shell.options', 'p', ['tar', '--to-com=touch p', '-xf', 'x.tar']),
  by('shell.options', 'p', ['tar', '-cf', 'y.tar', 'a.txt', '--use-comp', 'touch p']),
  by('shell.paths', 'outside', ['tar', '-vcfOUT/p', 'a.txt']),
  by('shell.paths', 'outside', ['tar', 'cf', 'OUT/p', 'a.txt']),
  by('shell.options', 'outside', ['sort', '-uoOUT/p', 'a.txt']),
  by('shell.options', 'outside', ['sort', '--outp=OUT/p', 'a.txt']),
  by('shell.paths', 'secret', ['date', '-ufOUT/secret']),
  by('shell.options', 'p', ['git', 'clone', '-u', 'touch p;', './repo', 'q']),
  {
    ...by('shell.options', 'p', ['git', 'clone', '-c', 'protocol.ext.allow=always', 'ext::touch p', 'q']),
    twice: true,
  },
  { ...by('shell.options', 'p', ['git', '-c', 'core.sshCommand=touch p;', 'ls-remote', 'h:x']), twice: true },
  by('shell.options', 'p', ['git', '-C', 'repo', 'grep', '-Otouch ../p;', 'hello']),
  by('shell.options', 'p', ['git', '-c', 'alias.x=!touch p', 'x']),
  by('shell.options', 'outside', ['git', '-C', 'repo', 'log', '--output=OUT/p']),
  by('shell.options', 'p', ['git', '-C', 'repo', '-c', 'diff.external=touch ../p;', 'diff', 'HEAD~1']),
  by('shell.options', 'p', ['find', '.', '-maxdepth', '0', '-exec', 'touch', 'p', ';']),
  by('shell.options', 'outside', ['find', '.', '-fprint', 'OUT/p']),
  by('shell.options', 'p', ['sed', '-n', '1e touch p', 'a.txt'], 'sed -n'),
  by('shell.options', 'outside', ['sed', '-n', 'w OUT/p', 'a.txt'], 'sed -n'),
  by('shell.options', 'p', ['awk', '-F,', 'BEGIN{system("touch p")}'], 'awk -F,'),
  by('shell.options', 'p', ['split', '--filt=touch p', 'a.txt']),
  by('shell.options', 'p', ['zip', '-q', 'z', 'a.txt', '-T', '-TT', 'touch p;#']),
  by('shell.links', 'secret', ['cat', 'leak']),
  by('shell.links', 'secret', ['cat', 'folder/secret']),
  by('shell.links', 'outside', ['cp', 'a.txt', 'folder/p']),
  by('shell.links', 'outside', ['tee', 'dangling']),
  by('shell.options', 'secret', ['grep', '-R', 'SECRET', '.']),
  by('shell.options', 'secret', ['diff', '-r', 'd', 'links']),
  by('shell.options', 'q', ['cp', '-rL', 'links', 'q']),
  by('shell.paths', 'secret', ['grep', '-ef', '-vfOUT/nothing', 'OUT/secret']),
]

interface Field {
  readonly root: string
  readonly outside: string
  argv(attack: Attack): string[]
  hasDone(attack: Attack, output: string): boolean
}

let made: string | undefined
afterAll(() => {
  if (made !== undefined) rmSync(made, { recursive: true, force: true })
})

/** An archive and a repository, made once for all attacks. */
function archives(): string {
  if (made !== undefined) return made
  const folder = mkdtempSync(join(tmpdir(), 'mandate-archives-'))
  made = folder
  writeFileSync(join(folder, 'a.txt'), 'b\na\n')
  mkdirSync(join(folder, 'repo'))
  execFileSync('tar', ['-cf', 'x.tar', 'a.txt'], { cwd: folder })
  const git = (...args: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e', ...args], {
      cwd: join(folder, 'repo'),
      stdio: 'ignore',
    })
  git('init', '-q')
  for (const text of ['hello', 'hello there']) {
    writeFileSync(join(folder, 'repo/f'), text)
    git('add', 'f')
    git('commit', '-qm', text)
  }
  return folder
}

/** A workspace with a repository, an archive and links that lead out. */
function field(root: string): Field {
  const outside = realpathSync(mkdtempSync(join(tmpdir(), 'mandate-outside-')))
  onTestFinished(() => rmSync(outside, { recursive: true, force: true }))
  writeFileSync(join(outside, 'secret'), 'SECRET\n')
  writeFileSync(join(outside, 'nothing'), 'zzz\n')
  for (const folder of ['d', 'links']) mkdirSync(join(root, folder))
  writeFileSync(join(root, 'd/leak'), 'mine\n')
  symlinkSync(join(outside, 'secret'), join(root, 'links/leak'))
  symlinkSync(join(outside, 'secret'), join(root, 'leak'))
  symlinkSync(outside, join(root, 'folder'))
  symlinkSync(join(outside, 'p'), join(root, 'dangling'))
  cpSync(archives(), root, { recursive: true })
  return {
    root,
    outside,
    argv: ({ argv }) => argv.map((arg) => arg.replaceAll('OUT', outside)),
    hasDone({ deed }, output) {
      if (deed === 'secret') return output.includes('SECRET')
      if (deed === 'q')
        return existsSync(join(root, 'q/leak')) && readFileSync(join(root, 'q/leak'), 'utf8').includes('SECRET')
      return existsSync(join(deed === 'outside' ? outside : root, 'p'))
    },
  }
}

const isHere = (program: string): boolean => locate({ program, neededFor: 'hostile arguments' }) !== undefined

describe.skipIf(isSweep)('what the real programs do with hostile arguments', () => {
  for (const attack of ATTACKS) {
    const [program = '', ...rest] = attack.argv
    it.runIf(isHere(program))(`refused: ${attack.argv.join(' ')}`, async () => {
      const place = shellGround({ allow: [attack.allow ?? program], isolation: 'none' })
      onTestFinished(() => place.end())
      const { argv, hasDone } = field(place.root)
      // Refused, and nothing is done.
      const refused = await place.call({ argv: argv(attack) }).catch((error: unknown) => error)
      expect(MandateError.isInstance(refused) && refused.code, rest.join(' ')).toBe('DENIED')
      expect(hasDone(attack, '')).toBe(false)
      // Without the check it is let through.
      if (attack.twice !== true) {
        const attempted = (): Promise<unknown> => place.call({ argv: argv(attack) }).catch((error: unknown) => error)
        expect(await withoutCheck(attack.check, attempted)).toHaveProperty('exitCode')
      }
      // And the program itself, when nothing stands before it, does the deed: the attack is one.
      const env = { PATH: process.env['PATH'], HOME: place.root }
      const ran = spawnSync(program, argv(attack).slice(1), {
        cwd: place.root,
        encoding: 'utf8',
        timeout: 10_000,
        input: 'x',
        env,
      })
      expect(hasDone(attack, ran.stdout + ran.stderr)).toBe(true)
    })
  }
})

describe.skipIf(isSweep)('the tables', () => {
  /** Options in the help text of a program: whether each takes a value. */
  function helpOf(program: string): ReadonlyMap<string, 'none' | 'required' | 'optional'> {
    const { stdout } = spawnSync(program, ['--help'], {
      encoding: 'utf8',
      timeout: 5_000,
      env: { PATH: process.env['PATH'], LANG: 'C' },
    })
    const found = new Map<string, 'none' | 'required' | 'optional'>()
    for (const line of stdout.split('\n')) {
      const words = /^ {1,8}(-\S.*?)(?: {2,}|$)/.exec(line)?.[1]
      if (words === undefined) continue
      const long = /(--[a-z][\w-]+)(\[=|=| (?=[A-Z]))?/.exec(words)
      if (long === null) continue
      const takes = long[2] === undefined ? 'none' : long[2] === '[=' ? 'optional' : 'required'
      found.set(long[1]!, takes)
      for (const [, letter] of words.matchAll(/(?:^|, )(-[A-Za-z0-9])(?=,|$)/g))
        if (!found.has(letter!)) found.set(letter!, takes)
    }
    return found
  }

  const GNU = [...TABLES.keys()].filter(
    (name) =>
      ![
        'git',
        'find',
        'file',
        'jq',
        'wget',
        'zip',
        'unzip',
        'curl',
        'man',
        'node',
        'docker',
        'make',
        'sh',
        'bash',
        'env',
        'xargs',
      ].includes(name),
  )

  it.each(GNU.filter(isHere))('%s: an option never takes more of the arguments than the program does', (program) => {
    const options = optionsOf(tableOf(program)!)
    const wrong: string[] = []
    for (const [name, takes] of helpOf(program)) {
      const known = options.get(name)
      // To take a value that the program does not take would hide the next argument. Refused options hide nothing.
      const isRefused = ['run', 'write', 'reach', 'config'].includes(known?.role ?? '')
      if (known?.takes === 'required' && takes !== 'required' && !isRefused) wrong.push(`${name} takes ${takes}`)
    }
    expect(wrong).toEqual([])
  })
})

// Each tries hundreds of cases, which `shell.test.ts` tries with the checks on: in the sweep.
describe.runIf(isSweep)('the checks of commands', () => {
  const CASES = SHELL_CASES.filter(({ expect: expected }) => expected === 'deny')

  it.each([
    ['shell.programs', 50],
    ['shell.launchers', 8],
    ['shell.options', 80],
    ['shell.unknown-options', 4],
    ['shell.paths', 60],
  ] as const)('without %s at least %i cases of the corpus fail', async (check, least) => {
    const failing: string[] = []
    for (const one of CASES) {
      if (failing.length >= least) break
      const mode = one.isolation?.[0] ?? 'none'
      if (!MODES.includes(mode)) continue
      const faults = await withoutCheck(check, () => shellFaults(one, mode))
      if (faults.length > 0) failing.push(one.id)
    }
    expect(failing.length).toBeGreaterThanOrEqual(least)
  })
})
