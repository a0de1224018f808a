import { exportValue } from '../../border/export.ts'
import { importValue } from '../../border/import.ts'
import { burn, charge, chargeList, chargeString, live } from '../../meter/live.ts'
import { splitText } from '../../builtins/text/string-methods.ts'
import { toText } from '../../value/convert.ts'
import { GuestArray } from '../../value/guest-array.ts'
import { newObject } from '../../value/guest-object.ts'
import type { GuestObject } from '../../value/guest-object.ts'
import type { Guest } from '../../value/guest.ts'
import { touch } from '../../value/text/text.ts'
import { random, uuid } from './random-work.ts'
import { atomRows } from './core-table.ts'
import { hash } from './hash-work.ts'
import { inlineAtom, refuse } from './inline-atom.ts'
import type { InlineAtom, InlineWork } from './inline-atom.ts'
import { regexMatch } from './regex-work.ts'

const PLACEHOLDER = /\{\{\s*(\w+)\s*\}\}/g
/** Bytes that parsing may take per character, before the values themselves are counted. */
const PARSE_BYTES = 4

/** One per line: operation; fields; result; cost; flags; description. */
const TABLE = `
push; list:list item; list; 1; pure; Adds an item to the end of a list, in place, and gives the list.
len; list; number; 1; pure; The length of a list or text; 0 for anything else.
split; str:string sep:string; strings; 1; pure; Splits a text at a separator.
join; list:list sep:string; string; 1; pure; Joins the items of a list with a separator between them.
template; tmpl:string vars:record; string; 1; pure; Fills {{name}} in a text; what is missing is left empty.
pick; obj:record keys:strings; record; 1; pure; The record with these keys only.
omit; obj:record keys:strings; record; 1; pure; The record without these keys.
merge; a:record b:record; record; 1; pure; A record with the members of both; the second wins.
keys; obj:record; strings; 1; pure; The keys of a record.
jsonParse; str:string; any; 1; pure; The value that a JSON text says.
jsonStringify; value; string; 1; pure; A value as JSON text.
hash; value algorithm:string?; string; 1; pure; The SHA-256 of a text, or of the canonical JSON of anything else.
regexMatch; pattern:string value:string; boolean; 2; pure; Whether a pattern is found in a text, in time that grows with the text and no faster.
random; min:number? max:number? format:string? length:size?; any; 1; pure; A random number from min to max; format "integer" makes it whole, "base36" gives text of this length.
uuid; -; string; 1; pure; A random UUID.
consoleLog; message; any; 0.1; pure; Writes a line to the log of the run.
consoleWarn; message; any; 0.1; pure; Adds a line to the warnings of the result.
consoleError; message; any; 0.1; pure; Fails with this message.
`

/** Atoms on texts, lists and records. They charge before they allocate. */
const WORK: Readonly<Record<string, InlineWork>> = {
  push(input) {
    const list = input.get('list') as GuestArray
    if (list.isFrozen) refuse('TypeError', 'push: the list is frozen.')
    charge(16)
    list.items.push(input.get('item'))
    return list
  },
  len(input) {
    const list = input.get('list')
    if (typeof list === 'string') return list.length
    return list instanceof GuestArray ? list.items.length : 0
  },
  split(input) {
    const text = input.get('str') as string
    const separator = input.get('sep') as string
    touch(text)
    touch(separator)
    return splitText(text, separator, Infinity)
  },
  join(input) {
    const { items } = input.get('list') as GuestArray
    const separator = input.get('sep') as string
    burn(items.length * 8)
    const texts = items.map((item) => (item === null || item === undefined ? '' : toText(item)))
    chargeString(texts.reduce((sum, { length }) => sum + length, separator.length * Math.max(0, items.length - 1)))
    return texts.join(separator)
  },
  template(input) {
    const text = input.get('tmpl') as string
    const vars = input.get('vars') as GuestObject
    const fill = (name: string): string => {
      const value = vars.get(name)
      return value === null || value === undefined ? '' : toText(value)
    }
    burn(text.length)
    let length = text.length
    for (const [place, name] of text.matchAll(PLACEHOLDER)) length += fill(name!).length - place.length
    chargeString(length)
    return text.replaceAll(PLACEHOLDER, (_, name: string) => fill(name))
  },
  pick: (input) => chosen(input.get('obj') as GuestObject, (input.get('keys') as GuestArray).items, true),
  omit: (input) => chosen(input.get('obj') as GuestObject, (input.get('keys') as GuestArray).items, false),
  merge(input) {
    const merged = newObject()
    for (const name of ['a', 'b']) copyInto(merged, input.get(name) as GuestObject)
    return merged
  },
  keys(input) {
    const record = input.get('obj') as GuestObject
    chargeList(record.size)
    return new GuestArray(record.listKeys())
  },
  jsonParse(input) {
    const text = input.get('str') as string
    burn(text.length * 4)
    charge(text.length * PARSE_BYTES)
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch (error) {
      refuse('SyntaxError', `jsonParse: ${(error as Error).message}`)
    }
    return importValue(value)
  },
  jsonStringify(input) {
    const text = JSON.stringify(exportValue(input.get('value')))
    chargeString(text.length)
    return text
  },
  consoleLog: (input) => live.machine.print('log', toText(input.get('message'))) as undefined,
  consoleWarn: (input) => live.machine.print('warn', toText(input.get('message'))) as undefined,
  consoleError: (input) => refuse('Error', toText(input.get('message'))),
  hash,
  regexMatch,
  random,
  uuid,
}

/** Inline atoms: they compute inside the machine. */
export const DATA_ATOMS: readonly InlineAtom[] = atomRows(TABLE).map((row) => {
  return inlineAtom(row, WORK[row.op]!)
})

function chosen(record: GuestObject, given: readonly Guest[], isKept: boolean): GuestObject {
  burn((record.size + given.length) * 8)
  const named = new Set(given)
  const made = newObject()
  const names = isKept ? (given as readonly string[]) : record.listKeys().filter((key) => !named.has(key))
  for (const key of names) if (record.has(key)) made.setComputed(key, record.get(key))
  return made
}

function copyInto(target: GuestObject, source: GuestObject): void {
  burn(source.size * 8)
  for (const key of source.listKeys()) target.setComputed(key, source.get(key))
}
