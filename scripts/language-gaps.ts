import { scriptBuiltins } from '../src/vm/builtins/index.ts'
import { BuiltinFunction } from '../src/vm/value/builtin-function.ts'
import { RECEIVERS } from '../src/vm/value/builtin-table.ts'
import { MISSING_GLOBALS, missingMember, missingMethod } from '../src/vm/value/text/javascript-names.ts'

/**
 * Lists the globals, members of globals and methods that the JavaScript engine has and scripts do not support, each with the advice in the error message.
 * A name without advice was added by a newer engine. Usage: `node --conditions=mandate-source scripts/language-gaps.ts`.
 */
const OTHERWISE = new Set(['constructor', 'length', 'name', 'prototype'])

/** A value of each type whose constructor is a global. The types of formatters are members of `Intl`. */
const TYPES: Readonly<Record<string, string>> = {
  abortcontroller: 'AbortController',
  abortsignal: 'AbortSignal',
  arraybuffer: 'ArrayBuffer',
  dataview: 'DataView',
  regexp: 'RegExp',
  textdecoder: 'TextDecoder',
  textencoder: 'TextEncoder',
  typedarray: 'Uint8Array',
  url: 'URL',
  urlsearchparams: 'URLSearchParams',
  weakmap: 'WeakMap',
  weakset: 'WeakSet',
}

const engine = globalThis as unknown as Record<string, { readonly prototype?: object } | undefined>

function print(where: string, names: readonly string[], advice: (name: string) => string | undefined): void {
  for (const name of names)
    if (!OTHERWISE.has(name)) process.stdout.write(`${where}${name}: ${advice(name) ?? 'NO ADVICE'}\n`)
}

print(
  '',
  Object.getOwnPropertyNames(globalThis).filter((name) => !scriptBuiltins.globals.has(name)),
  (name) => MISSING_GLOBALS.get(name),
)
for (const [path, value] of scriptBuiltins.globals)
  if (value instanceof BuiltinFunction)
    print(
      `${path}.`,
      Object.getOwnPropertyNames(engine[path] ?? {}).filter((name) => !value.members?.has(name)),
      (name) => missingMember(path, name),
    )
for (const receiver of RECEIVERS) {
  const { prototype = {} } = engine[TYPES[receiver] ?? receiver.charAt(0).toUpperCase() + receiver.slice(1)] ?? {}
  const { methods, getters } = scriptBuiltins
  print(
    `${receiver}: `,
    Object.getOwnPropertyNames(prototype).filter(
      (name) => !methods.get(receiver)?.has(name) && !getters.get(receiver)?.has(name),
    ),
    (name) => missingMethod(receiver, name),
  )
}
