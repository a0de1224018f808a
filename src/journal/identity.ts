import { MandateError, checkFields, nameProblem } from '../core/index.ts'
import type { FieldNames } from '../core/index.ts'
import type { Identity } from './entry-data.ts'

const IDENTITY: FieldNames<Identity> = { id: true, roles: 'texts', agent: 'flag' }
const ID_MAX = 256

/** A frozen copy of an identity: mutating the given object, or its roles, afterwards changes no rights. */
export function frozenIdentity(given: unknown): Identity {
  const identity = checkIdentity(given)
  return Object.freeze({ ...identity, roles: Object.freeze([...identity.roles]) })
}

/** Throws if a value is not an identity, before its roles are read. `what` is the subject of the message: "`identity`", "`by`". */
export function checkIdentity(given: unknown, what = '`identity`'): Identity {
  const refuse = (problem: string): never => {
    throw new MandateError('INPUT_INVALID', `${what} ${problem}. Give { id: "ana", roles: ["reviewer"] }.`)
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return refuse('is not an identity')
  checkFields(given, `a field of ${what}`, IDENTITY, 'INPUT_INVALID')
  const { id, roles, agent } = given as { id?: unknown; roles?: unknown; agent?: unknown }
  const problem = nameProblem(id, ID_MAX)
  if (problem !== undefined)
    return refuse(`needs an \`id\`, a text of at most ${ID_MAX} characters: it ${problem.split('. ', 1)[0]}`)
  if (!Array.isArray(roles) || !roles.every((role) => nameProblem(role, ID_MAX) === undefined))
    return refuse('needs `roles`, a list of texts; an empty one for none')
  if (agent !== undefined && typeof agent !== 'boolean') return refuse('has an `agent` that is not true or false')
  return given as Identity
}
