import { fileURLToPath } from 'node:url'
import { AgentService } from 'mandate'
import { scripted } from 'mandate/model'
import { httpServer, newToken } from 'mandate/server'
import { expect, onTestFinished, test } from 'vitest'
import { CHROMIUM, bundlePage, launchChromium, servePage } from './chromium.fixture.ts'

test.skipIf(CHROMIUM === undefined)(
  'the clients of OpenAI and MCP work in a page of a listed origin, and read why they are refused',
  async () => {
    const [browser, script] = await Promise.all([
      launchChromium(),
      bundlePage(fileURLToPath(new URL('other-origin-page.ts', import.meta.url))),
    ])
    onTestFinished(() => browser.close())
    const page = await servePage(script)
    onTestFinished(() => page.close())
    const service = new AgentService({ agents: [{ id: 'greeter', model: scripted(() => 'Hello.') }] })
    const token = newToken()
    const server = httpServer(service, {
      tokens: [{ token, identity: { id: 'ana', roles: ['owner'] } }],
      origins: [page.origin],
      mcp: { agents: ['greeter'] },
    })
    onTestFinished(async () => {
      await server.close()
      await service.stop()
    })
    const { url } = await server.listen({ port: 0 })
    const tab = await browser.newPage()
    await tab.goto(`${page.origin}/#${String(new URLSearchParams({ url, token }))}`)
    expect(await tab.evaluate('done')).toEqual({
      said: 'Hello.',
      refused: expect.stringContaining('401 A token is needed'),
      content: [{ type: 'text', text: 'Hello.' }],
    })
  },
)
