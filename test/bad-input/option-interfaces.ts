import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describeDeclaration, readDeclaration, readSubpaths } from '../tidy/api.ts'
import { reachableFrom } from '../tidy/reach.ts'
import { type SourceFile, root } from '../tidy/sources.ts'

const known = new Map<string, SourceFile>()
const read = (path: string): SourceFile => {
  const file = known.get(path) ?? readDeclaration(path)
  known.set(path, file)
  return file
}
/** Every declaration that is reached from what a room shows to users and to other rooms, by name or as part of something else. */
const REACHED: readonly string[] = [
  ...new Set(
    [...readSubpaths().values()]
      .flatMap((source) => [source, source.replace('/public.ts', '/index.ts')])
      .filter((door) => existsSync(join(root, door)))
      .flatMap((door) => reachableFrom(door, read))
      .map(({ name, path }) => describeDeclaration(read(path.replace(/\.d\.ts$/, '.ts')), name)),
  ),
]

/** Types that callers fill in, by what they are called. */
const OPTIONS_NAME = /(?:Options|Config|Filter|Limits|Need|Plan|Policy|Definition|Wish|Spec|Server|Response)$/

/** The fields of an exported interface or type, those it extends included. */
export function fieldsOf(type: string): readonly string[] {
  return [...new Set(membersOf(type.trim(), ANY_MEMBER))]
}

/** Those of its fields that hold a number and nothing else. */
export function numbersOf(type: string): readonly string[] {
  return [...new Set(membersOf(type.trim(), NUMBER_MEMBER))]
}

const ANY_MEMBER = /^ {2}(?:readonly )?(\w+)\??[:(<]/gm
const NUMBER_MEMBER = /^ {2}(?:readonly )?(\w+)\??: number(?: \| undefined)?$/gm

function membersOf(type: string, kind: RegExp): readonly string[] {
  if (type.includes(' & ')) return type.split(' & ').flatMap((part) => membersOf(part.trim(), kind))
  const [, whole] = /^Partial<(.*)>$/.exec(type) ?? []
  if (whole !== undefined) return membersOf(whole, kind)
  const [, wrapper, inner, keys] = /^(Omit|Pick)<(\w+), ([^>]*)>$/.exec(type) ?? []
  if (wrapper !== undefined) {
    const named = [...keys!.matchAll(/'(\w+)'/g)].map(([, name]) => name!)
    return membersOf(inner!, kind).filter((name) => named.includes(name) === (wrapper === 'Pick'))
  }
  const name = type.replace(/<.*$/, '')
  const pattern = new RegExp(`^interface ${name}\\b(?:<[^{\\n]*?>)?(?: extends ([^{]*))? \\{\\n((?:  .*\\n)*)\\}`, 'm')
  // Two rooms may have an interface of one name; a taker refuses what it does not know of the other one as well.
  const declared = REACHED.map((text) => pattern.exec(text)).filter((found) => found !== null)
  if (declared.length > 0)
    return declared.flatMap(([, base = '', body]) => [
      ...splitTypes(base).flatMap((each) => membersOf(each, kind)),
      ...ownMembers(body!, kind),
    ])
  for (const text of REACHED) {
    const alias = new RegExp(`^type ${name} = ([^{\\n]+)$`, 'm').exec(text)
    if (alias !== null) return membersOf(alias[1]!, kind)
  }
  throw new Error(`no room declares an interface ${name}`)
}

function ownMembers(body: string, kind: RegExp): readonly string[] {
  return [...body.matchAll(kind)].map(([, name]) => name!)
}

/** `A, Omit<B, 'c' | 'd'>` at its outer commas. */
function splitTypes(list: string): readonly string[] {
  return [...list.matchAll(/\w+(?:<[^>]*>)?/g)].map(([type]) => type)
}

/** Every exported function, constructor and method that takes such a type: `openStore: OpenStoreOptions`. */
export function optionTakers(): readonly string[] {
  const found = new Set<string>()
  for (const text of REACHED) {
    for (const [, name, rest] of text.matchAll(/^function (\w+)([^\n]*(?:\n {2}[^\n]*)*)/gm)) add(found, name!, rest!)
    for (const [, name, body] of text.matchAll(/^(?:class|interface) (\w+)[^\n]*\{\n((?: {2}.*\n)+)/gm)) {
      for (const [, method, rest] of body!.matchAll(/^ {2}(\w+)\??(\([^\n]*)/gm)) add(found, `${name}.${method}`, rest!)
    }
  }
  return [...found].toSorted()
}

function add(found: Set<string>, name: string, signature: string): void {
  const parameters = signature.slice(0, signature.lastIndexOf(')') + 1)
  const typed = /[\w}]+\??: (?:readonly )?(?:(Omit<(\w+), [^>]*>)|Partial<(\w+)>|(\w+))/g
  for (const [, composed, omitted, partial, plain] of parameters.matchAll(typed)) {
    const type = omitted ?? partial ?? plain!
    if (OPTIONS_NAME.test(type)) found.add(`${name}: ${composed ?? type}`)
  }
}

/** A slip that nobody means: the letter in the middle twice. */
export function misspelt(name: string): string {
  const middle = Math.floor(name.length / 2)
  return `${name.slice(0, middle)}${name[middle]}${name.slice(middle)}`
}
