import { live } from '../../meter/live.ts'
import { refused } from '../../meter/stop.ts'
import type { Refusal } from '../../meter/stop.ts'
import type { Guest } from '../../value/guest.ts'
import type { Box, Closure } from '../../value/guest-function.ts'
import { MISSING_GLOBALS } from '../../value/text/javascript-names.ts'
import { thrown } from '../../value/thrown.ts'
import { readArgument } from './emit-access.ts'
import type { Var } from '../ir.ts'
import type { Write } from '../language.ts'
import { locate } from '../error-location.ts'
import { UNSET } from '../lower/scope.ts'
import type { Variable } from '../lower/scope.ts'

function unsetError(variable: Variable): unknown {
  return thrown('ReferenceError', `Cannot access '${variable.name}' before initialization`)
}

/** Returns the stop of a program that tested a name with `typeof` and then reads it although it does not exist. */
function nothing(name: string): Refusal {
  return refused(`\`${name}\` is not defined. ${MISSING_GLOBALS.get(name) ?? 'Declare it with `const` or `let`.'}`)
}

function readChecked(variable: Variable, read: Closure): Closure {
  // A constant of a JSON program that is not set yet reads as `undefined`.
  if (variable.kind === 'once')
    return (frame) => {
      const value = read(frame)
      return value === UNSET ? undefined : value
    }
  return (frame) => {
    const value = read(frame)
    if (value === UNSET) throw unsetError(variable)
    return value
  }
}

/** Reads a variable: from a slot, a captured box, or a table of globals. */
export function readVar(node: Var): Closure {
  const ref = node.ref!
  switch (ref.to) {
    case 'local': {
      const { variable } = ref
      const { slot } = variable
      const read: Closure = variable.isCaptured
        ? (frame) => (frame[slot] as Box).value
        : (frame) => frame[slot] as Guest
      return variable.isChecked ? readChecked(variable, read) : read
    }
    case 'box': {
      const { up, variable } = ref
      const read: Closure = (frame) => frame[0][up]!.value
      return variable.isChecked ? readChecked(variable, read) : read
    }
    case 'global': {
      const { value } = ref
      return () => value
    }
    case 'args':
      return () => live.machine.args
    case 'argument':
      return readArgument(node.name)
    default:
      return () => {
        throw locate(nothing(node.name), node.at)
      }
  }
}

/** The setter of a variable assigned outside expressions: a `catch` parameter, a loop item. */
export function writeVar(variable: Variable, up: number): Write {
  const { slot } = variable
  if (up >= 0)
    return (frame, value) => {
      frame[0][up]!.value = value
    }
  if (variable.isCaptured)
    return (frame, value) => {
      ;(frame[slot] as Box).value = value
    }
  return (frame, value) => {
    frame[slot] = value
  }
}

/** The setter of a variable. */
export function writeRef(node: Var): Write {
  const ref = node.ref!
  if (ref.to !== 'local' && ref.to !== 'box')
    return () => {
      const isNothing = ref.to === 'nothing'
      throw locate(isNothing ? nothing(node.name) : thrown('TypeError', 'Assignment to constant variable.'), node.at)
    }
  const { variable } = ref
  const write = writeVar(variable, ref.to === 'box' ? ref.up : -1)
  if (node.declares === true || (!variable.isChecked && !variable.isConst)) return write
  const read: Closure =
    ref.to === 'box'
      ? (frame) => frame[0][ref.up]!.value
      : variable.isCaptured
        ? (frame) => (frame[variable.slot] as Box).value
        : (frame) => frame[variable.slot] as Guest
  if (variable.kind === 'once')
    return (frame, value) => {
      if (read(frame) !== UNSET) throw thrown('TypeError', `Cannot reassign const variable '${variable.name}'`)
      write(frame, value)
    }
  return (frame, value) => {
    if (variable.isChecked && read(frame) === UNSET) throw locate(unsetError(variable), node.at)
    if (variable.isConst) throw locate(thrown('TypeError', 'Assignment to constant variable.'), node.at)
    write(frame, value)
  }
}
