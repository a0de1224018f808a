import { burn } from '../meter/live.ts'
import type { BuiltinFunction } from '../value/builtin-function.ts'
import type { Guest } from '../value/guest.ts'
import { GuestObject } from '../value/guest-object.ts'
import { getKeyed } from '../value/property.ts'
import { SCRIPT_OPERATIONS } from '../value/script-operators.ts'
import { deleteKey, setKeyed } from '../value/set-member.ts'
import { Thrown, thrown } from '../value/thrown.ts'
import { functions, namespace } from './constructors.ts'
import { objectGlobal } from './object.ts'

function target(value: Guest, method: string): Guest {
  if (typeof value === 'object' && value !== null) return value
  throw thrown('TypeError', `Reflect.${method} called on non-object`)
}

/** Returns whether a change was made: `Reflect` returns false where an assignment throws. */
function isDone(object: Guest, change: (object: Guest) => unknown): boolean {
  try {
    change(object)
    return true
  } catch (error) {
    if (error instanceof Thrown) return false
    throw error
  }
}

/** `Reflect`: properties by functions instead of operators. */
export const reflectGlobal: BuiltinFunction = namespace(
  'Reflect',
  functions('Reflect', {
    deleteProperty: [
      2,
      (_, [value, key]) => isDone(target(value, 'deleteProperty'), (object) => deleteKey(object, key)),
    ],
    get: [2, (_, [value, key]) => getKeyed(target(value, 'get'), key)],
    has: [2, (_, [value, key]) => SCRIPT_OPERATIONS.get('in')!(key, target(value, 'has'))],
    ownKeys: [
      1,
      (_, [value]) => {
        if (value instanceof GuestObject) burn(value.size * 40)
        const names = objectGlobal.members!.get('getOwnPropertyNames') as BuiltinFunction
        return names.builtin!.call(undefined, [target(value, 'ownKeys')])
      },
    ],
    set: [3, (_, [value, key, given]) => isDone(target(value, 'set'), (object) => setKeyed(object, key, given))],
  }),
)
