import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { COMMAND } from './mandate.fixture.ts'

let dir = ''
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'mandate-agents-md-'))))
afterEach(() => rmSync(dir, { recursive: true }))

/** An agent that answers with its own system prompt. */
const ECHO = `import { scripted } from 'mandate/model'
export default {
  id: 'echo',
  instructions: PROMPT,
  model: scripted(({ messages }) => messages.filter(({ role }) => role === 'system').map(({ content }) => content[0].text).join('|')),
}`

function run(prompt: string, ...words: readonly string[]): { code: number | null; out: string; notes: string } {
  writeFileSync(join(dir, 'agent.ts'), ECHO.replace('PROMPT', prompt))
  const [program, ...args] = [...COMMAND, 'run', 'agent.ts', 'Go.', ...words]
  const { status, stdout, stderr } = spawnSync(program!, args, { cwd: dir, encoding: 'utf8' })
  return { code: status, out: stdout, notes: stderr }
}

it('what AGENTS.md says is part of the prompt when that is asked for, and only then', () => {
  writeFileSync(join(dir, 'AGENTS.md'), '# House\n\nUse tabs.\n')
  expect(run(`'Be brief.'`)).toMatchObject({ code: 0, out: 'Be brief.\n' })
  const asked = run(`'Be brief.'`, '--agents-md')
  expect(asked).toMatchObject({
    code: 0,
    out: 'Be brief.\n\nThe instructions of this folder (AGENTS.md):\n\n# House\n\nUse tabs.\n',
  })
})

it('asking for it where there is none, or for a prompt that is a template, is refused', () => {
  expect(run(`''`, '--agents-md')).toMatchObject({ code: 2, notes: expect.stringContaining('no AGENTS.md') as string })
  writeFileSync(join(dir, 'AGENTS.md'), 'Use tabs.')
  const said = run(`{ template: 'greeting' }`, '--agents-md')
  expect(said).toMatchObject({ code: 6, notes: expect.stringContaining('template "greeting"') as string })
})
