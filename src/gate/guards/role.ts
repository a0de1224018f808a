import type { Identity } from '../../journal/index.ts'
import type { GateView, Guard, GuardVerdict } from '../guard.ts'
import { PERMISSIONS } from '../mandate/mandate.ts'
import type { Mandate, Permission } from '../mandate/mandate.ts'
import { shown } from '../rules/targets.ts'

/** Denies everything to an identity that may not run agents. */
export const roleGuard: Guard = { name: 'role', check: checkRole }

function checkRole({ identity, mandate }: GateView): GuardVerdict {
  if (may(identity, 'run-agent', mandate)) return undefined
  const roles =
    identity.roles.length === 0 ? 'It has no roles' : `None of its roles (${identity.roles.join(', ')}) permits it`
  return {
    verdict: 'deny',
    rule: 'run-agent',
    code: 'DENIED',
    reason: `${shown(identity.id)} may not run agents. ${roles}; give a role "run-agent" under \`roles\` of the mandate, and of every mandate above it.`,
  }
}

/**
 * Whether an identity has a permission besides calling tools: to register tools, create agents, approve, cancel, read journals. A role that the
 * mandate does not define permits nothing, except `owner`, who may do everything. An agent can never approve. Of several mandates, nearest first and
 * the host's last, all must permit it; one without `roles` leaves it to those above it.
 *
 * @example
 * ```ts
 * import { may } from 'mandate/gate'
 * const mandate = { roles: { reviewer: ['approve', 'read-journal'] } } as const
 * may({ id: 'ana', roles: ['reviewer'] }, 'approve', mandate) // true
 * may({ id: 'ana', roles: ['reviewer'] }, 'run-agent', mandate) // false
 * ```
 */
export function may(identity: Identity, permission: Permission, mandate: Mandate | readonly Mandate[]): boolean {
  if (permission === 'approve' && identity.agent === true) return false
  if (!isList(mandate)) return isPermitted(identity, permission, mandate)
  const speaking = mandate.filter((one, level) => one.roles !== undefined || level === mandate.length - 1)
  return (speaking.length === 0 ? [{}] : speaking).every((one) => isPermitted(identity, permission, one))
}

function isList(mandate: Mandate | readonly Mandate[]): mandate is readonly Mandate[] {
  return Array.isArray(mandate)
}

function isPermitted(identity: Identity, permission: Permission, mandate: Mandate): boolean {
  return identity.roles.some((role) => permissionsOf(role, mandate).includes(permission))
}

function permissionsOf(role: string, mandate: Mandate): readonly Permission[] {
  if (mandate.roles !== undefined && Object.hasOwn(mandate.roles, role)) return mandate.roles[role]!
  return role === 'owner' ? PERMISSIONS : []
}
