import { LabelledExit } from '../compile/emit-steps.ts'
import type { Compiled } from '../compile/compile.ts'
import { BuiltinFunction } from '../value/builtin-function.ts'
import { GuestDate, GuestMap, GuestRegExp, GuestSet } from '../value/collections.ts'
import type { Guest } from '../value/guest.ts'
import { GuestArray } from '../value/guest-array.ts'
import { Box, GuestFunction } from '../value/guest-function.ts'
import type { Frame } from '../value/guest-function.ts'
import { GuestError, GuestObject } from '../value/guest-object.ts'
import type { HeapLabel } from '../value/heap-label.ts'
import { GuestPromise } from '../value/guest-promise.ts'
import type { Waiter } from '../value/guest-promise.ts'
import { type IteratorMode, ListIterator } from '../value/list-iterator.ts'
import type { Shape } from '../value/shape.ts'
import { Activation } from './activation.ts'
import { LiveItems } from './items.ts'
import { KeyedItems, PlacedItems, RemainingKeys } from './iterate.ts'
import { Resolver } from './promise-waiters.ts'
import { HOLE, MARKS, WAITERS } from './snapshot-heap.ts'
import type { Paper } from './snapshot-heap.ts'

type Cell = readonly unknown[]

/** Makes the values of a snapshot again: first all of them empty, then what they hold. */
export class HeapReader {
  readonly #compiled: Compiled
  readonly #shapes: readonly (Shape | readonly string[])[]
  readonly #cells: readonly Cell[]
  readonly #made: unknown[] = []
  readonly #byPath: ReadonlyMap<string, Guest>

  constructor(compiled: Compiled, shapes: readonly (readonly string[])[], cells: readonly Cell[]) {
    this.#compiled = compiled
    this.#cells = cells
    this.#shapes = shapes.map((keys) => shapeFor(compiled.root, keys) ?? keys)
    this.#byPath = builtinsByPath(compiled)
    // Activations refer to their caller from the start, and know how deep they are from it.
    for (let i = 0; i < cells.length; i++) this.#get(i)
    for (let i = 0; i < cells.length; i++) this.#fill(this.#made[i], cells[i]!)
  }

  value(paper: Paper): Guest {
    if (typeof paper !== 'object' || paper === null) return paper
    const [first, second, third] = paper
    if (first === undefined) return undefined
    if (first === 'n') return Number(second)
    if (first === 's') return MARKS.find(([name]) => name === second)![1] as Guest
    if (first === 'l') return new LabelledExit(second as 'break', third as string) as never
    return this.#get(first as number) as Guest
  }

