import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { COMMAND } from './mandate.fixture.ts'

let dir = ''
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'mandate-files-'))))
afterEach(() => rmSync(dir, { recursive: true }))

/** An agent that answers with what it was given. */
const ECHO = `import { scripted } from 'mandate/model'
export default { id: 'echo', model: scripted(({ messages }) => JSON.stringify(messages.at(-1).content)) }`

function run(...words: readonly string[]): { code: number | null; out: string; notes: string } {
  writeFileSync(join(dir, 'agent.ts'), ECHO)
  const [program, ...args] = [...COMMAND, 'run', 'agent.ts', 'Look.', ...words]
  const { status, stdout, stderr } = spawnSync(program!, args, { cwd: dir, encoding: 'utf8' })
  return { code: status, out: stdout, notes: stderr }
}

it('files go along with the prompt, each as what it is', () => {
  writeFileSync(join(dir, 'cat.png'), Buffer.from('iVBORw0KGgo=', 'base64'))
  writeFileSync(join(dir, 'notes'), 'Größe')
  const { code, out } = run('--file', 'cat.png', '--file', 'notes')
  expect(code).toBe(0)
  expect(JSON.parse(out)).toEqual([
    { type: 'text', text: 'Look.' },
    { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=', filename: 'cat.png' },
    { type: 'text', text: 'File "notes":\nGröße' },
  ])
})

it('a file that is not there is refused by name', () => {
  expect(run('--file', 'gone.png')).toMatchObject({ code: 2, notes: expect.stringContaining('gone.png') as string })
})
