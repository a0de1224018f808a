import type { FunctionCode } from '../compile/code.ts'
import type { DeclaredKind, SharedScope, SharedVariable } from '../compile/lower/shared-scope.ts'
import { UNSET } from '../compile/lower/scope.ts'
import { SymbolRegistry } from '../value/symbols.ts'
import { Box } from '../value/guest-function.ts'
import { rootShape } from '../value/shape.ts'
import type { Shape } from '../value/shape.ts'

/** A variable of a session. Closures refer to its box, so it is reused when the name is declared again. */
export class Binding implements SharedVariable {
  readonly name: string
  readonly box: Box = new Box(UNSET)
  readonly identity: object = {}
  kind: DeclaredKind = 'let'

  constructor(name: string) {
    this.name = name
  }

  get isSet(): boolean {
    return this.box.value !== UNSET
  }
}

/** The variables of a session by name. */
export class Bindings implements SharedScope {
  readonly root: Shape = rootShape()
  /** Replaced, never mutated, because analyses are cached per list. */
  world: { codes: readonly FunctionCode[] } = { codes: [] }
  readonly symbols: SymbolRegistry = new SymbolRegistry()
  readonly #byName = new Map<string, Binding>()
  readonly #names = new Map<Box, string>()
  readonly #reserved: ReadonlySet<string>

  constructor(reserved: ReadonlySet<string>) {
    this.#reserved = reserved
    this.isLocal = (name) => reserved.has(name)
  }

  readonly isLocal: (name: string) => boolean

  get names(): Iterable<string> {
    return this.#byName.keys()
  }

  /** Returns the variables that have a value and are not reserved, sorted. */
  own(): Binding[] {
    const own = [...this.#byName.values()].filter((binding) => binding.isSet && !this.#reserved.has(binding.name))
    return own.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  find(name: string): Binding | undefined {
    return this.#byName.get(name)
  }

  variable(name: string): Binding {
    let binding = this.#byName.get(name)
    if (binding === undefined) {
      binding = new Binding(name)
      this.#byName.set(name, binding)
      this.#names.set(binding.box, name)
    }
    return binding
  }

  /** Makes the reserved variables unset. */
  clearReserved(): void {
    for (const { name, box } of this.#byName.values())
      if (this.#reserved.has(name)) {
        box.value = UNSET
        box.label = 0
      }
  }

  /** Returns the name of the session variable of a box, if it is one. */
  nameOf(box: Box): string | undefined {
    return this.#names.get(box)
  }

  remove(name: string): void {
    const binding = this.#byName.get(name)
    if (binding === undefined) return
    this.#byName.delete(name)
    this.#names.delete(binding.box)
  }
}
