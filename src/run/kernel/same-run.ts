import { MandateError, canonical, replaceMedia } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { RunStartData } from '../../journal/index.ts'
import { inScope, redactJson } from '../../redact/index.ts'
import type { KernelHost } from './host.ts'
import { vaultKeyOf } from '../vault/vault.ts'
import type { RunSpec } from '../lifecycle/create-run.ts'

/** Throws if a run with this id is already used for another mind or another input. A repeated start of the same run passes. */
export function checkSameRun(host: KernelHost, id: string, spec: RunSpec, known: RunStartData | undefined): void {
  // The start of an erased run is unknown; reading the run reports that it was erased.
  if (known === undefined) return
  const { kind, name } = spec
  if (known.mind !== kind || known.name !== name)
    throw taken(id, `as ${known.mind} "${known.name}"`, `the ${kind} "${name}"`)
  if (!hasSameInput(host, spec, known)) throw taken(id, 'with another input', 'this one')
}

function taken(id: string, how: string, now: string): MandateError {
  return new MandateError(
    'DUPLICATE',
    `There is a run "${id}" already, which was started ${how}. Give ${now} another run id, or none, or resume "${id}" to continue the existing run.`,
    { info: { run: id } },
  )
}

/** Compares inputs in their recorded form: redacted, and without large files, which are kept beside the journal. Sealed values cannot be compared. */
function hasSameInput(host: KernelHost, { kind, name, input }: RunSpec, known: RunStartData): boolean {
  if (vaultKeyOf(known) !== undefined) return true
  const mind = host.registry.requireMind(kind, name, known.sessionId)
  const compared = (value: Json): string => {
    const own = mind.repeated === undefined ? value : mind.repeated(value)
    return canonical(known.blobs === undefined ? own : replaceMedia(own, () => null))
  }
  const stored = compared(known.input)
  return compared(input) === stored || compared(redactJson(input, inScope(host.redactor, known.sessionId))) === stored
}
