import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent } from 'mandate'
import { shellIsolation, shellTool } from 'mandate/connect'
import type { ShellOptions } from '../../src/connect/shell/shell-tool.ts'
import { memoryJournal, readAll } from 'mandate/journal'
import { scripted } from 'mandate/model'
import { describe, expect, it, onTestFinished } from 'vitest'
import { withoutCheck } from '../../src/connect/checks.ts'
import { visible } from '../../src/core/index.ts'
import { BY_HAND, type Ground, MODES, SHELL_CASES, shellFaults, shellGround, sizeOf } from './shell-corpus.fixture.ts'

function ground(options: Partial<ShellOptions> = {}): Ground {
  const place = shellGround(options)
  onTestFinished(() => place.end())
  return place
}

describe('a program and its arguments', () => {
  it('runs in the workspace with a clean environment, and says how far it is kept apart', async () => {
    const { root, call } = ground()
    mkdirSync(join(root, 'd'))
    writeFileSync(join(root, 'd/a.txt'), 'hello')
    expect(await call({ argv: ['cat', 'd/a.txt'] })).toMatchObject({ exitCode: 0, stdout: 'hello' })
    expect((await call({ argv: ['pwd'], cwd: 'd' })).stdout.trim()).toBe(join(root, 'd'))
    process.env['MANDATE_PLANTED'] = 'planted'
    onTestFinished(() => void delete process.env['MANDATE_PLANTED'])
    const { stdout, isolation } = await call({ argv: ['printenv'] })
    expect(stdout).not.toContain('planted')
    expect(isolation).toBe(MODES[0] === 'required' ? 'bubblewrap' : 'none')
  })

  it('gets its arguments as they are: no shell reads them', async () => {
    const { call } = ground()
    const { stderr } = await call({ argv: ['ls', '`id`', '$(id)', ';id', '*'] })
    expect(stderr).toContain('`id`')
    expect(stderr).not.toContain('uid=')
  })

  it('is ended with all it started when it writes too much, takes too long or is cancelled', async () => {
    const flood = await ground({ maxBytes: 10_000 }).call({ argv: ['yes'] })
    expect(flood.stopped).toContain('more than 10000 bytes')
    expect(flood.stdout.length).toBeLessThanOrEqual(10_000)
    expect((await ground({ timeoutMs: 100 }).call({ argv: ['sleep', '60'] })).stopped).toContain('longer than 100 ms')
    const cutter = new AbortController()
    const waiting = ground().call({ argv: ['sleep', '60'] }, cutter.signal)
    cutter.abort()
    expect((await waiting).stopped).toContain('cancelled')
  })

  it('takes those it left in its group with it', async () => {
    const { root, call } = ground({ allow: ['sh'], launchers: true })
    const { exitCode } = await call({ argv: ['sh', '-c', '(sleep 0.2; echo late > late.txt) & exit 0'] })
    expect(exitCode).toBe(0)
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(existsSync(join(root, 'late.txt'))).toBe(false)
  })

  it('may live outside the folders of the system: it is brought along, alone', async () => {
    const elsewhere = realpathSync(mkdtempSync(join(tmpdir(), 'mandate-program-')))
    onTestFinished(() => rmSync(elsewhere, { recursive: true, force: true }))
    copyFileSync('/bin/cat', join(elsewhere, 'reader'))
    writeFileSync(join(elsewhere, 'beside.txt'), 'beside')
    const { root, call } = ground({ allow: ['reader'], path: [elsewhere] })
    writeFileSync(join(root, 'a.txt'), 'hello')
    expect(await call({ argv: ['reader', 'a.txt'] })).toMatchObject({ exitCode: 0, stdout: 'hello' })
  })

  it('is refused when its list is made if it runs other programs, or is not there', () => {
    expect(() => ground({ allow: ['bash'] })).toThrow('runs other programs')
    expect(() => ground({ allow: ['/bin/ls'] })).toThrow('bare name')
    expect(() => ground({ allow: ['no-such-program'] })).toThrow('is not in')
  })
})

const isolated = MODES.includes('required')

