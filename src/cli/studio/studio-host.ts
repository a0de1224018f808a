import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { AgentService } from '../../agent/index.ts'
import type { Part, Studio } from '../../server/index.ts'
import type { OpenedJournal } from '../store.ts'

/** Possible folders of the built page: beside the built command or, when running from sources, the output folder of the build. */
const PLACES: readonly string[] = ['../studio', '../../../dist/studio'].map((place) =>
  fileURLToPath(new URL(place, import.meta.url)),
)

function builtPage(): string | undefined {
  return PLACES.find((place) => existsSync(`${place}/index.html`))
}

export function hasStudio(): boolean {
  return builtPage() !== undefined
}

interface StudioPlace {
  readonly dir: string | undefined
  readonly readOnly: boolean
  /** The file that the agents come from. */
  readonly file?: string | undefined
  /** The journal of the runs; in memory by default. */
  readonly journal?: Pick<OpenedJournal, 'path' | 'url' | 'isEncrypted'> | undefined
}

/** Creates the studio part of a server, with the identity of the service. Browsers stay signed in if the runs are stored in a folder, `dir`. */
export async function studioOf(service: AgentService, { dir, readOnly, file, journal }: StudioPlace): Promise<Studio> {
  // Loaded on demand, because it imports the server.
  const { newToken, studioPart } = await import('../../server/index.ts')
  const { studioSecret } = await import('./studio-secret.ts')
  const folder = builtPage() ?? PLACES[1]!
  const secret = dir === undefined ? newToken() : studioSecret(dir)
  return studioPart({ folder, secret, identity: service.identity, readOnly, file, store: storeWords(journal) })
}

/** Serves the conversations of a store, which `mandate chat` uses too; those of a service without a store are in memory. */
export async function conversationsOf(service: AgentService, journal?: Pick<OpenedJournal, 'database'>): Promise<Part> {
  const { conversationPart } = await import('../../server/index.ts')
  const { Conversations, databaseConversations } = await import('../../chat/index.ts')
  const options = journal === undefined ? {} : { store: databaseConversations(journal.database()) }
  return conversationPart(service, new Conversations(service, options))
}

/** Describes the kind and location of the store, in a form that may be shown. */
function storeWords(journal: StudioPlace['journal']): string | undefined {
  if (journal === undefined) return undefined
  const kind = journal.url === undefined ? 'SQLite' : 'Postgres'
  return `${kind}, ${journal.path}${journal.isEncrypted ? ', encrypted' : ''}`
}
