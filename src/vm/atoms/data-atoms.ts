import { canonical, sha256 } from '../../core/index.ts'
import { exportValue } from '../border/export.ts'
import { importValue } from '../border/import.ts'
import { burn, charge, chargeList, chargeString } from '../meter/live.ts'
import { toText } from '../value/convert.ts'
import { GuestArray } from '../value/guest-array.ts'
import { newObject } from '../value/guest-object.ts'
import type { GuestObject } from '../value/guest-object.ts'
import type { Guest } from '../value/guest.ts'
import type { AnyAtom } from './atom.ts'
import { inlineAtom, refuse } from './inline-atom.ts'

const PLACEHOLDER = /\{\{\s*(\w+)\s*\}\}/g
/** Bytes that parsing may take per character, before the values themselves are counted. */
const PARSE_BYTES = 4

/** Atoms on texts, lists and records. They charge for what they make before they make it. */
export const DATA_ATOMS: readonly AnyAtom[] = [
  inlineAtom({
    op: 'push',
    docs: 'Adds an item to the end of a list, in place, and gives the list.',
    input: { list: 'list', item: 'any' },
    output: 'list',
    cost: 1,
    run(input) {
      const list = input.get('list') as GuestArray
      if (list.isFrozen) refuse('TypeError', 'push: the list is frozen.')
      charge(16)
      list.items.push(input.get('item'))
      return list
    },
  }),
  inlineAtom({
    op: 'len',
    docs: 'The length of a list or text; 0 for anything else.',
    input: { list: 'any' },
    output: 'number',
    cost: 1,
    run(input) {
      const list = input.get('list')
      if (typeof list === 'string') return list.length
      return list instanceof GuestArray ? list.items.length : 0
    },
  }),
  inlineAtom({
    op: 'split',
    docs: 'Splits a text at a separator.',
    input: { str: 'string', sep: 'string' },
    output: 'strings',
    cost: 1,
    run(input) {
      const text = input.get('str') as string
      const separator = input.get('sep') as string
      burn(text.length)
      chargeList(countParts(text, separator))
      charge(text.length)
      return new GuestArray(text.split(separator))
    },
  }),
  inlineAtom({
    op: 'join',
    docs: 'Joins the items of a list with a separator between them.',
    input: { list: 'list', sep: 'string' },
    output: 'string',
    cost: 1,
    run(input) {
      const { items } = input.get('list') as GuestArray
      const separator = input.get('sep') as string
      burn(items.length * 8)
      const texts = items.map((item) => (item === null || item === undefined ? '' : toText(item)))
      chargeString(texts.reduce((sum, { length }) => sum + length, separator.length * Math.max(0, items.length - 1)))
      return texts.join(separator)
    },
  }),
  inlineAtom({
    op: 'template',
    docs: 'Fills {{name}} in a text; what is missing is left empty.',
    input: { tmpl: 'string', vars: 'record' },
    output: 'string',
    cost: 1,
    run(input) {
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
  }),
  inlineAtom({
    op: 'pick',
    docs: 'The record with these keys only.',
    input: { obj: 'record', keys: 'strings' },
    output: 'record',
    cost: 1,
    run: (input) => chosen(input.get('obj') as GuestObject, (input.get('keys') as GuestArray).items, true),
  }),
  inlineAtom({
    op: 'omit',
    docs: 'The record without these keys.',
    input: { obj: 'record', keys: 'strings' },
    output: 'record',
    cost: 1,
    run: (input) => chosen(input.get('obj') as GuestObject, (input.get('keys') as GuestArray).items, false),
  }),
  inlineAtom({
    op: 'merge',
    docs: 'A record with the members of both; the second wins.',
    input: { a: 'record', b: 'record' },
    output: 'record',
    cost: 1,
    run(input) {
      const merged = newObject()
      for (const name of ['a', 'b']) copyInto(merged, input.get(name) as GuestObject)
      return merged
    },
  }),
  inlineAtom({
    op: 'keys',
    docs: 'The keys of a record.',
    input: { obj: 'record' },
    output: 'strings',
    cost: 1,
    run(input) {
      const record = input.get('obj') as GuestObject
      chargeList(record.size)
      return new GuestArray(record.keys())
    },
  }),
  inlineAtom({
    op: 'jsonParse',
    docs: 'The value that a JSON text says.',
    input: { str: 'string' },
    output: 'any',
    cost: 1,
    run(input) {
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
  }),
  inlineAtom({
    op: 'jsonStringify',
    docs: 'A value as JSON text.',
    input: { value: 'any' },
    output: 'string',
    cost: 1,
    run(input) {
      const text = JSON.stringify(exportValue(input.get('value')))
      chargeString(text.length)
      return text
    },
  }),
  inlineAtom({
    op: 'hash',
    docs: 'The SHA-256 of a text, or of the canonical JSON of anything else.',
    input: { value: 'any', algorithm: 'string?' },
    output: 'string',
    cost: 1,
    run(input) {
      const value = input.get('value')
      if ((input.get('algorithm') ?? 'SHA-256') !== 'SHA-256')
        refuse('TypeError', 'hash: "algorithm" can only be "SHA-256".')
      const text = typeof value === 'string' ? value : canonical(exportValue(value))
      burn(text.length * 4)
      return sha256(text)
    },
  }),
]

function countParts(text: string, separator: string): number {
  if (separator === '') return text.length
  let count = 1
  for (let at = text.indexOf(separator); at >= 0; at = text.indexOf(separator, at + separator.length)) count += 1
  return count
}

function chosen(record: GuestObject, given: readonly Guest[], isKept: boolean): GuestObject {
  burn((record.size + given.length) * 8)
  const named = new Set(given)
  const made = newObject()
  const names = isKept ? (given as readonly string[]) : record.keys().filter((key) => !named.has(key))
  for (const key of names) if (record.has(key)) made.setComputed(key, record.get(key))
  return made
}

function copyInto(target: GuestObject, source: GuestObject): void {
  burn(source.size * 8)
  for (const key of source.keys()) target.setComputed(key, source.get(key))
}
