import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { REFUND, ROOT, commandLine, environment, mandateIn, store, useOwnFolder } from './mandate.fixture.ts'
import type { Said } from './mandate.fixture.ts'

useOwnFolder()

const ORDER = 'A-1789-planted'

function mandate(words: readonly string[], env: Record<string, string> = {}): Promise<Said> {
  return mandateIn(env, ...words)
}

/** In another working folder, and so in a process of its own. */
function mandateAt(cwd: string, ...words: readonly string[]): Said {
  const [program, ...args] = commandLine(words)
  const { status, stdout, stderr } = spawnSync(program!, args, { cwd, env: environment(), encoding: 'utf8' })
  return { code: status, out: stdout, notes: stderr }
}

function bytesOfStore(): string {
  return readdirSync(store())
    .map((name) => readFileSync(join(store(), name), 'latin1'))
    .join('\n')
}

async function newKeyLine(id: string): Promise<string> {
  const { code, out } = await mandate(['key', id])
  expect(code).toBe(0)
  return out.trim()
}

describe('an encrypted store on the command line', () => {
  it('gets no key whose id a key ring would refuse', async () => {
    expect((await mandate(['key', 'first of all'])).code).toBe(6)
  })

  it('keeps runs sealed under the keys of the environment, and tells that an export is plain', async () => {
    const keys = { MANDATE_KEYS: await newKeyLine('k1') }
    const { notes } = await mandate(['run', REFUND, `Refund order ${ORDER}.`], keys)
    const run = /mandate resume (\S+)/.exec(notes)![1]!
    expect(bytesOfStore()).not.toContain(ORDER)
    const exported = await mandate(['export', run], keys)
    expect(exported.notes).toContain('the export is not')
    expect(exported.out).toContain(ORDER)
    expect((await mandate(['show', run], keys)).code).toBe(0)
    const refused = await mandate(['show', run])
    expect(refused).toMatchObject({ code: 6, notes: expect.stringMatching(/"k1".*MANDATE_KEYS/) as string })
    expect((await mandate(['show', run], { MANDATE_KEYS: await newKeyLine('k1') })).notes).toContain('does not open')
    // Without a key the chain can still be checked.
    expect(await mandate(['verify', run])).toMatchObject({ code: 0, out: expect.stringContaining('ok:') as string })
    expect((await mandate(['audit'])).code).toBe(0)
  }, 60_000)

  it('changes keys, after which the new one alone is enough', async () => {
    const [old, fresh] = [await newKeyLine('k1'), await newKeyLine('k2')]
    const { notes } = await mandate(['run', REFUND, `Refund order ${ORDER}.`], { MANDATE_KEYS: old })
    const run = /mandate resume (\S+)/.exec(notes)![1]!
    const said = await mandate(['rekey'], { MANDATE_KEYS: `${fresh},${old}` })
    expect(said).toMatchObject({ code: 0, out: expect.stringContaining('"k2"') as string })
    expect((await mandate(['export', run], { MANDATE_KEYS: fresh })).out).toContain(ORDER)
    expect((await mandate(['export', run], { MANDATE_KEYS: old })).notes).toContain('"k2"')
  }, 60_000)

  it('takes the keys that the configuration exports', async () => {
    const folder = `${store()}-project`
    mkdirSync(folder)
    writeFileSync(join(folder, 'keys'), await newKeyLine('project'), { mode: 0o600 })
    const path = JSON.stringify(join(folder, 'keys'))
    writeFileSync(
      join(folder, 'mandate.config.mjs'),
      `import { keyRingFromFile } from ${JSON.stringify(join(ROOT, 'src/store/sqlite/index.ts'))}
       export const encryption = () => keyRingFromFile(${path})
       export default { agents: [] }`,
    )
    const { notes } = mandateAt(folder, 'run', join(ROOT, REFUND), `Refund order ${ORDER}.`)
    expect(notes).toContain('mandate resume')
    expect(bytesOfStore()).not.toContain(ORDER)
    expect(mandateAt(folder, 'runs').code).toBe(0)
    expect((await mandate(['runs'])).notes).toContain('"project"')
  }, 60_000)
})
