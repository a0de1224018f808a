import { live } from '../meter/live.ts'
import { BuiltinFunction } from '../value/builtin-function.ts'
import type { Guest } from '../value/guest.ts'
import { inspect, joined } from '../value/text/inspect.ts'

const CALL_UNITS = 500

const known = new Map<string, BuiltinFunction>()

/** Creates the synchronous functions of a cell. `print` and `debug` write to its output; the others are performed by the host. */
export function cellFunctions(names: readonly string[]): ReadonlyMap<string, Guest> {
  return new Map(names.map((name) => [name, cellFunction(name)]))
}

function cellFunction(name: string): BuiltinFunction {
  let made = known.get(name)
  if (made === undefined)
    known.set(name, (made = new BuiltinFunction(name, { builtin: { name, cost: CALL_UNITS, call: callOf(name) } })))
  return made
}

function callOf(name: string): (receiver: Guest, args: Guest[]) => Guest {
  if (name !== 'print' && name !== 'debug') return (_receiver, args) => live.machine.callHost(name, args)
  return (_receiver, args) => {
    live.machine.print(
      name === 'debug' ? 'debug' : 'log',
      joined(
        args.map((value) => inspect(value)),
        ' ',
      ),
    )
    return undefined
  }
}
