import { MandateError, joinLabels, systemClock } from '../../core/index.ts'
import type { Clock, Json, Label, Outcome } from '../../core/index.ts'
import { OutcomeLabels, effectLabels } from '../atoms/host/label-outcomes.ts'
import { exportInput, exportShown } from '../border/export.ts'
import { importValue } from '../border/import.ts'
import { capabilityValues } from '../compile/capabilities.ts'
import { compileProgram } from '../compile/compile.ts'
import type { Compiled } from '../compile/compile.ts'
import type { SharedScope } from '../compile/lower/shared-scope.ts'
import { scriptLanguage } from '../compile/script/index.ts'
import { withLabels } from '../labels/index.ts'
import { bitsOf, namesOf } from '../labels/bits.ts'
import { raiseDeep, reachableLabel } from '../labels/heap.ts'
import { scriptBuiltins } from '../builtins/index.ts'
import { createMachine } from '../machine/machine.ts'
import type { Machine } from '../machine/machine.ts'
import type { VmError, VmResult } from '../machine/result.ts'
import { ValueReader } from '../machine/value-reader.ts'
import type { FuelPool, VmLimits } from '../meter/limits.ts'
import { live } from '../meter/live.ts'
import type { CapabilityHandle, CapabilityTree, VmRequest } from '../port.ts'
import type { Guest } from '../value/guest.ts'
import { GuestArray } from '../value/guest-array.ts'
import { inspect } from '../value/text/inspect.ts'
import { Bindings } from './bindings.ts'
import type { Binding } from './bindings.ts'
import type { CellHost } from './cell-host.ts'
import { compileCell, programOf } from './cell-program.ts'
import type { CellProgram, CellSource } from './cell-program.ts'
import { asGuest, unread } from './cell-errors.ts'
import { cellFunctions } from './cell-functions.ts'
import { writeVariables } from './variable-groups.ts'
import type { StoredGroup, WrittenVariables } from './variable-groups.ts'

/** Options of running a cell. */
interface CellOptions {
  readonly host: CellHost
  /** Asynchronous functions, by global name. */
  readonly functions: CapabilityTree
  /** Names of synchronous functions. */
  readonly calls: readonly string[]
  readonly limits: Partial<VmLimits>
  /** Labels of the source. Everything that the cell does carries them. */
  readonly labels?: readonly Label[] | undefined
  readonly pool?: FuelPool | undefined
  readonly signal?: AbortSignal | undefined
  readonly clock?: Clock | undefined
}

/** The result of a cell. */
export interface CellEnd {
  readonly value: Json | undefined
  /** The value as printed by `console.log`, if JSON cannot represent it. */
  readonly shown?: string | undefined
  readonly error?: VmError | undefined
  readonly labels?: VmResult['labels']
  /** Labels of all variables that the cell could read. They also apply to its output and error. */
  readonly reached: readonly Label[]
  readonly fuelUsed: number
  readonly memoryPeak: number
  readonly warnings: readonly string[]
  /** New and changed variables, sorted by name. */
  readonly changed: readonly string[]
}

/** The stored form of a session after a cell: references to groups and programs; the content of new ones is separate. */
export type StoredSession = {
  readonly groups: readonly StoredGroupRef[]
  readonly labels: readonly string[]
  readonly floor: number
  readonly followsLabels: boolean
}

/** A group of variables by its hash. */
type StoredGroupRef = {
  readonly hash: string
  readonly bytes: number
  readonly names: readonly (readonly [name: string, digest: string])[]
  readonly programs: readonly string[]
}

/** The content that a stored session refers to. */
export interface StoredContent {
  group(hash: string): StoredGroup
  program(hash: string): CellSource
}

interface Group extends StoredGroupRef {
  readonly uses: readonly string[]
}

/** Approximate bytes of a session without variables. */
const SESSION_BYTES = 16 * 1024

