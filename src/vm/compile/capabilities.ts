import { MandateError } from '../../core/index.ts'
import { COST } from '../meter/cost.ts'
import { live } from '../meter/live.ts'
import type { Capability, CapabilityTree } from '../port.ts'
import { BuiltinFunction } from '../value/builtin-function.ts'
import type { Guest } from '../value/guest.ts'
import { newArrayOf } from '../value/guest-array.ts'

export interface CapabilityValues {
  readonly globals: ReadonlyMap<string, Guest>
  readonly byPath: ReadonlyMap<string, Guest>
}

function isCapability(value: Capability | CapabilityTree): value is Capability {
  return typeof value['kind'] === 'string' && typeof value['name'] === 'string'
}

/** Host functions as guest values: calling one makes a request and returns a promise. */
export function capabilityValues(tree: CapabilityTree): CapabilityValues {
  const byPath = new Map<string, Guest>()
  const make = (value: Capability | CapabilityTree, path: string): Guest => {
    if (typeof value !== 'object' || value === null)
      throw new MandateError(
        'CONFIG_INVALID',
        `The capability \`${path}\` must be { kind, name } or an object of such.`,
      )
    const made = isCapability(value) ? callable(value, path) : namespace(value, path)
    byPath.set(path, made)
    return made
  }
  const namespace = (members: CapabilityTree, path: string): BuiltinFunction =>
    new BuiltinFunction(path, {
      members: new Map(Object.entries(members).map(([name, member]) => [name, make(member, `${path}.${name}`)])),
    })
  const globals = new Map(Object.entries(tree).map(([name, value]) => [name, make(value, name)]))
  return { globals, byPath }
}

function callable({ kind, name, takesAll }: Capability, path: string): BuiltinFunction {
  const ask = (input: Guest): Guest => live.machine.waiting.request(kind, name, input)
  return new BuiltinFunction(path, {
    builtin: {
      name,
      cost: COST.request,
      flow: 'ask',
      call: (_receiver, args) => ask(takesAll === true ? newArrayOf(args) : args[0]),
      ...(takesAll === true ? {} : { one: (_receiver: Guest, input: Guest) => ask(input) }),
    },
  })
}
