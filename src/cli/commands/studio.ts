import type { AgentService } from '../../agent/index.ts'
import type { Part } from '../../server/index.ts'
import { EXIT } from '../exit-codes.ts'
import type { Flags } from '../flags.ts'
import { settings, withService } from '../host.ts'
import { untilStopped } from '../interrupt.ts'
import { findConfig, loadService } from '../load-module.ts'
import type { Loaded } from '../load-module.ts'
import { alert, note, printLine } from '../output.ts'
import { studioOf } from '../studio/studio-host.ts'
import { fleetParts } from '../workers.ts'
import { readPort } from './server/mcp.ts'
import type { Command } from './command.ts'

const PORT = 4321

export const studioCommand: Command = {
  async run(flags, words) {
    const port = readPort(flags.port)
    if (flags.demo) {
      const { demoService } = await import('../studio/demo.ts')
      const service = await demoService()
      try {
        return await show(flags, service, { port })
      } finally {
        await service.stop()
      }
    }
    const file = words[0] ?? flags.file ?? findConfig()
    const loaded: Loaded = file === undefined ? {} : (await loadService(file)).loaded
    return withService({ ...flags, noInput: true, jsonl: false }, loaded, async (service, journal) =>
      show(flags, service, { port, dir: flags.dir ?? settings().dir, parts: await fleetParts(journal) }),
    )
  },
}

/** Serves the page until a signal comes. */
async function show(
  flags: Flags,
  service: AgentService,
  {
    port,
    dir,
    parts = [],
  }: { readonly port: number | undefined; readonly dir?: string; readonly parts?: readonly Part[] },
): Promise<number> {
  const { httpServer } = await import('../../server/index.ts')
  const studio = await studioOf(service, { dir, readOnly: flags.readOnly })
  const server = httpServer(service, {
    authenticate: studio.authenticate,
    parts: [studio, ...parts],
    readOnly: flags.readOnly,
  })
  // Another studio may be open: without a port that was asked for, any free one will do.
  const { url } = await server.listen({ port: port ?? PORT }).catch((error: NodeJS.ErrnoException) => {
    if (port !== undefined || error.code !== 'EADDRINUSE') throw error
    return server.listen({ port: 0 })
  })
  const link = await studio.link(url)
  if (flags.json || flags.jsonl) printLine({ url, link })
  else alert(`Mandate Studio: ${link}\nCtrl-C ends it. The link signs this browser in and works for ten minutes.`)
  await untilStopped((stop) => new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve())))
  const { suspended, left } = await server.close()
  for (const run of suspended) note(`suspended ${run}; go on with: mandate resume ${run}`)
  for (const run of left) note(`${run} did not stop in time`)
  return EXIT.ok
}
