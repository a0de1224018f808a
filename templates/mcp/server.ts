// The server on stdio. Standard output belongs to the protocol: print nothing else there.
import { AgentService } from 'mandate'
import { mcpServer } from 'mandate/server'
import { openStore } from 'mandate/sqlite'
import config from './mandate.config.ts'

const service = new AgentService({ ...config, store: await openStore() })
const server = await mcpServer({
  service,
  name: 'notes',
  tools: ['find_notes', 'delete_note'],
  agents: ['librarian'],
  source: 'mandate.config.ts',
})
const { closed } = server.stdio()
if (process.stdin.isTTY)
  console.error('Serving MCP on stdin and stdout, for clients that start it. Try it with: npm run try')
await closed
await server.close()
await service.stop()
