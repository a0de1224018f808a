import { describe, expect, it } from 'vitest'
import { PERMISSIONS } from '../mandate/mandate.ts'
import type { Mandate, Permission } from '../mandate/mandate.ts'
import { viewOf } from '../view.fixture.ts'
import { may, roleGuard } from './role.ts'

const roles = { operator: ['run-agent', 'cancel'], reviewer: ['approve'], guest: [] } as const

describe('the role guard', () => {
  it.each<[string, readonly string[], Mandate, boolean]>([
    ['the owner', ['owner'], {}, true],
    ['the owner beside other roles', ['owner'], { roles }, true],
    ['someone without roles', [], {}, false],
    ['a role nobody defined', ['admin'], {}, false],
    ['a role nobody defined among others', ['admin'], { roles }, false],
    ['a role with the permission', ['operator'], { roles }, true],
    ['a role without the permission', ['reviewer'], { roles }, false],
    ['a role with no permissions', ['guest'], { roles }, false],
    ['two roles of which one permits', ['guest', 'operator'], { roles }, true],
    ['an owner who was redefined', ['owner'], { roles: { owner: ['approve'] } }, false],
    ['a name that every object inherits', ['constructor', 'toString', '__proto__'], { roles }, false],
  ])('%s', (_, given, mandate, isAllowed) => {
    const reason = expect.stringContaining('"run-agent"') as string
    const denial = { verdict: 'deny', code: 'DENIED', rule: 'run-agent', reason }
    const verdict = roleGuard.check(viewOf({ identity: { id: 'bo', roles: given }, mandate }))
    expect(verdict).toEqual(isAllowed ? undefined : denial)
  })
})

describe('permissions', () => {
  it('an owner has all of them', () => {
    for (const permission of PERMISSIONS) expect(may({ id: 'a', roles: ['owner'] }, permission, {})).toBe(true)
  })

  it('an agent never approves, whatever its roles, and keeps its other permissions', () => {
    const agent = { id: 'a', roles: ['owner', 'reviewer'], agent: true }
    const allowed = PERMISSIONS.filter((permission: Permission) => may(agent, permission, { roles }))
    expect(allowed).toEqual(PERMISSIONS.filter((permission) => permission !== 'approve'))
  })

  it.each<[string, readonly Mandate[], boolean]>([
    ['no mandate at all', [], false],
    ['a host that defines the role, under an agent that says nothing', [{}, { roles }], true],
    ['an agent that gives the role more than its host does', [{ roles }, {}], false],
    ['an agent that takes it away', [{ roles: { reviewer: [] } }, { roles }], false],
    ['all that define it', [{ roles }, {}, { roles }], true],
  ])('of several mandates, all must permit it: %s', (_, mandates, expected) => {
    expect(may({ id: 'a', roles: ['reviewer'] }, 'approve', mandates)).toBe(expected)
    expect(may({ id: 'a', roles: ['owner'] }, 'cancel', mandates)).toBe(true)
  })

  it('each role has exactly what the mandate lists', () => {
    const allowed = PERMISSIONS.filter((permission) => may({ id: 'a', roles: ['operator'] }, permission, { roles }))
    expect(allowed).toEqual(['run-agent', 'cancel'])
  })
})
