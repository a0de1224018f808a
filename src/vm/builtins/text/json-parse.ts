import { invoke2, requireCallable } from '../../machine/invoke.ts'
import { burn, charge } from '../../meter/live.ts'
import { isCallable } from '../../value/convert.ts'
import type { Guest } from '../../value/guest.ts'
import { GuestArray, newArray } from '../../value/guest-array.ts'
import { GuestObject, newObject } from '../../value/guest-object.ts'
import { pushItem } from '../../value/property.ts'
import { deleteKey, setItem } from '../../value/set-member.ts'
import { noteMade, touchKey } from '../../value/text/text.ts'
import { thrown } from '../../value/thrown.ts'
import { textArgument } from '../argument-reads.ts'

/** Deeper texts are refused: every walk over a value is recursive somewhere. */
const DEPTH_MAX = 500

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
// A string without escapes; control characters are not allowed.
// eslint-disable-next-line no-control-regex
const plain = /[^"\\\u0000-\u001f]*/y
const escapes = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
])

/** Parses JSON directly into guest values and charges for each before it is allocated. */
class Reader {
  private at = 0
  private depth = 0
  private readonly text: string

  constructor(text: string) {
    this.text = text
  }

  whole(): Guest {
    const value = this.value()
    this.blanks()
    if (this.at < this.text.length) this.fail()
    return value
  }

  private fail(): never {
    const char = this.text[this.at]
    if (char === undefined) throw thrown('SyntaxError', 'Unexpected end of JSON input')
    throw thrown('SyntaxError', `Unexpected token ${JSON.stringify(char)} in JSON at position ${this.at}`)
  }

  private blanks(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at)
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return
      this.at += 1
    }
  }

  private value(): Guest {
    this.blanks()
    burn(200)
    const char = this.text[this.at]
    if (char === '{') return this.nested(() => this.object())
    if (char === '[') return this.nested(() => this.array())
    if (char === '"') return this.string()
    if (char === 't') return this.word('true', true)
    if (char === 'f') return this.word('false', false)
    if (char === 'n') return this.word('null', null)
    return this.number()
  }

  private nested(read: () => Guest): Guest {
    this.depth += 1
    if (this.depth > DEPTH_MAX) throw thrown('RangeError', `JSON is nested deeper than ${DEPTH_MAX} levels`)
    this.at += 1
    const value = read()
    this.depth -= 1
    return value
  }

  private word(word: string, value: boolean | null): Guest {
    if (!this.text.startsWith(word, this.at)) this.fail()
    this.at += word.length
    return value
  }

  private number(): Guest {
    number.lastIndex = this.at
    const match = number.exec(this.text)
    if (match === null) this.fail()
    burn(match[0].length)
    this.at += match[0].length
    return Number(match[0])
  }

  private string(): string {
    this.at += 1
    let value = ''
    for (;;) {
      plain.lastIndex = this.at
      const [run] = plain.exec(this.text) as RegExpExecArray
      charge(run.length + 24)
      burn(run.length >> 2)
      value += run
      this.at += run.length
      const char = this.text[this.at]
      if (char === '"') break
      if (char !== '\\') this.fail()
      burn(100)
      charge(24)
      value += this.escape()
    }
    this.at += 1
    return noteMade(value)
  }

  private escape(): string {
    const char = this.text[this.at + 1] ?? ''
    this.at += 2
    const simple = escapes.get(char)
    if (simple !== undefined) return simple
    const digits = this.text.slice(this.at, this.at + 4)
    if (char !== 'u' || !/^[0-9a-f]{4}$/i.test(digits)) {
      this.at -= 1
      this.fail()
    }
    this.at += 4
    return String.fromCharCode(Number.parseInt(digits, 16))
  }

  private array(): Guest {
    const list = newArray([])
    this.blanks()
    if (this.text[this.at] === ']') {
      this.at += 1
      return list
    }
    for (;;) {
      pushItem(list, this.value())
      this.blanks()
      const char = this.text[this.at]
      if (char !== ',' && char !== ']') this.fail()
      this.at += 1
      if (char === ']') return list
    }
  }

  private object(): Guest {
    const object = newObject()
    this.blanks()
    if (this.text[this.at] === '}') {
      this.at += 1
      return object
    }
    for (;;) {
      this.blanks()
      if (this.text[this.at] !== '"') this.fail()
      const key = this.string()
      touchKey(key)
      this.blanks()
      if (this.text[this.at] !== ':') this.fail()
      this.at += 1
      object.set(key, this.value())
      this.blanks()
      const char = this.text[this.at]
      if (char !== ',' && char !== '}') this.fail()
      this.at += 1
      if (char === '}') return object
    }
  }
}

/** Calls the reviver from the inside out. */
function revive(holder: GuestObject | GuestArray, key: string, fn: Guest): Guest {
  burn(50)
  const value = holder instanceof GuestArray ? holder.items[Number(key)] : holder.get(key)
  if (value instanceof GuestArray) {
    const { length } = value.items
    for (let index = 0; index < length; index += 1) {
      const revived = revive(value, String(index), fn)
      if (revived === undefined) deleteKey(value, index)
      else setItem(value, index, revived)
    }
  } else if (value instanceof GuestObject) {
    for (const name of value.listKeys()) {
      const revived = revive(value, name, fn)
      if (revived === undefined) value.delete(name)
      else value.set(name, revived)
    }
  }
  return invoke2(fn, key, value)
}

/** `JSON.parse(text, reviver)`. */
export function parseJson(_: Guest, args: readonly Guest[]): Guest {
  const text = textArgument(args[0])
  burn(text.length * 4)
  const value = new Reader(text).whole()
  if (!isCallable(args[1])) return value
  requireCallable(args[1], 'JSON.parse')
  const holder = newObject()
  holder.set('', value)
  return revive(holder, '', args[1])
}
