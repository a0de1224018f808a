import type { BuiltinFunction } from './builtin-function.ts'
import type { Guest } from './guest.ts'

export const RECEIVERS = [
  'string',
  'number',
  'boolean',
  'symbol',
  'object',
  'array',
  'function',
  'map',
  'set',
  'date',
  'regexp',
  'promise',
  'error',
  'timer',
  'iterator',
  'iteratorhelper',
  'generator',
  'asyncgenerator',
  'weakmap',
  'weakset',
  'url',
  'urlsearchparams',
  'abortcontroller',
  'abortsignal',
  'arraybuffer',
  'dataview',
  'textdecoder',
  'textencoder',
  'typedarray',
  'numberformat',
  'datetimeformat',
  'collator',
  'pluralrules',
  'listformat',
  'relativetimeformat',
] as const
export type Receiver = (typeof RECEIVERS)[number]

/**
 * The built-ins of a program: methods by the type of the receiver, and globals. Lookups are in maps, so no name reaches a host
 * prototype. A table is filled once, at load, and shared by all programs.
 */
export interface BuiltinTable {
  readonly methods: ReadonlyMap<Receiver, ReadonlyMap<string, BuiltinFunction>>
  /** Properties that are computed and are not methods: `length` of strings, `size` of maps. */
  readonly getters: ReadonlyMap<Receiver, ReadonlyMap<string, (receiver: never) => Guest>>
  readonly globals: ReadonlyMap<string, Guest>
}
