import { MandateError, joinLabels, toPlain } from '../../core/index.ts'
import type { Json, Label } from '../../core/index.ts'
import type { ContextSource } from '../../memory/index.ts'
import type { Kernel } from '../../run/index.ts'
import { asContext, isContextLike } from '../context/context.ts'
import type { Context, ContextFacts } from '../context/context.ts'
import { openContexts } from '../context/open-contexts.ts'
import type { OpenContexts } from '../context/open-contexts.ts'
import { changed } from '../context/page-index.ts'
import { contextAfter } from '../mind/stored-variables.ts'
import { RESERVED } from './reserved-names.ts'
import type { SetName } from './reserved-names.ts'
import type { HostChanges } from './session-state.ts'

/** Changes by the host since the last cell: variables, `state`, `messages` and `context`. The next cell records them. */
export class SessionInputs {
  readonly #kernel: Kernel
  readonly #id: string
  readonly #contexts: OpenContexts
  /** A context that was set and is not open yet. */
  #given: Context | undefined
  #changes: HostChanges = {}
  /** The context of a session that was closed. */
  #own: Context | undefined
  /** Facts of the context of a cell that has not ended. */
  openFacts: ContextFacts | undefined

  constructor(kernel: Kernel, id: string) {
    this.#kernel = kernel
    this.#id = id
    this.#contexts = openContexts(kernel.registry)
  }

  get changes(): HostChanges {
    return this.#changes
  }

  /** Clears the changes after a cell has recorded them. */
  clear(): void {
    this.#changes = {}
  }

  setContext(value: Json | Context | ContextSource, labels?: readonly Label[]): void {
    const { context: _context, contextFacts: _facts, ...changes } = this.#changes
    this.#changes = changes
    this.#given = isContextLike(value) ? asContext(value, labels) : undefined
    if (isContextLike(value)) return
    this.#contexts.set(this.#id, undefined)
    this.setSlot('context', value, labels)
  }

  /** Attaches a context to a session that may already have had it, in this or another process. `head` is the session's last cell. */
  async attach(context: Context, head: string | undefined): Promise<void> {
    const before = await this.factsAfter(head)
    if (before === undefined) return this.setContext(context)
    const { facts } = await context.open()
    if (facts.ref !== before.ref) throw changed(facts.label)
    this.#contexts.set(this.#id, context)
    if (joinLabels(before.labels, facts.labels).length > (before.labels ?? []).length) this.#given = context
  }

  /** The facts about the context that is read in parts: that of a cell that has not ended, or as of the session's last cell. */
  async factsAfter(head: string | undefined): Promise<ContextFacts | undefined> {
    return this.openFacts ?? (head === undefined ? undefined : await contextAfter(this.#kernel.journal, head))
  }

  /** Whether a context has to be opened before the next cell. */
  get hasNewContext(): boolean {
    return this.#given !== undefined
  }

  /** Opens a context that was set since the last cell. */
  async openContext(): Promise<void> {
    const given = this.#given
    if (given === undefined) return
    const { facts } = await given.open()
    this.#contexts.set(this.#id, given)
    this.#changes = { ...this.#changes, contextFacts: facts }
    this.#given = undefined
  }

  /** Lets another session read the context of this one. */
  shareContext(id: string): void {
    this.#contexts.set(id, this.#own ?? this.#contexts.of(this.#id))
  }

  /** Leaves the context of a closed session to that object alone, which may be forked. */
  release(): void {
    this.#own = this.#contexts.of(this.#id)
    this.#contexts.set(this.#id, undefined)
  }

  /** Copies the changes of the session that this one is a fork of. */
  takeFrom(other: SessionInputs): void {
    this.#changes = other.#changes
    this.#given = other.#given
  }

  setVariable(name: string, value: Json, labels?: readonly Label[]): void {
    if (RESERVED.has(name))
      throw new MandateError('INPUT_INVALID', `\`${name}\` is a reserved name of cells: no variable can have it.`)
    if (!/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name))
      throw new MandateError('INPUT_INVALID', `"${name}" cannot be the name of a variable. Use letters, digits and _.`)
    this.#change({ variables: { ...this.#changes.variables, [name]: toPlain(value).value } }, labels)
  }

  setSlot(name: SetName, value: Json, labels?: readonly Label[]): void {
    this.#change({ [name]: toPlain(value).value }, labels)
  }

  #change(change: HostChanges, labels: readonly Label[] = []): void {
    const all = [...new Set([...(this.#changes.labels ?? []), ...labels])].sort()
    this.#changes = { ...this.#changes, ...change, ...(all.length === 0 ? {} : { labels: all }) }
  }
}
