import { MandateError } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import { COST } from '../meter/cost.ts'
import { importValue } from '../border/import.ts'
import { live } from '../meter/live.ts'
import { CapabilityHandle } from '../port.ts'
import type { Capability, CapabilityTree } from '../port.ts'
import { BuiltinFunction } from '../value/builtin-function.ts'
import { GuestRegExp } from '../value/collections.ts'
import type { Guest } from '../value/guest.ts'
import { newArrayOf } from '../value/guest-array.ts'

export interface CapabilityValues {
  readonly globals: ReadonlyMap<string, Guest>
  readonly byPath: ReadonlyMap<string, Guest>
}

type Member = CapabilityTree[string]

function isCapability(value: Capability | CapabilityTree): value is Capability {
  return typeof value['kind'] === 'string' && typeof value['name'] === 'string'
}

/** Host functions as guest values: calling one makes a request and returns a promise. */
export function capabilityValues(tree: CapabilityTree): CapabilityValues {
  let made = known.get(tree)
  if (made === undefined) known.set(tree, (made = makeValues(tree)))
  return made
}

/** Programs that are given the same tree share its values, which never change. */
const known = new WeakMap<CapabilityTree, CapabilityValues>()

function makeValues(tree: CapabilityTree): CapabilityValues {
  const byPath = new Map<string, Guest>()
  const make = (value: Member, path: string): Guest => {
    if (typeof value === 'string' || typeof value === 'number') return value
    if (typeof value !== 'object' || value === null)
      throw new MandateError(
        'CONFIG_INVALID',
        `The capability \`${path}\` must be { kind, name } or an object of such.`,
      )
    const made = valueOf(value, path)
    byPath.set(path, made)
    return made
  }
  const valueOf = (value: Exclude<Member, string | number>, path: string): BuiltinFunction => {
    if (value instanceof CapabilityHandle) return namespace(value.members, path, value.standsFor)
    return isCapability(value) ? callable(value, path) : namespace(value, path)
  }
  const namespace = (members: CapabilityTree, path: string, standsFor?: Json): BuiltinFunction =>
    new BuiltinFunction(path, {
      members: new Map(Object.entries(members).map(([name, member]) => [name, make(member, `${path}.${name}`)])),
      standsFor,
      isListed: true,
    })
  const globals = new Map(Object.entries(tree).map(([name, value]) => [name, make(value, name)]))
  return { globals, byPath }
}

function callable({ kind, name, takesAll }: Capability, path: string): BuiltinFunction {
  const ask = (input: Guest): Guest => live.machine.waiting.request(kind, name, input)
  if (takesAll === true)
    return new BuiltinFunction(path, {
      builtin: { name, cost: COST.request, flow: 'ask-all', call: (_receiver, args) => ask(listOf(args)) },
    })
  return new BuiltinFunction(path, {
    builtin: {
      name,
      cost: COST.request,
      flow: 'ask',
      call: (_receiver, args) => ask(args[0]),
      one: (_receiver, input) => ask(input),
    },
  })
}

/** Packs the arguments into one value for a request. */
function listOf(args: readonly Guest[]): Guest {
  return newArrayOf(
    args.map((arg) => (arg instanceof GuestRegExp ? importValue({ source: arg.source, flags: arg.flags }) : arg)),
  )
}
