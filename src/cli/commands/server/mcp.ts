import { kernelOf } from '../../../agent/index.ts'
import type { AgentService } from '../../../agent/index.ts'
import { MandateError } from '../../../core/index.ts'
import type { McpDoor, OfferedProgram } from '../../../server/index.ts'
import { EXIT } from '../../exit-codes.ts'
import type { Flags } from '../../flags.ts'
import { withService } from '../../host.ts'
import { untilStopped } from '../../interrupt.ts'
import { findConfig, loadService } from '../../load-module.ts'
import { note, print } from '../../output.ts'
import { isProgramFile, loadHost, loadProgram } from '../../program-files.ts'
import type { Command } from '../command.ts'

export const mcpCommand: Command = {
  async run(flags, words) {
    const port = readPort(flags.port)
    const file = words[0] ?? findConfig()
    if (file === undefined)
      throw new MandateError('INPUT_INVALID', 'There is no mandate.config.ts here. Give a file: mandate mcp <file>')
    const program = isProgramFile(file) ? await loadProgram(file) : undefined
    const { loaded, source } =
      program === undefined ? await loadService(file) : { loaded: await loadHost(flags.file), source: program.source }
    // Standard input and output are used by the protocol.
    return withService({ ...flags, noInput: true, jsonl: false }, loaded, async (service) => {
      const programs = program === undefined ? [] : [{ name: toolName(program.source), program: program.program }]
      const server = await serverOf(service, programs, source)
      await serve(flags, service, server, port)
      await server.close()
      return EXIT.ok
    })
  },
}

/** Parses a typed port. */
export function readPort(port: Flags['port']): number | undefined {
  if (port === undefined) return undefined
  if (/^\d{1,5}$/.test(port) && Number(port) < 65_536) return Number(port)
  throw new MandateError('INPUT_INVALID', `--port ${port} is not a port. Use a number from 0 to 65535.`)
}

/** Returns the name of a program's tool: its file name, with `_` for characters that tool names cannot have. */
function toolName(source: string): string {
  const [name = 'program'] = source.split(/[\\/]/).at(-1)!.split('.')
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_') || 'program'
}

async function serverOf(service: AgentService, programs: readonly OfferedProgram[], source: string): Promise<McpDoor> {
  // The package of the protocol is loaded only when it is served.
  const { mcpServer } = await import('../../../server/index.ts')
  const agents = programs.length > 0 ? [] : (await service.health()).agents
  return mcpServer({ service, agents, programs, source })
}

/**
 * Serves until the client disconnects or a signal arrives, then suspends runs. On a signal, runs are suspended before their connections close, because a closed
 * connection cancels its runs.
 */
async function serve(flags: Flags, service: AgentService, server: McpDoor, port: number | undefined): Promise<void> {
  await untilStopped(async (stop) => {
    const stopped = new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve()))
    if (port === undefined) return Promise.race([server.stdio().closed, stopped])
    const { url } = await server.listen({ port })
    print(flags, { url }, () => '')
    note(`serving MCP on ${url}`)
    return stopped
  })
  await kernelOf(service).stop()
}
