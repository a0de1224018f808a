import { connectMcp, mcpServerHash, readMcpConfig } from 'mandate/mcp'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { readCorpus, readOwn } from '../corpora/read-corpus.ts'
import { type ErrorInfo, errorInfo } from '../../src/core/index.ts'
import { callTool, connected, notesFile, stdioServer } from './bench.ts'
import { honestHandler, listen, toFetch } from './http-server.ts'

interface Case {
  readonly id: string
  readonly category: string
  readonly input: { readonly config?: object }
  readonly expect: string
  readonly reason: string
}

const cases = readCorpus<Case>('tools').filter(({ category }) => category === 'mcp')

const QUICK = { timeoutMs: 400, connectTimeoutMs: 2_000 }

/** What became of a case, in the word the corpus uses for it; anything else tells what was seen instead. */
type Play = (one: Case) => Promise<string>

const refusedConfig: Play = async ({ input }) => {
  try {
    readMcpConfig(JSON.stringify({ mcpServers: { a: input.config } }), { env: {} })
    return 'accepted'
  } catch {
    return 'deny'
  }
}

/** Whether a call in this mode ends with this code, and the error stays short. */
const bounded =
  (mode: string, tool: string, code: ErrorInfo['code'], word = 'bounded'): Play =>
  async () => {
    const connection = await connected(mode, { ...QUICK, maxMessageBytes: 1_000_000 })
    const { error } = await callTool(connection, tool)
    return error?.code === code && error.message.length < 4_000 ? word : JSON.stringify(error)
  }

const refusedTool =
  (match: RegExp): Play =>
  async () => {
    const { refused, tools } = await connected('hostile')
    return refused.some(({ name }) => match.test(name)) && !tools.some(({ name }) => match.test(name))
      ? 'deny'
      : 'offered'
  }

const ignored =
  (mode: string): Play =>
  async () => {
    const connection = await connected(mode, QUICK)
    const { value } = await callTool(connection, 'echo', { text: 'mine' })
    return value === 'mine' ? 'ignored' : String(value)
  }

