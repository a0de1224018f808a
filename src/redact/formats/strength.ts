/** Words in place of a secret, in examples and in masked texts. */
const PLACEHOLDER =
  /^(?:x{3,}|\*{2,}|\.{2,}|<.*|\[.*|\{.*|\$.*|%[a-z_]+%.*|null|none|nil|undefined|true|false|string|number|boolean|object|required|optional|redacted|hidden|masked|secret|password|token|changeme|env\.|process\.env|os\.environ|your[-_ ].*|my[-_ ].*|example.*|placeholder.*|dummy.*|todo.*|\(.*)$/i

/** Whether a value is a placeholder. */
export function isPlaceholder(value: string): boolean {
  const start = value.slice(0, 64)
  return PLACEHOLDER.test(start) || /^(.)\1*$/.test(start) || start.includes('...') || /EXAMPLE(?:KEY)?$/.test(start)
}

/** A name in a program, such as `z3.looseObject`, or a URL: in those letters and digits alternate too. */
export function isNameOrAddress(value: string): boolean {
  const start = value.slice(0, 96)
  return (
    start.includes('://') ||
    start.split('.').every((part) => /^[a-z$]*\d{0,2}(?:[A-Z][a-z]{2,}\d{0,2}|[A-Z]\d)*$/.test(part))
  )
}

interface Makeup {
  digits: number
  letters: number
  /** How often upper and lower case, or letters and digits, alternate. */
  changes: number
  symbols: number
}

function makeupOf(value: string): Makeup {
  const makeup = { digits: 0, letters: 0, changes: 0, symbols: 0 }
  let last = ''
  for (let i = 0; i < value.length && i < 256; i++) {
    const code = value.charCodeAt(i)
    const kind = code >= 48 && code <= 57 ? '0' : code >= 97 && code <= 122 ? 'a' : code >= 65 && code <= 90 ? 'A' : '.'
    if (kind === '0') makeup.digits++
    else if (kind === '.') makeup.symbols++
    else makeup.letters++
    if (last !== '' && kind !== last && kind !== '.' && last !== '.') makeup.changes++
    last = kind
  }
  return makeup
}

/** Whether a text looks random: letters and digits alternate as they do not in words, numbers, versions and names. */
export function isDrawn(value: string): boolean {
  const { digits, letters, changes } = makeupOf(value)
  if (digits > 0 && letters > 0) return changes >= Math.min(4, Math.floor(value.length / 6))
  return letters >= 12 && changes * 3 >= letters
}

/** Whether a text has a digit, or changes of case as they do not occur in names: the minimum for a token with a known prefix. */
export function isMixed(value: string): boolean {
  const { digits, changes } = makeupOf(value)
  return digits > 0 || changes >= 4
}

/** Whether a value after "password" could be one: not a plain word, not a name in a program. */
export function isPasswordLike(given: string, isQuoted: boolean): boolean {
  const value = given.slice(0, 256)
  if (value.length < 6 || isPlaceholder(value)) return false
  const { digits, letters, changes, symbols } = makeupOf(value)
  if (digits > 0 && letters > 0)
    return !/^[a-z]+(?:[A-Z][a-z]+|[A-Z]{2,5}(?=[A-Z\d]|$))*\d?$/.test(value) || value.length < 10
  if (isQuoted && !/^[A-Z]?[a-z]+$/.test(value) && !value.includes(' ')) return true
  if (digits > 0) return symbols > 0 && value.length >= 8 && !/^[\d.,:/-]+$/.test(value)
  return changes * 3 >= letters && letters >= 8
}
