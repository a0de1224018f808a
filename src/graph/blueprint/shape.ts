import type { Json } from '../../core/index.ts'
import { isRecord, memberPointer, setMember } from '../../core/index.ts'
import { didYouMean } from './report.ts'
import type { Report } from './report.ts'

/** The expected shape of a JSON value. */
export type Shape =
  | { readonly type: 'text' | 'number' | 'boolean' | 'json' | 'record' | 'scalar' }
  | { readonly type: 'one of'; readonly words: readonly (string | number)[] }
  | { readonly type: 'list'; readonly of: Shape }
  | { readonly type: 'map'; readonly of: Shape }
  | { readonly type: 'object'; readonly what: string; readonly fields: Readonly<Record<string, Member>> }

interface Member {
  readonly shape: Shape
  readonly isRequired: boolean
}

export const required = (shape: Shape): Member => ({ shape, isRequired: true })
export const optional = (shape: Shape): Member => ({ shape, isRequired: false })

/** The maximum number of values and characters, checked first. */
const SIZE_MAX = 500_000
const DEPTH_MAX = 32

/** Copies a value of a given shape, member by member. Reports mismatches; the copy must then not be used. */
export class ShapeReader {
  readonly #report: Report
  #left = SIZE_MAX

  constructor(report: Report) {
    this.#report = report
  }

  read(value: unknown, shape: Shape, path: string): Json {
    this.#left -= 1 + (typeof value === 'string' ? value.length : 0)
    if (this.#left < 0) return this.#tooLarge()
    switch (shape.type) {
      case 'text':
        return this.#text(value, path)
      case 'number':
        return typeof value === 'number' && Number.isFinite(value) ? value + 0 : this.#wrong(value, 'a number', path)
      case 'boolean':
        return typeof value === 'boolean' ? value : this.#wrong(value, '`true` or `false`', path)
      case 'scalar':
        return typeof value === 'object'
          ? this.#wrong(value, 'a text, a number or a boolean', path)
          : this.#json(value, path, 0)
      case 'one of':
        return this.#word(value, shape.words, path)
      case 'json':
        return this.#json(value, path, 0)
      case 'record':
        return isRecord(value) ? this.#json(value, path, 0) : this.#wrong(value, 'an object', path)
      case 'list':
        if (!Array.isArray(value)) return this.#wrong(value, 'a list', path)
        return Array.from(value as unknown[], (item, index) => this.read(item, shape.of, `${path}/${index}`))
      case 'map':
        if (!isRecord(value)) return this.#wrong(value, 'an object', path)
        return this.#members(value, path, (member, place) => this.read(member, shape.of, place))
      case 'object':
        return isRecord(value) ? this.#object(value, shape, path) : this.#wrong(value, 'an object', path)
    }
  }

  #object(value: Readonly<Record<string, unknown>>, shape: Shape & { type: 'object' }, path: string): Json {
    const copy: Record<string, Json> = {}
    const known = Object.keys(shape.fields)
    for (const name of Object.keys(value)) {
      if (Object.hasOwn(shape.fields, name)) continue
      this.#report.error('E-rag-unknown-field', `\`${name.slice(0, 60)}\` is not a field of ${shape.what}.`, {
        path: memberPointer(path, name),
        help: didYouMean(name, known),
      })
    }
    for (const [name, { shape: inner, isRequired }] of Object.entries(shape.fields)) {
      const member = Object.hasOwn(value, name) ? value[name] : undefined
      if (member !== undefined) copy[name] = this.read(member, inner, `${path}/${name}`)
      else if (isRequired)
        this.#report.error('E-rag-missing-field', `The field \`${name}\` of ${shape.what} is missing.`, { path })
    }
    return copy
  }

  #text(value: unknown, path: string): Json {
    if (typeof value !== 'string') return this.#wrong(value, 'a text', path)
    if (!value.isWellFormed())
      this.#report.error('E-rag-invalid-type', 'The text holds half of a surrogate pair.', { path })
    return value
  }

  #word(value: unknown, words: readonly (string | number)[], path: string): Json {
    if (words.includes(value as string)) return value as string
    if (typeof value !== typeof words[0])
      return this.#wrong(value, words.map((word) => `\`${word}\``).join(' or '), path)
    this.#report.error('E-rag-invalid-value', `\`${String(value).slice(0, 60)}\` is not known here.`, {
      path,
      help: words.length === 1 ? `Write \`${words[0]}\`.` : didYouMean(String(value), words.map(String)),
    })
    return null
  }

  #json(value: unknown, path: string, depth: number): Json {
    if (--this.#left < 0) return this.#tooLarge()
    if (depth > DEPTH_MAX) {
      this.#report.error('E-rag-too-deep', `Values are nested more than ${DEPTH_MAX} deep.`, { path })
      return null
    }
    if (value === null || typeof value === 'boolean') return value
    if (typeof value === 'string') {
      this.#left -= value.length
      return this.#text(value, path)
    }
    if (typeof value === 'number' && Number.isFinite(value)) return value + 0
    if (Array.isArray(value))
      return Array.from(value as unknown[], (item, index) => this.#json(item, `${path}/${index}`, depth + 1))
    if (isRecord(value)) return this.#members(value, path, (member, place) => this.#json(member, place, depth + 1))
    return this.#wrong(value, 'JSON', path)
  }

  #members(
    value: Readonly<Record<string, unknown>>,
    path: string,
    read: (member: unknown, path: string) => Json,
  ): Json {
    const copy: Record<string, Json> = {}
    for (const name of Object.keys(value)) {
      this.#text(name, path)
      if (value[name] !== undefined) setMember(copy, name, read(value[name], memberPointer(path, name)))
    }
    return copy
  }

  #wrong(value: unknown, needed: string, path: string): null {
    const given = value === null ? 'null' : Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`
    this.#report.error('E-rag-invalid-type', `Expected ${needed}, found ${given}.`, { path })
    return null
  }

  #tooLarge(): null {
    this.#report.error('E-rag-too-large', `The blueprint has more than ${SIZE_MAX} characters and values.`, {
      path: '',
    })
    return null
  }
}
