import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, vi } from 'vitest'
import { mandateIn } from './mandate.fixture.ts'
import type { Said } from './mandate.fixture.ts'

/** What the model says next: a call, or a text. Each prompt begins with the name of its script, so that several runs can go on at once. */
type Step = readonly [tool: string, input: object] | string
export const scripts: Map<string, readonly Step[]> = new Map<string, readonly Step[]>()
/** What the model was given as results of its calls, by script. */
export const results: Map<string, string> = new Map<string, string>()

interface Asked {
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[]
}

const server = createServer((request, response) => {
  if (request.method === 'GET') return void response.end('The kettle is back in stock.')
  let body = ''
  request.on('data', (data: Buffer) => (body += data.toString()))
  request.on('end', () => {
    const { messages } = JSON.parse(body) as Asked
    const name = /script (\w+)/.exec(JSON.stringify(messages.find(({ role }) => role === 'user')))![1]!
    const step = scripts.get(name)![messages.filter(({ role }) => role === 'assistant').length]!
    results.set(name, JSON.stringify(messages.filter(({ role }) => role === 'tool')))
    const isText = typeof step === 'string'
    const delta = isText
      ? { role: 'assistant', content: step }
      : {
          role: 'assistant',
          tool_calls: [
            {
              index: 0,
              id: `call_${messages.length}`,
              type: 'function',
              function: { name: step[0], arguments: JSON.stringify(step[1]) },
            },
          ],
        }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const send = (choice: object, usage?: object): void =>
      void response.write(
        `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, ...choice }], usage })}\n\n`,
      )
    send({ delta, finish_reason: null })
    send(
      { delta: {}, finish_reason: isText ? 'stop' : 'tool_calls' },
      { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 },
    )
    response.end('data: [DONE]\n\n')
  })
})

let folder = ''
let address = ''

/** The folder that is worked in, without code. */
export const here = (): string => folder

/** Host and port of the server that stands for the model, and for a page. */
export const hostOfModel = (): string => address

/** Starts the model for the tests of a file, and gives each of them a folder. */
export function useScriptedModel(): void {
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => new Promise((resolve) => server.close(resolve)))
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mandate-packs-'))
    const current = vi.spyOn(process, 'cwd').mockReturnValue(folder)
    return () => {
      current.mockRestore()
      rmSync(folder, { recursive: true })
    }
  })
}

export const MODEL = 'openai.chat/gpt-5-mini'

/** Runs the command in the folder, which holds no code. */
export function mandate(words: readonly string[], env: Record<string, string> = {}): Promise<Said> {
  return mandateIn({ OPENAI_API_KEY: 'test-key', OPENAI_BASE_URL: `http://${address}/v1`, ...env }, ...words)
}

/** Runs it, and approves whatever it asks: what is refused even then, the tools refuse. */
export async function approvingAll(...words: string[]): Promise<Said & { readonly approvals: number }> {
  const dir = ['--dir', join(folder, `store-${words.join('').length}`)]
  let said = await mandate([...words, ...dir])
  let approvals = 0
  while (said.code === 4) {
    approvals += 1
    await mandate(['approve', /mandate approve (\S+)/.exec(said.notes)![1]!, ...dir])
    said = await mandate(['resume', /mandate resume (\S+)/.exec(said.notes)![1]!, ...dir])
  }
  return { ...said, approvals }
}
