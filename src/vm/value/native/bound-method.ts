import { BuiltinFunction } from '../builtin-function.ts'
import type { GuestFormat } from './guest-native.ts'

/** A method read as a value that keeps its receiver: `list.map(format.format)`. */
export class BoundMethod extends BuiltinFunction {
  readonly receiver: GuestFormat
  readonly method: BuiltinFunction

  constructor(method: BuiltinFunction, receiver: GuestFormat) {
    const { builtin } = method
    const { cost, arity } = builtin!
    super(method.path, { builtin: { name: '', cost, arity, call: (_, args) => builtin!.call(receiver, args) } })
    this.receiver = receiver
    this.method = method
  }
}