/** The variables, programs and labels that cells of one session share, in memory. One cell runs at a time. */
export class CellSession {
  readonly followsLabels: boolean
  readonly #bindings: Bindings
  readonly #programs = new Map<string, CellProgram>()
  readonly #labels: string[] = []
  readonly #groups = new Map<string, Group>()
  readonly #digests = new Map<string, string>()
  readonly #unread: string[] = []
  #floor = 0
  #scratch: Compiled | undefined
  #known: { readonly functions?: CapabilityTree | undefined; readonly calls?: readonly string[] | undefined } = {}

  constructor(reserved: ReadonlySet<string>, followsLabels = false) {
    this.#bindings = new Bindings(reserved)
    this.followsLabels = followsLabels
  }

  /** The names of the variables, sorted. */
  get names(): readonly string[] {
    return this.#bindings.own().map(({ name }) => name)
  }

  /**
   * Approximate bytes that the session occupies in memory, from above: values need up to eight times the bytes of their stored form, compiled functions up to
   * forty times those of their source.
   */
  get bytes(): number {
    let bytes = SESSION_BYTES
    for (const group of this.#groups.values()) bytes += group.bytes * 8
    for (const { from } of this.#programs.values()) bytes += from.source.length * 40
    return bytes
  }

  /** Clears the reserved variables, which are filled again before the next cell: a session that is kept between cells holds nothing of the host. */
  clearFilled(): void {
    this.#bindings.clearReserved()
  }

  /** Returns a variable as data. A value that is not data becomes text. `undefined` if the variable does not exist. */
  get(name: string): Json | undefined {
    const binding = this.#bindings.find(name)
    if (binding?.isSet !== true || binding.box.value === undefined) return undefined
    const { value } = binding.box
    return this.#within(() => exportShown(value))
  }

  /** All variables as `console.log` would print them. */
  shown(): readonly (readonly [name: string, text: string])[] {
    return this.#within(() => this.#bindings.own().map(({ name, box }) => [name, inspect(box.value)] as const))
  }

  /** Returns the labels of everything accessible through some variables; by default, through all. */
  labelsOf(names: Iterable<string> = this.names): readonly Label[] {
    if (!this.followsLabels) return []
    const all = 2 ** this.#labels.length - 1
    return this.#within(() => {
      let bits = this.#floor
      for (const name of names) {
        const box = this.#bindings.find(name)?.box
        if (box !== undefined) bits |= reachableLabel(box, all)
      }
      return namesOf(bits, this.#labels)
    })
  }

  /** Whether this source, or a function held by a variable, uses a name. */
  uses(name: string, source: string): boolean {
    return [source, ...[...this.#programs.values()].map(({ from }) => from.source)].some((text) => text.includes(name))
  }

  /** Sets a variable from outside. */
  set(name: string, value: Json, labels: readonly Label[] = []): void {
    const binding = this.#bindings.variable(name)
    binding.kind = 'let'
    this.#put(binding, value, labels)
    this.#store([name])
  }

  /** Sets a reserved variable. It is not stored with the others. */
  fill(name: string, value: Json | undefined, labels: readonly Label[] = []): void {
    this.#put(this.#bindings.variable(name), value, labels)
  }

  /** Sets a reserved variable to a list whose items have their own labels. */
  fillList(name: string, items: readonly { readonly value: Json; readonly labels: readonly Label[] }[]): void {
    const { box } = this.#bindings.variable(name)
    this.#within(() => {
      box.label = 0
      box.value = new GuestArray(items.map(({ value, labels }) => this.#import(value, labels)))
    })
  }

  /** Sets a reserved variable to an object whose methods are functions of the host. It is not stored with the others either. */
  fillFunctions(name: string, members: CapabilityTree | CapabilityHandle, labels: readonly Label[] = []): void {
    const { box } = this.#bindings.variable(name)
    box.value = capabilityValues({ [name]: members }).globals.get(name)
    box.label = this.#bits(labels)
  }

  #put(binding: Binding, value: Json | undefined, labels: readonly Label[]): void {
    this.#within(() => {
      binding.box.value = this.#import(value, labels)
      binding.box.label = this.#bits(labels)
    })
  }

  #bits(labels: readonly Label[]): number {
    return this.followsLabels ? bitsOf(labels, this.#labels) : 0
  }