/** What only the kernel can do. */
describe.runIf(isolated)('an isolated program', () => {
  const shell = (options: Partial<ShellOptions> = {}): Ground =>
    ground({ allow: ['sh'], launchers: true, isolation: 'required', ...options })
  const line = (command: string): { argv: string[] } => ({ argv: ['sh', '-c', command] })

  it('is the normal case: no option asks for it', async () => {
    expect((await ground({ isolation: undefined }).call({ argv: ['ls'] })).isolation).toBe('bubblewrap')
  })

  it('sees nothing of the machine but the system, also behind links', async () => {
    const outside = realpathSync(mkdtempSync(join(tmpdir(), 'mandate-outside-')))
    onTestFinished(() => rmSync(outside, { recursive: true, force: true }))
    writeFileSync(join(outside, 'secret'), 'SECRET')
    const { root, call } = shell()
    symlinkSync(join(outside, 'secret'), join(root, 'leak'))
    symlinkSync('/etc', join(root, 'etc'))
    const { stdout } = await call(
      line(`cat leak ${outside}/secret etc/passwd etc/shadow; ls -A /root /home /var /run; true`),
    )
    expect(stdout).toBe('')
  })

  it('can write in the workspace alone', async () => {
    const { root, call } = shell()
    const { stderr } = await call(line('touch in.txt; touch /out.txt; touch /usr/out.txt; touch /etc/out.txt'))
    expect(existsSync(join(root, 'in.txt'))).toBe(true)
    expect(stderr.match(/Read-only file system/g)).toHaveLength(3)
  })

  it('has no network unless that is granted', async () => {
    const count = line('grep -c : /proc/net/dev')
    expect((await shell().call(count)).stdout.trim()).toBe('1')
    expect((await shell({ network: true }).call(line('ls /etc/resolv.conf'))).stdout).toContain('resolv.conf')
  })

  it('has no rights, and sees no other process', async () => {
    const { stdout } = await shell().call(line('grep CapEff /proc/self/status; ls -d /proc/[0-9]* | wc -l'))
    const [rights, processes] = stdout.trim().split('\n')
    expect(rights).toMatch(/^CapEff:\s+0+$/)
    expect(Number(processes)).toBeLessThan(10)
  })

  it('tool-shell-58: leaves no process behind, not even one with a session of its own', async () => {
    const { root, call } = shell()
    await call(line('setsid sh -c "setsid sh -c \'sleep 0.2; echo late > late.txt\' &" & exit 0'))
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(existsSync(join(root, 'late.txt'))).toBe(false)
  })

  it('tool-shell-55: a program that forks without end is ended with all of its processes', async () => {
    const { root, call } = shell({ timeoutMs: 500 })
    const { stopped } = await call(line('while true; do (sleep 1; echo late >> late.txt) & sleep 0.02; done'))
    expect(stopped).toContain('longer than 500 ms')
    await new Promise((resolve) => setTimeout(resolve, 1_200))
    expect(existsSync(join(root, 'late.txt'))).toBe(false)
  })

  it('reads further folders where they are named', async () => {
    const tools = realpathSync(mkdtempSync(join(tmpdir(), 'mandate-tools-')))
    onTestFinished(() => rmSync(tools, { recursive: true, force: true }))
    writeFileSync(join(tools, 'a'), 'there')
    expect((await shell({ readable: [tools] }).call(line(`cat ${tools}/a; touch ${tools}/b`))).stdout).toBe('there')
    expect(existsSync(join(tools, 'b'))).toBe(false)
    expect(() => shell({ readable: ['x'] })).toThrow('absolute')
  })
})

describe.skipIf(MODES[0] !== 'required')('what `deny` names in the workspace', () => {
  const deny = ['.env', '*.pem', 'keys']
  const line = (text: string): { argv: string[] } => ({ argv: ['sh', '-c', text] })

  function secrets(): Ground {
    const place = ground({ allow: ['sh -c'], deny })
    mkdirSync(join(place.root, 'deep/keys'), { recursive: true })
    for (const name of ['.env', 'deep/a.pem', 'deep/keys/k', 'deep/open']) writeFileSync(join(place.root, name), name)
    symlinkSync('../.env', join(place.root, 'deep/link'))
    return place
  }

  it('is read by no program, by whatever name, and what is beside it is', async () => {
    const { call } = secrets()
    const tried =
      'cat .env deep/a.pem deep/keys/k deep/link; cp .env copy; ln .env hard; mv .env moved; cat copy hard moved'
    expect((await call(line(`${tried}; cat deep/open`))).stdout).toBe('deep/open')
    expect(await withoutCheck('shell.deny-list', async () => (await call(line('cat .env'))).stdout)).toBe('.env')
  })

  it('is looked for at each command, and stays as it is', async () => {
    const { root, call } = secrets()
    await call(line('echo x > deep/keys/new; rm -rf deep/keys .env; echo y >> deep/a.pem; mkdir later'))
    expect(readdirSync(join(root, 'deep/keys'))).toEqual(['k'])
    expect(readFileSync(join(root, 'deep/a.pem'), 'utf8')).toBe('deep/a.pem')
    writeFileSync(join(root, 'later/b.pem'), 'late')
    expect((await call(line('cat later/b.pem'))).stdout).toBe('')
  })

  it('ends the command where there is too much of it', async () => {
    const { root, call } = secrets()
    for (let i = 0; i < 1_001; i++) writeFileSync(join(root, `${i}.pem`), '')
    await expect(call(line('true'))).rejects.toThrow('Work in a smaller folder')
  })
})

