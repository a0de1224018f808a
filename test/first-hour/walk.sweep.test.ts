import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { installTarballs } from './tarballs.ts'

/** The first five minutes of a new user, from the tarballs, offline: each step is what the page before it says to type. */
let installed: Awaited<ReturnType<typeof installTarballs>>
beforeAll(async () => {
  installed = await installTarballs()
}, 300_000)
afterAll(() => installed?.remove())

const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/_API_KEY$|^VITEST|^MANDATE_|^NODE_OPTIONS$|^NODE_ENV$/.test(name)),
)

interface Said {
  readonly code: number | null
  readonly out: string
  readonly notes: string
}

const folder = (): string => join(installed.folder, 'my-agent')
const main = (): string => join(installed.folder, 'node_modules/mandate/dist/cli/main.js')

function mandate(cwd: string, ...words: string[]): Said {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main(), ...words], { cwd, env, encoding: 'utf8' })
  return { code: status, out: stdout, notes: stderr }
}

/** What a note tells to type next. */
function told(notes: string, command: string): string {
  const found = new RegExp(`mandate ${command} (\\S+)`).exec(notes)?.[1]
  if (found === undefined) throw new Error(`Nothing says "mandate ${command}":\n${notes}`)
  return found
}

const ROOT = join(import.meta.dirname, '../..')

/** What stays the same of a line from one execution to the next: its words and signs. */
const wordsOf = (line: string): string =>
  line
    .replace(/…$/u, '')
    .replaceAll(/\b[0-9a-f]{16}\b|[\d.:/]+/gu, '#')
    .trim()

test(
  'npm start shows what the README shows, and its runs are in the list and in the studio',
  { timeout: 120_000 },
  async () => {
    const scripts = (
      JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
    ).scripts
    // What it starts, in a folder of its own: it keeps its journal where it is started.
    const program = scripts['start']!.split(' && ').at(-1)!.split(' ').slice(1)
    const here = join(installed.folder, 'clone')
    mkdirSync(here)
    for (const name of ['examples', 'src', 'node_modules', 'package.json'])
      symlinkSync(join(ROOT, name), join(here, name))
    const { status, stdout } = spawnSync(process.execPath, program, { cwd: here, env, encoding: 'utf8' })
    expect(status).toBe(0)
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
    const shown = /From a clone, `npm start`[^]*?```\n([^]*?)```/u.exec(readme)![1]!.trim().split('\n')
    const said = stdout.split('\n').map(wordsOf)
    let from = 0
    for (const line of shown.map(wordsOf)) {
      const at = said.findIndex((one, index) => index >= from && one.startsWith(line))
      expect(at, line).toBeGreaterThanOrEqual(from)
      from = at
    }
    // The commands that it names at its end.
    const runs = mandate(here, 'runs')
    expect([runs.code, runs.out.match(/completed/gu)]).toEqual([0, ['completed', 'completed']])
    expect(await studioAnswers(here)).toBe(200)
  },
)

