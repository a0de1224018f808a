import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AgentService, defineTool } from 'mandate'
import { fileTools, shellTool } from 'mandate/connect'
import { scripted } from 'mandate/model'
import { mcpServer } from 'mandate/server'
import { expect, onTestFinished, test } from 'vitest'
import { type Json } from '../../src/core/index.ts'
import { knownValues, redactJson } from '../../src/redact/index.ts'
import { builtPackage } from '../built-package.ts'
import { SECRET_CASES, longestLeak } from './corpus.ts'

/** What arrived in a place, and something beside the secret that shows that it was reached. */
interface Arrived {
  readonly text: string
  readonly beside: string
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const built = await builtPackage()

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'mandate-place-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

interface Ran {
  readonly entries: string
  readonly events: string
  readonly seen: string
}

/** A run whose model calls one tool with the secret in its input, and what was left of it everywhere. */
async function runWith(run: (input: Json) => unknown, input: Json, prompt = 'Begin.'): Promise<Ran> {
  const events: unknown[] = []
  const seen: string[] = []
  const act = defineTool({ name: 'act', inputSchema: { type: 'object' }, risk: 'read', takesTokens: true, run })
  const model = scripted([
    { toolCalls: [{ name: 'act', input }] },
    ({ messages }) => {
      seen.push(JSON.stringify(messages))
      return 'Done.'
    },
  ])
  const service = new AgentService({
    agents: [{ id: 'main', model, tools: [act] }],
    sinks: [{ name: 'export', includePayloads: true, write: (event) => void events.push(event) }],
  })
  onTestFinished(async () => void (await service.stop()))
  const { id } = await service.run('main', prompt)
  const entries: unknown[] = []
  for await (const entry of service.entries(id)) entries.push(entry)
  return { entries: JSON.stringify(entries), events: JSON.stringify(events), seen: seen.join('\n') }
}

/** Puts the secret into a place, and reads what is found there afterwards. */
const PLACES: Readonly<Record<string, (secret: string) => Promise<Arrived> | Arrived>> = {
  'tool argument': async (secret) => ({
    text: (await runWith(() => 'ok', { note: `beside ${secret}` })).entries,
    beside: 'beside',
  }),
  'stack trace': async (secret) => {
    const fail = (): never => {
      throw new Error(`beside ${secret}`, { cause: new Error(secret) })
    }
    const { entries, events } = await runWith(fail, {})
    return { text: entries + events, beside: 'beside' }
  },
  'HTTP response of our API': async (secret) => {
    const leak = defineTool({
      name: 'leak',
      inputSchema: { type: 'object' },
      risk: 'read',
      run: () => `beside ${secret}`,
    })
    const service = new AgentService({ tools: [leak] })
    const server = await mcpServer({ service, tools: ['leak'] })
    onTestFinished(async () => void (await server.close(), await service.stop()))
    const version = '2026-07-28'
    const headers = {
      host: 'localhost',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      'mcp-method': 'tools/call',
      'mcp-name': 'leak',
    }
    const meta = {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'leak', arguments: {}, _meta: meta },
    })
    const answer = await server.fetch(new Request('http://localhost/mcp', { method: 'POST', headers, body }))
    return { text: await answer.text(), beside: 'beside' }
  },
  'model prompt': async (secret) => ({
    text: (await runWith(() => ({ found: `beside ${secret}` }), {}, `Use ${secret}`)).seen,
    beside: 'beside',
  }),
  'object key': async (secret) => {
    const { entries, seen } = await runWith(() => ({ [secret]: 'beside' }), {})
    return { text: entries + seen, beside: 'beside' }
  },
  // Values that are known are found in bytes that were encoded; those known by their looks alone are not.
  'Map / bytes / base64 image': (secret) => {
    const known = knownValues()
    known.add('KEY', secret)
    const bytes = Buffer.from(`beside ${secret}`)
    const text = JSON.stringify(redactJson({ image: bytes.toString('base64'), hex: bytes.toString('hex') }, known))
    expect(longestLeak(text, Buffer.from(secret).toString('hex'))).toBeLessThanOrEqual(8)
    expect(longestLeak(text, Buffer.from(secret).toString('base64').slice(4, -4))).toBeLessThanOrEqual(8)
    return { text, beside: '[secret:KEY]' }
  },
  'file written to the workspace': async (secret) => {
    const dir = folder()
    const tools = fileTools({ root: dir, write: true })
    const model = scripted([
      { toolCalls: [{ name: 'write_file', input: { path: 'a.txt', content: `beside ${secret}` } }] },
      'Done.',
    ])
    // Written with the token, because the mandate says so; without the rule nothing is written.
    const reveal = [{ id: 'kept', sink: 'write_file', labels: ['secret:*'], then: 'keep' as const }]
    const service = new AgentService({ agents: [{ id: 'main', model, tools }], mandate: { grant: ['*'], reveal } })
    onTestFinished(async () => void (await service.stop()))
    await service.run('main', 'Write.')
    return { text: readFileSync(join(dir, 'a.txt'), 'utf8'), beside: 'beside' }
  },
  'OpenTelemetry attribute': async (secret) => ({
    text: (await runWith(() => ({ found: `beside ${secret}` }), { note: secret })).events,
    beside: 'beside',
  }),
  'environment of a child process': async (secret) => {
    const dir = folder()
    writeFileSync(join(dir, 'beside'), '')
    process.env['MANDATE_TEST_KEY'] = secret
    onTestFinished(() => void delete process.env['MANDATE_TEST_KEY'])
    const shell = shellTool({ root: dir, allow: ['ls', 'printenv'], isolation: 'none' })
    const context = { signal: new AbortController().signal, emit() {} } as never
    const said = await Promise.all([['ls'], ['printenv']].map((argv) => shell.run({ argv }, context)))
    return { text: JSON.stringify(said), beside: 'beside' }
  },
  'crash report': (secret) => {
    const command = [...built.flags, built.main, 'run', 'test/redaction/fixtures/leaking-agent.ts']
    const said = spawnSync(process.execPath, [...command, `crash ${secret}`, '--dir', folder()], {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, HOW: 'crash' },
    })
    return { text: said.stdout + said.stderr, beside: '' }
  },
}

/** Places that do not exist here, and why. */
const ABSENT: Readonly<Record<string, string>> = {
  'URL in the studio address bar': 'there is no studio, and nothing of ours writes addresses with tokens',
}

test.each(SECRET_CASES.filter(({ place }) => place !== undefined))(
  '$id is not seen in its place: $place',
  async (one) => {
    if (ABSENT[one.place!] !== undefined) return
    const enter = PLACES[one.place!]
    expect(enter, `a way into the place ${one.place}`).toBeDefined()
    const { text, beside } = await enter!(one.sample)
    expect(text.length).toBeGreaterThan(0)
    expect(text).toContain(beside)
    expect(longestLeak(text, one.sample)).toBeLessThanOrEqual(8)
  },
  60_000,
)