  #all(papers: Cell): Guest[] {
    return papers.map((paper) => this.value(paper as Paper))
  }

  #get(id: number): unknown {
    return (this.#made[id] ??= this.#make(this.#cells[id]!))
  }

  #make(cell: Cell): unknown {
    switch (cell[0]) {
      case 'a':
        return new GuestArray([])
      case 'I':
        return new ListIterator([])
      case 'L':
        return liveItems(this.value(cell[2] as Paper), cell[3] as IteratorMode | '')
      case 'o':
        return new GuestObject(this.#compiled.root, [])
      case 'e':
        return new GuestError((cell[2] as { kind: string }).kind, '')
      case 'b':
        return new Box(undefined)
      case 'f':
        return new GuestFunction(this.#compiled.codeAt(cell[2] as number), [])
      case 'R':
        return new Resolver(this.value(cell[1] as Paper) as GuestPromise, cell[2] === 1)
      case 'B':
        return this.#builtin(cell[1] as string)
      case 'p':
        return new GuestPromise()
      case 'A':
        return this.#activation(cell)
      case 'm':
        return new GuestMap()
      case 'S':
        return new GuestSet()
      case 't':
        return new GuestDate(this.value(cell[2] as Paper) as number)
      case 'r':
        return new GuestRegExp(cell[2] as string, cell[3] as string)
      default: {
        const [, type] = WAITERS.find(([tag]) => tag === cell[0])!
        return Object.create(type.prototype)
      }
    }
  }

  #builtin(path: string): Guest {
    const found = this.#byPath.get(path)
    if (found === undefined) throw new Error(`There is no built-in ${path}.`)
    return found
  }

  #activation(cell: Cell): Activation {
    const [, label, id, , , , caller, promise] = cell
    const code = this.#compiled.codeAt(id as number)
    code.resumable()
    const frame: Frame = [[], undefined]
    const made = new Activation(
      code,
      frame,
      this.value(caller as Paper) as never,
      this.value(promise as Paper) as never,
    )
    made.label = label as number
    return made
  }

  #fill(value: unknown, cell: Cell): void {
    if (value instanceof KeyedItems) value.restore(this.#all(cell.slice(4)))
    else if (value instanceof LiveItems) for (const key of this.#all(cell.slice(4))) value.items.push(key)
    else if (value instanceof ListIterator) this.#fillIterator(value, cell)
    else if (value instanceof GuestArray) {
      value.isFrozen = ((cell[2] as number) & 1) !== 0
      value.hasGaps = ((cell[2] as number) & 2) !== 0
      value.named = (this.value(cell[3] as Paper) as GuestObject | undefined) ?? null
      for (let i = 4; i < cell.length; i++) {
        const paper = cell[i] as Paper
        if (Array.isArray(paper) && paper[0] === HOLE[0]) value.items.length += 1
        else value.items.push(this.value(paper))
      }
    } else if (value instanceof GuestError) {
      const { name, message, op, path, at, code } = cell[2] as Record<string, never>
      Object.assign(value, {
        name,
        message,
        op: op ?? undefined,
        path: path ?? undefined,
        at: at ?? undefined,
        code: code ?? undefined,
      })
      value.cause = this.value(cell[3] as Paper)
      value.errors = this.value(cell[4] as Paper)
      this.#fillObject(value, cell.slice(5))
    } else if (value instanceof GuestObject) this.#fillObject(value, cell.slice(2))
    else if (value instanceof Box) value.value = this.value(cell[2] as Paper)
    else if (value instanceof GuestFunction) value.boxes.push(...(this.#all(cell.slice(3)) as unknown as Box[]))
    else this.#fillOther(value, cell)
    if (cell[0] === 'A') return
    if (typeof cell[1] === 'number') (value as { label: number }).label = cell[1]
    else if (Array.isArray(cell[1]) && 'aoeLI'.includes(cell[0] as string))
      (value as { label: HeapLabel }).label = labelFrom(cell[1])
  }

  #fillIterator(value: ListIterator, cell: Cell): void {
    value.mode = cell[2] as IteratorMode
    value.source = (this.value(cell[3] as Paper) as GuestMap | undefined) ?? null
    for (const item of this.#all(cell.slice(4))) value.items.push(item)
  }

  #fillObject(value: GuestObject, body: Cell): void {
    const [layout, ...rest] = body
    const shape = (layout as number) >= 0 ? this.#shapes[layout as number] : undefined
    if (shape !== undefined && !Array.isArray(shape)) {
      value.shape = shape as Shape
      value.slots = this.#all(rest)
      return
    }
    const dict = value.toDictionary()
    const keys = shape as readonly string[] | undefined
    if (keys === undefined) {
      for (let i = 0; i < rest.length; i += 2) dict.set(rest[i] as string, this.value(rest[i + 1] as Paper))
      value.integrity = -1 - (layout as number)
    } else keys.forEach((key, index) => dict.set(key, this.value(rest[index] as Paper)))
  }

  #fillOther(value: unknown, cell: Cell): void {
    if (value instanceof GuestPromise) {
      value.state = cell[2] as 0 | 1 | 2
      value.value = this.value(cell[3] as Paper)
      value.request = cell[4] as number
      value.isHandled = ((cell[5] as number) & 1) !== 0
      value.isResolved = ((cell[5] as number) & 2) !== 0
      const waiters = this.#all(cell.slice(6)) as unknown as Waiter[]
      value.waiters = waiters.length === 0 ? null : waiters
    } else if (value instanceof Activation) this.#fillActivation(value, cell)
    else if (value instanceof GuestMap) {
      const all = this.#all(cell.slice(2))
      for (let i = 0; i < all.length; i += 2) value.entries.set(all[i], all[i + 1])
    } else if (value instanceof GuestSet) for (const item of this.#all(cell.slice(2))) value.values.add(item)
    else if (value instanceof GuestRegExp) {
      value.lastIndex = cell[4] as number
      value.isPaid = cell[5] === 1
    } else if (!(value instanceof BuiltinFunction) && !(value instanceof GuestDate))
      this.#fillWaiter(value as Record<string, unknown>, cell)
  }

  #fillActivation(value: Activation, cell: Cell): void {
    value.why = cell[3] as number
    value.got = cell[4] as 0 | 1 | 2
    value.isStarted = cell[5] === 1
    value.awaited = this.value(cell[8] as Paper)
    value.callee = this.value(cell[9] as Paper) as never
    value.received = this.value(cell[10] as Paper)
    ;(value.frame[0] as Box[]).push(...(this.#all(cell[11] as Cell) as unknown as Box[]))
    value.frame.push(...this.#all(cell[12] as Cell))
    value.callKey = cell[13] as number
    value.unitsBefore = cell[14] as number
  }

  #fillWaiter(value: Record<string, unknown>, cell: Cell): void {
    const [, , fields] = WAITERS.find(([tag]) => tag === cell[0])!
    fields.forEach((field, index) => {
      value[field] = this.value(cell[index + 1] as Paper)
    })
  }
}

function liveItems(source: Guest, mode: IteratorMode | ''): LiveItems {
  if (source instanceof GuestMap || source instanceof GuestSet) return new KeyedItems(source, mode as IteratorMode)
  if (source instanceof GuestArray && mode !== '') return new PlacedItems(source, mode)
  return new RemainingKeys(source as GuestObject | GuestArray, [])
}

function labelFrom([whole, all, parts, items]: Cell): HeapLabel {
  return {
    whole: whole as number,
    all: all as number,
    low: 0,
    parts: new Map(parts as [string, number][]),
    items: (items as number[]).map((bits) => (bits < 0 ? undefined : bits)),
  }
}

function shapeFor(root: Shape, keys: readonly string[]): Shape | undefined {
  let shape: Shape | undefined = root
  for (const key of keys) shape = shape?.add(key)
  return shape
}

/** Every built-in and capability by the path that names it. */
function builtinsByPath({ builtins, capabilities }: Compiled): Map<string, Guest> {
  const found = new Map<string, Guest>(capabilities)
  const add = (value: Guest): void => {
    if (!(value instanceof BuiltinFunction) || found.has(value.path)) return
    found.set(value.path, value)
    for (const member of value.members?.values() ?? []) add(member)
  }
  for (const rows of builtins.methods.values()) for (const method of rows.values()) add(method)
  for (const value of builtins.globals.values()) add(value)
  return found
}
