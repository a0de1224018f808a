import type { McpServerOptions, OfferedResource } from './options.ts'
import { protocol } from './protocol.ts'
import type { McpServer, ReadResourceResult } from './protocol.ts'

/** Returns whether clients can be notified of changes. */
export function canWatch(resources: McpServerOptions['resources']): boolean {
  return resources?.some((resource) => resource.watch !== undefined) === true
}

/** Notifies a client of an older revision about the resources that it subscribed to. Clients of the newest revision are notified by the whole server. */
export function addSubscriptions(server: McpServer, resources: McpServerOptions['resources']): void {
  if (!canWatch(resources)) return
  const stops = new Map<string, () => void>()
  const stop = (uri: string): void => {
    stops.get(uri)?.()
    stops.delete(uri)
  }
  server.server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
    const watched = resources?.find((resource) => resource.uri === uri && resource.watch !== undefined)
    if (watched === undefined) throw new protocol.ResourceNotFoundError(uri)
    stop(uri)
    stops.set(
      uri,
      watched.watch!(() => void server.server.sendResourceUpdated({ uri }).catch(() => {})),
    )
    return {}
  })
  server.server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    stop(uri)
    return {}
  })
  const before = server.server.onclose
  server.server.onclose = () => {
    before?.()
    for (const uri of stops.keys()) stop(uri)
  }
}

/** Registers documents. A URI that contains `{name}` is a family: it is not listed, but can be read. */
export function addResources(server: McpServer, resources: McpServerOptions['resources']): void {
  for (const resource of resources ?? []) {
    const { uri, name, description, mimeType } = resource
    const about = {
      ...(description === undefined ? {} : { description }),
      ...(mimeType === undefined ? {} : { mimeType }),
    }
    if (uri.includes('{')) {
      const template = new protocol.ResourceTemplate(uri, { list: undefined })
      server.registerResource(name, template, about, (at, variables) => read(resource, at.href, variables))
    } else {
      server.registerResource(name, uri, about, (at) => read(resource, at.href, {}))
    }
  }
}

async function read(
  resource: OfferedResource,
  uri: string,
  variables: Readonly<Record<string, string | string[]>>,
): Promise<ReadResourceResult> {
  const single = Object.entries(variables).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(',') : value,
  ])
  const { mimeType } = resource
  const content = await resource.read(uri, Object.fromEntries(single) as Record<string, string>)
  if (content === undefined) throw new protocol.ResourceNotFoundError(uri)
  const about = { uri, ...(mimeType === undefined ? {} : { mimeType }) }
  if (typeof content === 'string') return { contents: [{ ...about, text: content }] }
  return { contents: [{ ...about, blob: Buffer.from(content).toString('base64') }] }
}
