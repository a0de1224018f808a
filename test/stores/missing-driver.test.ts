import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

const OPTIONAL = [
  'pg',
  '@redis/client',
  '@dbos-inc/dbos-sdk',
  '@restatedev/restate-sdk',
  'handlebars',
  'liquidjs',
  'undici',
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/server',
]

/** Runs a few lines in a process in which no optional package can be found. */
function without(lines: string): string {
  const hook = `import { registerHooks } from 'node:module'
    registerHooks({ resolve(name, context, next) {
      if (${JSON.stringify(OPTIONAL)}.some((one) => name === one || name.startsWith(one + '/'))) throw Object.assign(new Error('Cannot find package ' + name), { code: 'ERR_MODULE_NOT_FOUND' })
      return next(name, context)
    } })`
  const flags = ['--conditions=mandate-source', '--disable-warning=ExperimentalWarning', '--input-type=module']
  return execFileSync(process.execPath, [...flags, '-e', `${hook}\n${lines}`], { encoding: 'utf8' })
}

test('the rooms of Postgres and Redis load without their drivers, and the first use says which package to install', () => {
  const said = without(`
    const { postgresJournal } = await import('mandate/postgres')
    const { redisData } = await import('mandate/redis')
    const { dbosEngine } = await import('mandate/engine')
    const tell = (error) => console.log(error.code, error.message)
    const { listenForSegments } = await import(process.cwd() + '/src/engine/restate/endpoint.ts')
    await dbosEngine({ url: 'postgres://localhost/x' }).attach({}).catch(tell)
    await listenForSegments('s', {}, async () => {}).catch(tell)
    await postgresJournal({ url: 'postgres://localhost/x' }).list().catch(tell)
    await redisData({ url: 'redis://localhost' }).memory().read('s').catch(tell)`)
  expect(said.split('\n')).toEqual([
    expect.stringMatching(/^CONFIG_INVALID .*npm install @dbos-inc\/dbos-sdk/),
    expect.stringMatching(/^CONFIG_INVALID .*npm install @restatedev\/restate-sdk/),
    expect.stringMatching(/^CONFIG_INVALID .*npm install pg/),
    expect.stringMatching(/^CONFIG_INVALID .*npm install @redis\/client/),
    '',
  ])
})

test('templates, HTTP and MCP load without their packages, and the first use says which one to install', () => {
  const said = without(`
    const { AgentService } = await import('mandate')
    const { inMemoryPrompts } = await import('mandate/memory')
    const { httpFetch } = await import('mandate/connect')
    const { connectMcp } = await import('mandate/mcp')
    const { mcpServer } = await import('mandate/server')
    const tell = (error) => console.log(error.code ?? error.name, error.message)
    const prompts = inMemoryPrompts()
    for (const engine of ['mustache', 'fstring', 'handlebars', 'liquid']) {
      await prompts.put({ id: engine, text: 'Hello.', engine }).then(() => prompts.render(engine, {})).then(() => console.log(engine), tell)
    }
    const fetching = httpFetch({ allow: ['http://127.0.0.1:9'] })
    const call = { signal: new AbortController().signal }
    try { await fetching.run({ url: 'http://127.0.0.1:9/' }, call) } catch (error) { tell(error) }
    const connection = await connectMcp({ url: 'http://127.0.0.1:9/mcp' }).catch(tell)
    await mcpServer({ service: new AgentService(), agents: [] }).catch(tell)
    await connection?.close?.()`)
  expect(said.split('\n')).toEqual([
    'mustache',
    'fstring',
    expect.stringMatching(/^CONFIG_INVALID .*npm install handlebars/),
    expect.stringMatching(/^CONFIG_INVALID .*npm install liquidjs/),
    expect.stringMatching(/npm install undici/),
    expect.stringMatching(/npm install @modelcontextprotocol\/client/),
    expect.stringMatching(/^CONFIG_INVALID .*npm install @modelcontextprotocol\/server/),
    '',
  ])
})