it('`deny` is refused without isolation, which alone can keep it', () => {
  expect(() => shellTool({ root: '.', allow: ['ls'], isolation: 'none', deny: ['.env'] })).toThrow('needs isolation')
})

describe('what holds', () => {
  it('is said by the machine itself, with what to do', () => {
    const { isolation, holds, missing } = shellIsolation()
    if (isolation === 'bubblewrap') expect(holds.join()).toContain('no network')
    else expect(missing.join()).toContain('Install `bubblewrap`')
  })

  it('is refused where it cannot be had, and not weakened by a word that is none', () => {
    expect(() => ground({ isolation: 'best' as never })).toThrow('required, none')
    if (!isolated) expect(() => ground({ isolation: 'required' })).toThrow("isolation: 'none'")
    expect(() => ground({ root: '/' })).toThrow('holds the system')
  })

  it('is on record from the start of a run, and in every result', async () => {
    const root = mkdtempSync(join(tmpdir(), 'mandate-shell-'))
    onTestFinished(() => rmSync(root, { recursive: true, force: true }))
    const tool = shellTool({ root, allow: ['ls'], isolation: 'none' })
    const journal = memoryJournal()
    const model = scripted([{ toolCalls: [{ name: 'run_command', input: { argv: ['ls'] } }] }, 'done'])
    const config = { id: 'a', model, tools: [tool], mandate: { grant: ['run_command'] } }
    const { id } = await new Agent(config, { journal }).run('go')
    const entries = await readAll(journal, id)
    expect(JSON.stringify(entries.find(({ type }) => type === 'run-start'))).toContain('isolation: none')
    expect(JSON.stringify(entries.filter(({ type }) => type === 'effect-end'))).toContain('"isolation":"none"')
  })
})

describe('the corpus of hostile commands', () => {
  for (const one of SHELL_CASES) {
    it.runIf(!BY_HAND.has(one.id))(`${one.id}: ${one.reason}`, async () => {
      const modes = (one.isolation ?? MODES).filter((mode) => MODES.includes(mode))
      expect((await Promise.all(modes.map((mode) => shellFaults(one, mode)))).flat()).toEqual([])
    })
  }

  it('tool-shell-01: there is no such tool unless it is given', async () => {
    const model = scripted([{ toolCalls: [{ name: 'run_command', input: { argv: ['ls'] } }] }, 'done'])
    const journal = memoryJournal()
    const { id } = await new Agent({ id: 'a', model }, { journal }).run('go')
    const entries = JSON.stringify(await readAll(journal, id))
    expect(entries).toContain('run_command')
    expect(entries).not.toContain('exitCode')
  })

  it('tool-shell-56: what a program writes is bounded', async () => {
    const { root, call } = ground({ allow: ['sh'], launchers: true, bounds: { fileBytes: 100_000 } })
    await call({ argv: ['sh', '-c', 'yes > big.txt'] })
    expect(sizeOf(join(root, 'big.txt'))).toBeGreaterThan(0)
    expect(sizeOf(join(root, 'big.txt'))).toBeLessThanOrEqual(100_000)
  })

  it('tool-shell-59: terminals are not shown what would move them', async () => {
    const { call } = ground({ allow: ['printf'] })
    const { stdout } = await call({ argv: ['printf', '\\033[2Jx'] })
    expect(stdout).toBe('\u001b[2Jx')
    expect(visible(stdout)).not.toContain('\u001b')
  })

  it('has no case by hand that is not there', () => {
    const ids = new Set(SHELL_CASES.map(({ id }) => id))
    for (const id of BY_HAND) expect(ids.has(id)).toBe(true)
  })
})
