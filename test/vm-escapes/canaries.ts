/** What a hostile program would change if it got out. */
const intrinsics: readonly (readonly [string, object])[] = [
  ['Object', Object.prototype],
  ['Function', Function.prototype],
  ['Array', Array.prototype],
  ['String', String.prototype],
  ['Number', Number.prototype],
  ['Boolean', Boolean.prototype],
  ['Promise', Promise.prototype],
  ['RegExp', RegExp.prototype],
  ['Map', Map.prototype],
  ['Set', Set.prototype],
  ['Date', Date.prototype],
  ['Error', Error.prototype],
  ['Symbol', Symbol.prototype],
  ['JSON', JSON],
  ['Math', Math],
  ['Reflect', Reflect],
]

/** A picture of the host before or after a case. */
export function takePicture(): string {
  const counts = intrinsics.map(([name, object]) => `${name}:${Reflect.ownKeys(object).length}`)
  const strange = [
    (globalThis as Record<string, unknown>)['__pwned'] === undefined ? '' : 'pwned',
    ({} as Record<string, unknown>)['polluted'] === undefined ? '' : 'polluted',
    ({} as Record<string, unknown>)['admin'] === undefined ? '' : 'admin',
  ]
  return [...counts, Object.keys(globalThis).length, ...strange].join(' ')
}

/** Whether a result is plain data all the way: nothing that can be called, and no prototype but the ordinary ones. */
export function isPlain(value: unknown, depth = 0): boolean {
  if (value === null || ['string', 'number', 'boolean', 'undefined'].includes(typeof value)) return true
  if (typeof value !== 'object' || depth > 300) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  if (Array.isArray(value)) return prototype === Array.prototype && value.every((item) => isPlain(item, depth + 1))
  if (prototype !== Object.prototype && prototype !== null) return false
  return Object.values(Object.getOwnPropertyDescriptors(value)).every(
    (property) => 'value' in property && isPlain(property.value, depth + 1),
  )
}
