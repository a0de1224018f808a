import { checkIdentity } from '../../journal/index.ts'
import { MandateError } from '../../core/index.ts'
import { may } from '../../gate/index.ts'
import type { Mandate, Permission } from '../../gate/index.ts'
import type { Identity, RunSummary } from '../../journal/index.ts'
import type { KernelHost } from '../kernel/host.ts'

/** The mind of a run. Without a `sessionId`, the mind registered under the name. */
type RunMind = Pick<RunSummary, 'mind' | 'name'> & Partial<Pick<RunSummary, 'sessionId'>>

/** The mandates whose roles decide who may act on a run: its mind's own, then the host's. */
export function mandatesOver(host: KernelHost, run?: RunMind): readonly Mandate[] {
  const own = run === undefined ? undefined : host.registry.mind(run.mind, run.name, run.sessionId)?.mandate
  return [own, host.mandate ?? {}].filter((mandate) => mandate !== undefined)
}

/** Throws unless the identity has the permission under every mandate of the run. */
export function checkAuthority(host: KernelHost, by: Identity, permission: Permission, run?: RunMind): void {
  checkIdentity(by, 'Who acts')
  if (may(by, permission, mandatesOver(host, run))) return
  const roles = by.roles.join(', ') || 'none'
  throw new MandateError(
    'DENIED',
    `"${by.id}" may not ${permission}: none of its roles (${roles}) has that permission. Give it to one of them under \`roles\` of the mandate.`,
  )
}
