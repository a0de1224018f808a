import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Atlas, agent, chatText, tool } from 'mandate/chat'
import { scripted } from 'mandate/model'
import { openStore } from 'mandate/sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { builtPackage } from '../built-package.ts'

const { flags } = await builtPackage()

test('a conversation whose process is killed in the middle of a tool goes on in another, and does nothing twice', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'mandate-killed-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const log = join(dir, 'log')
  const file = fileURLToPath(new URL('killed.fixture.ts', import.meta.url))
  const child = spawn(process.execPath, [...flags, file, join(dir, 'store'), log], { stdio: 'ignore' })
  const gone = new Promise((resolve) => child.on('exit', resolve))
  const done = (): string => (existsSync(log) ? readFileSync(log, 'utf8') : '')
  while (!done().includes('two')) await new Promise((resolve) => setTimeout(resolve, 20))
  // What may be repeated is stored behind the run: killed before that, the process would not have said the second text.
  const looking = await openStore({ dir: join(dir, 'store') })
  const isStored = async (): Promise<boolean> => {
    const [run] = await looking.journal.list({})
    for await (const { type, data } of looking.journal.read(run!.run))
      if (type === 'effect-start' && JSON.stringify(data).includes('two')) return true
    return false
  }
  await expect.poll(isStored, { timeout: 20_000 }).toBe(true)
  await looking.close()
  child.kill('SIGKILL')
  await gone

  const again: string[] = []
  const parameters = { type: 'object', properties: { step: { type: 'string' } } }
  const work = tool<{ step: string }>({ name: 'work', parameters, risk: 'read', idempotent: true }, ({ step }) => {
    again.push(step)
    return `${step} is done`
  })
  const model = scripted(['', '', 'All done.', 'You are welcome.'])
  const store = await openStore({ dir: join(dir, 'store') })
  const atlas = new Atlas({ agents: [agent({ id: 'worker', model, tools: [work] })], store, conversationId: 'c1' })
  onTestFinished(async () => void (await atlas.stop()))
  expect((await atlas.getConversation()).status).toBe('running')
  const rest = await atlas.continue()
  expect(chatText(await rest.finalMessage)).toBe('First.\nThen.\nAll done.')
  expect([done(), again]).toEqual(['one\ntwo\n', ['two']])
  expect(chatText(await atlas.ask('Thanks.'))).toBe('You are welcome.')
  const { messages } = await atlas.getConversation()
  expect(messages.map(({ role }) => role).join()).toBe('user,assistant,tool,assistant,tool,assistant,user,assistant')
})