const PLAYS: { readonly [id: string]: Play } = {
  'tool-mcp-02': refusedConfig,
  'tool-mcp-03': refusedConfig,
  'tool-mcp-05': async () => {
    const approved = [mcpServerHash({ command: 'node', args: ['a.js'] })]
    const text = JSON.stringify({ mcpServers: { a: { command: 'node', args: ['b.js'] } } })
    try {
      return Object.keys(readMcpConfig(text, { env: {}, approved })).join()
    } catch {
      return 'deny'
    }
  },
  'tool-mcp-06': async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'planted')
    onTestFinished(() => void vi.unstubAllEnvs())
    const { value } = await callTool(await connected('honest'), 'environment')
    const names = Object.keys(JSON.parse(value as string) as object).filter((name) => !name.startsWith('__'))
    return names.every((name) => ['PATH', 'HOME', 'LANG'].includes(name)) ? 'empty env' : names.join()
  },
  'tool-mcp-08': bounded('long-line', 'echo', 'CONNECTOR_FAILED'),
  'tool-mcp-09': bounded('results', 'deep', 'TIMEOUT'),
  'tool-mcp-11': ignored('other-ids'),
  'tool-mcp-13': ignored('other-ids'),
  'tool-mcp-15': bounded('progress-for-ever', 'slow', 'TIMEOUT'),
  'tool-mcp-16': async () => {
    const connection = await connected('honest', { env: { KEY: 'planted-secret-value' } })
    const { error } = await callTool(connection, 'crash')
    const isShown = /planted-secret-value|sk-ant-api03-notarealsecret/.test(error?.message ?? '')
    return error?.message.includes('I fall over') === true && !isShown ? 'redacted' : String(error?.message)
  },
  'tool-mcp-17': bounded('stderr-for-ever', 'slow', 'TIMEOUT'),
  'tool-mcp-18': bounded('honest', 'crash', 'CONNECTOR_FAILED', 'error'),
  'tool-mcp-20': async () => {
    const notes = notesFile()
    const connection = await connectMcp(stdioServer('ignores-end', {}, notes.path))
    const pid = Number(/start (\d+)/.exec(notes.lines().join())![1])
    await connection.close()
    try {
      process.kill(pid, 0)
      return 'alive'
    } catch {
      return 'bounded'
    }
  },
  'tool-mcp-21': async () => {
    const { tools } = await connected('hostile')
    const { description = '' } = tools.find(({ name }) => name === 'fix__orders')!
    return description.startsWith('[MCP server "fix"') && description.length < 4_200 ? 'data' : description
  },
  'tool-mcp-23': async () => {
    const { tools } = await connected('hostile')
    return tools.every(({ name }) => name.startsWith('fix__')) ? 'deny' : 'shadowed'
  },
  'tool-mcp-24': refusedTool(/^http.get|^p.yment/),
  'tool-mcp-25': async () => ((await connected('many')).tools.length === 512 ? 'bounded' : 'all'),
  'tool-mcp-27': async () => ((await answerOf('loop', { a: 1 })) ? 'accepted' : 'bounded'),
  'tool-mcp-28': async () => ((await answerOf('regex', { text: `${'a'.repeat(64)}!` })) ? 'bounded' : 'refused'),
  'tool-mcp-29': async () => {
    const { tools } = await connected('hostile')
    return tools.find(({ name }) => name === 'fix__good')!.risk === 'write' ? 'ignored' : 'believed'
  },
  'tool-mcp-32': async () => {
    const { value } = await callTool(await connected('results'), 'big-image')
    return JSON.stringify(value).length < 1_000 ? 'bounded' : 'whole'
  },
  'tool-mcp-33': bounded('structured', 'wrong', 'OUTPUT_INVALID', 'error'),
  'tool-mcp-36': async () => {
    const asked: unknown[] = []
    const elicit = async (question: { url?: string | undefined }): Promise<{ action: 'accept' }> => {
      if (question.url !== undefined) asked.push(question)
      return { action: 'accept' }
    }
    const { value } = await callTool(await connected('asks', {}, { elicit }), 'echo', { text: '' })
    return asked.length === 0 && String(value).includes('"decline"') ? 'deny' : 'asked'
  },
  'tool-mcp-38': async () => {
    const paths: (string | undefined)[] = []
    const { url } = await listen((request, response) => {
      paths.push(request.url)
      response.writeHead(401, { 'www-authenticate': 'Bearer resource_metadata="http://169.254.169.254/x"' }).end()
    })
    const failed = await connectMcp({ url }).then(
      () => false,
      () => true,
    )
    return failed && paths.every((path) => path === '/mcp') ? 'deny' : paths.join()
  },
  'tool-mcp-39': async () => {
    const seen = new Set<string | null>()
    const handler = honestHandler()
    const { url } = await listen(
      toFetch((request) => {
        seen.add(request.headers.get('authorization'))
        return handler.fetch(request)
      }),
    )
    const connection = await connectMcp({ url })
    await callTool(connection, 'echo', { text: 'x' })
    await connection.close()
    return [...seen].join() === '' ? 'deny' : [...seen].join()
  },
  'tool-mcp-41': async () => {
    const tokens: (string | undefined)[] = []
    const other = await listen((request, response) => {
      tokens.push(request.headers.authorization)
      response.end()
    })
    const { url } = await listen((_request, response) => void response.writeHead(307, { location: other.url }).end())
    await connectMcp({ url, headers: { authorization: 'Bearer x' } }).catch(errorInfo)
    return tokens.every((token) => token === undefined) ? 'strip' : tokens.join()
  },
  'tool-mcp-42': async () => {
    const connection = await connected('late')
    const { error } = await callTool(connection, 'slow', {}, AbortSignal.timeout(50))
    const { value } = await callTool(connection, 'echo', { text: 'mine' })
    return error?.code === 'CANCELLED' && value === 'mine' ? 'ignored' : JSON.stringify([error, value])
  },
  'tool-mcp-43': async () => ((await answerOf('good', { path: 'a', sudo: true })) ? 'accepted' : 'deny'),
}

async function answerOf(tool: string, input: object): Promise<boolean> {
  const { tools } = await connected('hostile')
  return (await tools.find(({ name }) => name === `fix__${tool}`)!.validate(input as never)).valid
}

describe('the corpus of hostile MCP servers', () => {
  it('is played whole', () => {
    expect(cases.map(({ id }) => id).filter((id) => PLAYS[id] === undefined)).toEqual([])
    expect(cases.length).toBeGreaterThan(25)
  })

  for (const one of cases)
    it(`${one.id}: ${one.reason}`, async () => {
      expect(await PLAYS[one.id]!(one)).toBe(one.expect)
    })
})

it('configurations of our own: what hides its program is refused, what names it is taken', async () => {
  const own = readOwn<Case>('tools').filter(({ category }) => category === 'mcp')
  expect(own.length).toBeGreaterThan(60)
  for (const one of own) expect([one.id, await refusedConfig(one)]).toEqual([one.id, one.expect])
})
