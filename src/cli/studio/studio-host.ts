import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { AgentService } from '../../agent/index.ts'
import type { Studio } from '../../server/index.ts'
import type { OpenedJournal } from '../store.ts'

/** Where the built page is: beside the built command, or, when it runs from its sources, where the build puts it. */
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
  /** Where the runs are kept; in memory where nothing is said. */
  readonly journal?: Pick<OpenedJournal, 'path' | 'url' | 'isEncrypted'> | undefined
}

/** The studio for a server over the service, in the name of its owner. Browsers stay signed in when the runs are kept in a folder, `dir`. */
export async function studioOf(service: AgentService, { dir, readOnly, file, journal }: StudioPlace): Promise<Studio> {
  // The server is loaded only by those who serve.
  const { newToken, studioPart } = await import('../../server/index.ts')
  const { studioSecret } = await import('./studio-secret.ts')
  const folder = builtPage() ?? PLACES[1]!
  const secret = dir === undefined ? newToken() : studioSecret(dir)
  return studioPart({ folder, secret, identity: service.identity, readOnly, file, store: storeWords(journal) })
}

/** The kind of the store and where it is, as it may be shown. */
function storeWords(journal: StudioPlace['journal']): string | undefined {
  if (journal === undefined) return undefined
  const kind = journal.url === undefined ? 'SQLite' : 'Postgres'
  return `${kind}, ${journal.path}${journal.isEncrypted ? ', encrypted' : ''}`
}
