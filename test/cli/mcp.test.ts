import { spawn } from 'node:child_process'
import { connectMcp } from 'mandate/mcp'
import type { Tool, ToolContext } from 'mandate/tool'
import { expect, onTestFinished, test } from 'vitest'
import { REFUND, ROOT, commandLine, environment, mandate, refunds, useOwnFolder } from './mandate.fixture.ts'

useOwnFolder()

const CALL = { signal: new AbortController().signal, emit() {} } as unknown as ToolContext

test('mandate mcp offers an agent over stdio; its approval is asked of the person behind the client', async () => {
  const [command, ...args] = commandLine(['mcp', REFUND])
  const asked: string[] = []
  const connection = await connectMcp(
    { command: command!, args, cwd: ROOT, env: { REFUNDS: environment()['REFUNDS']! } },
    {
      name: 'm',
      elicit: async ({ message }) => {
        asked.push(message)
        return { action: 'accept', content: { decision: 'approve' } }
      },
    },
  )
  onTestFinished(() => connection.close())
  const agent = connection.tools.find((tool: Tool) => !tool.name.endsWith('continue_run'))
  const said = await agent!.run({ prompt: 'Refund order 17.' }, CALL)
  expect(asked).toHaveLength(1)
  expect(refunds()).not.toBe('')
  expect(String(said)).not.toBe('')
  const runs = JSON.parse((await mandate('runs', '--json')).out) as { state: string }[]
  expect(runs.map(({ state }) => state)).toContain('completed')
})

test('a run that a client left waiting is continued on the command line by its id alone', async () => {
  const [command, ...args] = commandLine(['mcp', REFUND])
  const env = { REFUNDS: environment()['REFUNDS']! }
  const connection = await connectMcp({ command: command!, args, cwd: ROOT, env }, { name: 'm' })
  const agent = connection.tools.find((tool: Tool) => !tool.name.endsWith('continue_run'))
  await expect(agent!.run({ prompt: 'Refund order 17.' }, CALL)).rejects.toThrow(/wait/)
  await connection.close()
  const [waiting] = JSON.parse((await mandate('inbox', '--json')).out) as { id: string; run: string }[]
  expect(await mandate('approve', waiting!.id)).toMatchObject({ code: 0 })
  expect(await mandate('resume', waiting!.run)).toMatchObject({ code: 0 })
  expect(refunds()).not.toBe('')
})

test('mandate mcp --port serves on loopback until it is stopped', async () => {
  const [command, ...args] = commandLine(['mcp', REFUND, '--port', '0'])
  const server = spawn(command!, args, { cwd: ROOT, env: environment() })
  onTestFinished(() => void server.kill('SIGKILL'))
  const url = await new Promise<string>((resolve) => {
    let notes = ''
    server.stderr.on('data', (chunk: Buffer) => {
      notes += chunk.toString()
      const [found] = /http:\S+\/mcp/.exec(notes) ?? []
      if (found !== undefined) resolve(found)
    })
  })
  const connection = await connectMcp({ url }, { name: 'm' })
  expect(connection.tools.map((tool: Tool) => tool.name)).toContain('m__continue_run')
  await connection.close()
  const over = new Promise((resolve) => server.once('exit', resolve))
  server.kill('SIGINT')
  expect(await over).toBe(0)
})

test('mandate mcp says what is missing', async () => {
  expect(await mandate('mcp')).toMatchObject({ code: 2, notes: expect.stringContaining('mandate mcp <file>') })
  expect(await mandate('mcp', REFUND, '--port', 'x')).toMatchObject({
    code: 2,
    notes: expect.stringContaining('--port x'),
  })
})