test('init, own tool, run, approval, fork, diff, eval, studio', { timeout: 240_000 }, async () => {
  const made = mandate(installed.folder, 'init', 'my-agent', '--template', 'agent')
  expect(made).toMatchObject({ code: 0, notes: /cd my-agent\n {2}npm install\n {2}npm start/ })

  // An own tool, as the README of the project says.
  const tools = join(folder(), 'src/tools.ts')
  writeFileSync(
    tools,
    `${readFileSync(tools, 'utf8')}
export const sendMail = defineTool({
  name: 'send_mail',
  description: 'Sends a mail to the customer.',
  inputSchema: z.object({ text: z.string() }),
  risk: 'write',
  run: ({ text }) => \`sent: \${text}\`,
})
`,
  )
  const config = join(folder(), 'mandate.config.ts')
  writeFileSync(
    config,
    readFileSync(config, 'utf8')
      .replace('import { findOrder, refund }', 'import { findOrder, refund, sendMail }')
      .replace('tools: [findOrder, refund]', 'tools: [findOrder, refund, sendMail]')
      .replace("allow: ['find_order', 'refund']", "allow: ['find_order', 'refund', 'send_mail']"),
  )
  expect(mandate(folder(), 'doctor')).toMatchObject({ code: 0 })
  expect(
    mandate(folder(), 'policy', 'test', 'mandate.config.ts', 'send_mail', '--input', '{"text":"Hello."}'),
  ).toMatchObject({
    code: 0,
    out: /^allow/,
  })

  // It runs, and waits for a person.
  const ran = mandate(folder(), 'run', 'support', 'The customer wants order A-17 back.')
  expect(ran).toMatchObject({ code: 4, notes: /find_order[^]*large-refund/ })
  const run = told(ran.notes, 'resume')
  expect(mandate(folder(), 'inbox').out).toContain('refund {"order":"A-17","amount":80}')
  const approved = mandate(folder(), 'approve', told(ran.notes, 'approve'))
  expect(approved.code).toBe(0)
  const resumed = mandate(folder(), 'resume', told(approved.notes, 'resume'))
  expect(resumed).toMatchObject({ code: 0, out: /espresso machine for \$80/ })
  // It is found again by its state and what it was about, and meant by the beginning of its id.
  const found = mandate(folder(), 'runs', '--status', 'completed', '--agent', 'support', '--text', 'a-17 back')
  expect(found.out.split(' ')[0]).toBe(run)
  expect(mandate(folder(), 'show', run.slice(0, -6)).out).toContain(`${run}  completed`)

  // The same run, had the tool answered differently.
  const forked = mandate(
    folder(),
    'fork',
    run,
    '--key',
    'turn:1/tool:1',
    '--value',
    '"There is no such order."',
    '--no-input',
  )
  expect(forked).toMatchObject({ code: 4 })
  const fork = /forked \S+ as (\S+)/.exec(forked.notes)![1]!
  expect(mandate(folder(), 'diff', fork)).toMatchObject({ code: 1, out: /^~ .*There is no such order/m })
  expect(mandate(folder(), 'replay', run)).toMatchObject({ code: 0, out: /identical/ })
  expect(mandate(folder(), 'verify', run)).toMatchObject({ code: 0, out: /ok/ })

  // A regression test from the run, which passes.
  const written = mandate(folder(), 'eval', 'from-run', run)
  expect(written.code).toBe(0)
  const file = /(\S+\.eval\.json)/.exec(`${written.out}${written.notes}`)![1]!
  expect(mandate(folder(), 'eval', file)).toMatchObject({ code: 0, out: /1\/1/ })

  expect(await studioAnswers(folder())).toBe(200)
  for (const words of [['runs'], ['metrics'], ['audit'], ['help'], ['completion', 'bash']])
    expect([words, mandate(folder(), ...words).code]).toEqual([words, 0])
})

/** Opens the link that `mandate studio` prints, as a browser would. */
async function studioAnswers(cwd: string): Promise<number> {
  const studio = spawn(process.execPath, [main(), 'studio', '--port', '0', '--json'], { cwd, env })
  try {
    const link = await new Promise<string>((resolve, reject) => {
      let out = ''
      studio.stdout.on('data', (chunk: Buffer) => {
        out += chunk.toString()
        if (out.includes('\n')) resolve((JSON.parse(out) as { link: string }).link)
      })
      studio.once('exit', () => reject(new Error(`The studio has ended: ${out}`)))
    })
    const signedIn = await fetch(link, { redirect: 'manual' })
    const cookie = signedIn.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ')
    const page = await fetch(new URL(signedIn.headers.get('location') ?? '/', link), { headers: { cookie } })
    return (await page.text()).includes('<div id="root">') ? page.status : 0
  } finally {
    studio.kill('SIGTERM')
  }
}