  #import(value: Json | undefined, labels: readonly Label[]): Guest {
    const made = importValue(value)
    if (labels.length > 0 && this.followsLabels) raiseDeep(made, bitsOf(labels, this.#labels))
    return made
  }

  /** Parses and runs a cell. All errors are part of the result. */
  async run(source: string, options: CellOptions): Promise<CellEnd> {
    const { host, functions, calls, limits } = options
    let program: CellProgram
    try {
      const { followsLabels } = this
      program = compileCell(source, { shared: this.#bindings, functions, calls, followsLabels })
    } catch (error) {
      return unread(error)
    }
    const { compiled } = program
    const reachable = this.#reachable(compiled.captured)
    this.#declare(compiled)
    this.#add(program)
    const held = [...this.#groups.values()].reduce((sum, { bytes }) => sum + bytes, 0)
    const memoryBytes = limits.memoryBytes === undefined ? undefined : Math.max(0, limits.memoryBytes - held)
    const followed = new OutcomeLabels()
    if (this.followsLabels) this.#floor |= bitsOf(options.labels ?? [], this.#labels)
    const reached = this.labelsOf(reachable)
    const machine: Machine = createMachine(compiled, {
      limits: { ...limits, ...(memoryBytes === undefined ? {} : { memoryBytes }) },
      pool: options.pool,
      clock: options.clock,
      now: () => host.now(),
      random: () => host.random(),
      onPrint: (level, text) => asGuest(() => host.print(level, text)),
      port: { perform: (request, signal) => this.#perform(request, { host, signal, followed }) },
      session: {
        boxes: compiled.captured.map((name) => this.#bindings.variable(name).box),
        codes: this.#bindings.world.codes,
        labelNames: this.#labels,
        floor: this.#floor,
        symbols: this.#bindings.symbols,
        call: (name, args) => importValue(asGuest(() => host.call(name, args.map(exportInput)))),
      },
    })
    const result = await machine.run(options.signal)
    this.#labels.splice(0, Infinity, ...(machine.flow?.names ?? []))
    this.#floor = machine.state.floor
    const stored = machine.within(() => this.#store(this.#reachable([...reachable, ...compiled.captured])))
    this.#dropPrograms()
    this.#dropUnset(compiled)
    const { result: value, shown, error, fuelUsed, memoryPeak, labels } = result
    const warnings = [...this.#unread.splice(0), ...result.warnings, ...stored.lost]
    return { value, shown, error, labels, reached, fuelUsed, memoryPeak, warnings, changed: stored.changed }
  }

  async #perform(
    request: VmRequest,
    parts: { readonly host: CellHost; readonly signal: AbortSignal; readonly followed: OutcomeLabels },
  ): Promise<Outcome> {
    const { kind, name, input } = request
    const { host, signal, followed } = parts
    if (!this.followsLabels) return host.perform({ kind, name, input }, signal)
    const labels = effectLabels(request)
    return followed.outcome(name, labels, await host.perform({ kind, name, input, labels }, signal))
  }

  /** Declares new names. A `var` has a value immediately. */
  #declare({ declared }: Compiled): void {
    for (const [name, kind] of declared) {
      const binding = this.#bindings.variable(name)
      binding.kind = kind
      if (kind === 'var' && !binding.isSet) binding.box.value = undefined
    }
  }

  /** Removes names that a cell declared and never set, unless a stored function refers to them. */
  #dropUnset({ declared }: Compiled): void {
    const used = new Set([...this.#groups.values()].flatMap(({ uses }) => uses))
    for (const name of declared.keys())
      if (!this.#bindings.variable(name).isSet && !used.has(name)) this.#bindings.remove(name)
  }

  #add(program: CellProgram): void {
    this.#programs.set(program.hash, program)
    const { world } = this.#bindings
    world.codes = [...world.codes, ...program.compiled.codes]
  }

  /** Drops programs whose functions no variable holds. */
  #dropPrograms(): void {
    const used = new Set([...this.#groups.values()].flatMap(({ programs }) => programs))
    for (const hash of this.#programs.keys()) if (!used.has(hash)) this.#programs.delete(hash)
    this.#bindings.world.codes = [...this.#programs.values()].flatMap(({ compiled }) => compiled.codes)
  }

  /** Returns the variables that code with access to these can change: those in the same groups, and those used by functions in them. */
  #reachable(names: Iterable<string>): Set<string> {
    const groupOf = new Map([...this.#groups.values()].flatMap((group) => group.names.map(([name]) => [name, group])))
    const found = new Set(names)
    for (const name of found) {
      const group = groupOf.get(name)
      for (const [other] of group?.names ?? []) found.add(other)
      for (const other of group?.uses ?? []) found.add(other)
    }
    return found
  }

  /** Updates the stored form of some variables, and of those that they now use. */
  #store(names: Iterable<string>): { readonly changed: readonly string[]; readonly lost: readonly string[] } {
    const bindings = this.#bindings
    const wanted = new Set(names)
    const find = (name: string): Binding | undefined => (bindings.isLocal(name) ? undefined : bindings.find(name))
    const write = (): ReturnType<typeof writeVariables> =>
      writeVariables(wanted, find, { nameOf: (box) => bindings.nameOf(box), programOf })
    const dropped: WrittenVariables['lost'][number][] = []
    let written = write()
    for (;;) {
      const { size } = wanted
      for (const { stored } of written.groups) for (const name of stored.uses) wanted.add(name)
      // Undefined in memory too, as it will be when the session is loaded again.
      for (const { name } of written.lost) bindings.find(name)!.box.value = undefined
      dropped.push(...written.lost)
      if (wanted.size === size && written.lost.length === 0) break
      written = write()
    }
    const changed: string[] = []
    for (const name of wanted) {
      const digest = written.digests.get(name)
      if (digest === this.#digests.get(name)) continue
      if (digest === undefined) this.#digests.delete(name)
      else {
        this.#digests.set(name, digest)
        changed.push(name)
      }
    }
    for (const [hash, group] of this.#groups)
      if (group.names.some(([name]) => wanted.has(name))) this.#groups.delete(hash)
    for (const { hash, bytes, stored, names: own } of written.groups) {
      const { programs, uses } = stored
      const members = own.map((name) => [name, written.digests.get(name)!] as const)
      this.#groups.set(hash, { hash, bytes, names: members, programs, uses })
      this.#fresh.set(hash, stored)
    }
    const lost = dropped.map(({ name, why }) => `\`${name}\` cannot be kept and is undefined from here on: ${why}`)
    return { changed: changed.sort(), lost }
  }

  /** Content written since it was last returned. */
  readonly #fresh = new Map<string, StoredGroup>()

  /** Returns the stored form of the session, and the content of groups and programs that are not in `known`. */
  stored(known: Readonly<Record<string, unknown>>): {
    readonly session: StoredSession
    readonly groups: Readonly<Record<string, StoredGroup>>
    readonly programs: Readonly<Record<string, CellSource>>
  } {
    const refs = [...this.#groups.values()]
      .map(({ uses: _uses, ...ref }) => ref)
      .toSorted((a, b) => (a.names[0]![0] < b.names[0]![0] ? -1 : 1))
    const groups: Record<string, StoredGroup> = {}
    for (const { hash } of refs) {
      const content = this.#fresh.get(hash)
      if (known[hash] === undefined && content !== undefined) groups[hash] = content
    }
    this.#fresh.clear()
    const programs: Record<string, CellSource> = {}
    for (const [hash, { from }] of this.#programs) if (known[hash] === undefined) programs[hash] = from
    const session = { groups: refs, labels: [...this.#labels], floor: this.#floor, followsLabels: this.followsLabels }
    return { session, groups, programs }
  }

  /** Loads a stored session. If it did not track labels and this one does, `options.labels` are added to everything in it. */
  static read(
    stored: StoredSession,
    content: StoredContent,
    options: {
      readonly reserved: ReadonlySet<string>
      readonly followsLabels: boolean
      readonly labels: readonly Label[]
      /** Host functions that variables may hold. */
      readonly functions?: CapabilityTree | undefined
      readonly calls?: readonly string[] | undefined
    },
  ): CellSession {
    const session = new CellSession(options.reserved, options.followsLabels)
    session.#known = options
    session.#labels.push(...stored.labels)
    session.#floor = stored.floor
    session.#within(() => {
      for (const ref of stored.groups) session.#readOrDrop(ref, content)
    })
    if (options.followsLabels && !stored.followsLabels) session.#raiseAll(options.labels)
    return session
  }

  /** Loads a group of variables, or drops it with a warning in the next cell if it cannot be read: the others do not depend on it. */
  #readOrDrop(ref: StoredGroupRef, content: StoredContent): void {
    try {
      this.#readGroup(ref, content)
    } catch (error) {
      if (!MandateError.isInstance(error) || error.code !== 'INPUT_INVALID') throw error
      const names = ref.names.map(([name]) => name)
      for (const name of names) {
        this.#bindings.variable(name).box.value = undefined
        this.#unread.push(`\`${name}\` cannot be read and is undefined from here on: ${error.message}`)
      }
      this.#store(names)
    }
  }

  #readGroup(ref: StoredGroupRef, content: StoredContent): void {
    const { roots, cells, programs, uses } = content.group(ref.hash)
    const bindings = this.#bindings
    const codes = programs.map((hash) => this.#program(hash, content).compiled.codes)
    const reader = new ValueReader(this.#empty, cells, this.#labels.length, {
      box: (name) => bindings.variable(name).box,
      codes: (index) => codes[index] ?? [],
      symbols: bindings.symbols,
    })
    for (const [name, kind, label, value] of roots) {
      const binding = bindings.variable(name)
      binding.kind = kind as Binding['kind']
      binding.box.value = reader.value(value)
      binding.box.label = label
    }
    for (const [name, digest] of ref.names) this.#digests.set(name, digest)
    this.#groups.set(ref.hash, { ...ref, uses })
  }

  #program(hash: string, content: StoredContent): CellProgram {
    const known = this.#programs.get(hash)
    if (known !== undefined) return known
    const from = content.program(hash)
    const bindings = this.#bindings
    const kinds = new Map(from.names)
    const shared: SharedScope = {
      root: bindings.root,
      world: bindings.world,
      names: kinds.keys(),
      variable: (name) => ({
        kind: (kinds.get(name) ?? 'let') as Binding['kind'],
        // It is unknown whether it was set then; a check is harmless.
        isSet: false,
        identity: bindings.variable(name).identity,
      }),
      isLocal: bindings.isLocal,
    }
    const { followsLabels } = this
    const { functions, calls } = from
    const program = compileCell(from.source, { shared, functions, calls, followsLabels, hash })
    const read = { ...program, from }
    this.#add(read)
    return read
  }

  #raiseAll(labels: readonly Label[]): void {
    if (labels.length === 0) return
    this.#within(() => {
      const bits = bitsOf(joinLabels(labels), this.#labels)
      for (const { box } of this.#bindings.own()) {
        box.label |= bits
        raiseDeep(box.value, bits)
      }
    })
    this.#store(this.names)
  }

  /** A program without steps, whose machine is used to read and print values. Not charged to any run. */
  get #empty(): Compiled {
    return (this.#scratch ??= compileProgram(
      { mandate: 1, op: 'seq', mode: 'script', steps: [] },
      {
        language: this.followsLabels ? withLabels(scriptLanguage) : scriptLanguage,
        builtins: scriptBuiltins,
        capabilities: this.#known.functions,
        globals: cellFunctions(this.#known.calls ?? ['print', 'debug']),
        shared: this.#bindings,
      },
    ))
  }

  #within<T>(work: () => T): T {
    if (live.machine !== undefined) return work()
    const limits = { fuel: 1e9, memoryBytes: 2 ** 40, outputBytes: 2 ** 30, arrayLength: 2 ** 31 }
    return createMachine(this.#empty, { limits, clock: systemClock }).within(work)
  }
}
