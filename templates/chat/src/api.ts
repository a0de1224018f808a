import { AgentService } from 'mandate'
import type { ServiceOptions } from 'mandate'
import { httpServer, recoverRuns } from 'mandate/server'
import config from '../mandate.config.ts'

/** The agents behind HTTP, for pages of one origin. */
export async function openApi(origin: string, options: Pick<ServiceOptions, 'store'> = {}) {
  const service = new AgentService({ ...config, ...options })
  const server = httpServer(service, {
    // Who calls: here always you, because only this machine can reach it. Look at a session or a token before others can.
    authenticate: () => ({ id: 'you', roles: ['owner'] }),
    origins: [origin],
  })
  // Runs that an earlier process left in the middle go on.
  await recoverRuns(service)
  return {
    listen: (port = 0) => server.listen({ port }),
    async close() {
      await server.close()
      await service.stop()
    },
  }
}
