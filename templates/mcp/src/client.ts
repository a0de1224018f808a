import { fileURLToPath } from 'node:url'
import { connectMcp } from 'mandate/mcp'

/** Calls tools of the server; `answer` stands for the person at the client. */
export async function withServer<T>(
  answer: 'approve' | 'reject',
  work: (call: (tool: string, input: object) => Promise<unknown>, asked: readonly string[]) => Promise<T>,
): Promise<T> {
  const asked: string[] = []
  const connection = await connectMcp(
    { command: process.execPath, args: ['server.ts'], cwd: fileURLToPath(new URL('..', import.meta.url)) },
    {
      name: 'notes',
      elicit: async ({ message }) => {
        asked.push(message)
        return { action: 'accept', content: { decision: answer } }
      },
    },
  )
  const context = { signal: new AbortController().signal, emit() {} }
  const call = async (tool: string, input: object): Promise<unknown> => {
    const found = connection.tools.find(({ name }) => name === `notes__${tool}`)
    if (found === undefined) throw new Error(`The server offers no ${tool}.`)
    return found.run(input as never, context as never)
  }
  try {
    return await work(call, asked)
  } finally {
    await connection.close()
  }
}
