/** Something that a walk got hold of, and how. */
export interface Found {
  readonly value: object
  readonly path: string
}

/** What JavaScript itself brings. */
const BUILT_IN = new Set<unknown>()
for (const name of Object.getOwnPropertyNames(globalThis)) {
  const value: unknown = Reflect.get(globalThis, name)
  if (typeof value === 'function') BUILT_IN.add(value).add(value.prototype)
}

/**
 * Everything that code can get hold of from an object without calling a method of it: own and inherited properties, symbols, getters, prototypes, and the
 * members of maps and sets. `skip` leaves out what belongs to the caller.
 */
export function reachable(root: object, name: string, skip: (value: object) => boolean = () => false): Found[] {
  const seen = new Set<object>()
  const found: Found[] = []
  const queue: Found[] = [{ value: root, path: name }]
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { value, path } = next
    if (seen.has(value) || BUILT_IN.has(value) || skip(value)) continue
    seen.add(value)
    found.push(next)
    for (const [step, child] of membersOf(value)) if (isObject(child)) queue.push({ value: child, path: path + step })
  }
  return found
}

export function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}

function* membersOf(value: object): Generator<readonly [string, unknown]> {
  for (let holder: object | null = value; holder !== null && !BUILT_IN.has(holder);) {
    for (const key of Reflect.ownKeys(holder)) yield [`.${String(key)}`, read(value, holder, key)]
    holder = Object.getPrototypeOf(holder) as object | null
    yield ['.[[Prototype]]', holder]
  }
  if (value instanceof Map)
    for (const [key, item] of value) yield* [['.keys()', key] as const, ['.get()', item] as const]
  if (value instanceof Set) for (const item of value) yield ['.values()', item]
}

function read(value: object, holder: object, key: string | symbol): unknown {
  const member = Object.getOwnPropertyDescriptor(holder, key)!
  if (member.get === undefined) return member.value as unknown
  try {
    return member.get.call(value) as unknown
  } catch {
    return undefined
  }
}

/** Overwrites every member of all plain objects, lists and maps that can be reached, as far as they let it. */
export function tamper(root: object, skip: (value: object) => boolean): void {
  for (const { value } of reachable(root, '', skip)) {
    const prototype: unknown = Object.getPrototypeOf(value)
    if (Array.isArray(value)) {
      Reflect.set(value, 0, 'tampered')
      Reflect.set(value, value.length, 'tampered')
    } else if (value instanceof Map) {
      for (const key of value.keys()) value.set(key, 'tampered')
    } else if ((prototype === Object.prototype || prototype === null) && !isPrototype(value)) {
      for (const key of Object.keys(value)) Reflect.set(value, key, 'tampered')
      Reflect.set(value, 'tampered', true)
    }
  }
}

/** What all objects of a class share, with those of other tests in the same process. */
function isPrototype(value: object): boolean {
  return typeof value.constructor === 'function' && value.constructor.prototype === value
}
