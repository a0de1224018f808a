import type { Mutation } from './mutation.ts'

const LIMITS_TEST = ['src/vm/machine/limits.test.ts']
const BORDER_TEST = ['src/vm/border/border.test.ts']

type Row = Omit<Mutation, 'room'>

const PINS_TEST = ['src/vm/mind/vm-pins.test.ts']

/** Runs that began on another version. */
const VERSIONS: readonly Row[] = [
  {
    id: 'vm.versions.known',
    file: 'src/vm/mind/vm-pins.ts',
    find: 'if (VM_VERSIONS.has(vm) && COST_TABLES.has(costs)) return',
    replace: 'return',
    tests: PINS_TEST,
  },
  {
    id: 'vm.versions.free-part',
    file: 'src/vm/mind/vm-pins.ts',
    find: 'return this.#tap.isRepeating',
    replace: 'return false',
    tests: ['test/golden/programs.test.ts'],
  },
  {
    id: 'vm.versions.paid-part',
    file: 'src/vm/mind/vm-pins.ts',
    find: 'return this.#tap.isRepeating',
    replace: 'return true',
    tests: PINS_TEST,
    pattern: 'limits what follows',
  },
  {
    id: 'vm.versions.measures',
    file: 'src/vm/mind/program-mind.ts',
    find: 'compared: (output, all) => withoutMeasures(output, ownPins(all)),',
    replace: '',
    tests: ['test/golden/programs.test.ts'],
  },
]

/** The ceilings of one execution. Patterns name programs that end without the limit as well. */
const LIMITS: readonly Row[] = [
  {
    id: 'vm.fuel',
    file: 'src/vm/machine/machine-state.ts',
    find: "if (this.reserve <= 0) throw limitStop('fuel', this.#limits.fuel)",
    replace: 'if (this.reserve <= 0) this.reserve = SLICE',
    tests: LIMITS_TEST,
    pattern: String.raw`limit fuel ends: Array\(1e6\)`,
  },
  {
    id: 'vm.memoryBytes',
    file: 'src/vm/meter/live.ts',
    find: "throw limitStop('memoryBytes', live.machine.limits.memoryBytes)",
    replace: 'return undefined as never',
    tests: LIMITS_TEST,
    pattern: String.raw`limit memoryBytes ends: (Array|const a = \[\]; a\.length)`,
  },
  {
    id: 'vm.wallMs.computing',
    file: 'src/vm/machine/machine.ts',
    find: "if (now >= this.#deadline) throw limitStop('wallMs', this.limits.wallMs)",
    replace: '',
    tests: LIMITS_TEST,
    pattern: 'wallMs ends: ',
  },
  {
    id: 'vm.unbroken',
    file: 'src/vm/machine/machine.ts',
    find: "if (this.#unbrokenMs >= UNBROKEN_MS) throw new Stop({ code: 'TIMEOUT', message: UNBROKEN })",
    replace: '',
    tests: LIMITS_TEST,
    pattern: 'without a wall time',
  },
  {
    id: 'vm.wallMs.waiting',
    file: 'src/vm/machine/machine.ts',
    find: "() => this.stop(limitStop('wallMs', this.limits.wallMs))",
    replace: '() => {}',
    tests: LIMITS_TEST,
    pattern: 'wallMs ends a program that waits',
  },
  {
    id: 'vm.callDepth',
    file: 'src/vm/machine/machine-state.ts',
    find: 'live.depthMax = this.#limits.callDepth * NEST_PER_CALL',
    replace: 'live.depthMax = 1e9',
    tests: LIMITS_TEST,
    pattern: String.raw`callDepth ends: .*f\(100\)`,
  },
  {
    id: 'vm.expressionDepth',
    file: 'src/vm/compile/lower/lowering.ts',
    find: 'if (++this.#depth > this.#limits.expressionDepth)',
    replace: 'if (++this.#depth > 1e9)',
    tests: ['src/vm/compile/program.test.ts'],
  },
  {
    id: 'vm.programNodes',
    file: 'src/vm/compile/lower/lowering.ts',
    find: 'this.#path.push(part)\n    if (++this.#nodes > this.#limits.programNodes)',
    replace: 'this.#path.push(part)\n    if (++this.#nodes > 1e12)',
    tests: ['src/vm/compile/program.test.ts'],
  },
  {
    id: 'vm.stringLength',
    file: 'src/vm/value/text/text.ts',
    find: "if (length > live.machine.limits.stringLength) throw limitStop('stringLength', live.machine.limits.stringLength)",
    replace: '',
    tests: LIMITS_TEST,
    pattern: 'stringLength',
  },
  {
    id: 'vm.stringLength.made',
    file: 'src/vm/meter/live.ts',
    find: "if (length > live.machine.limits.stringLength) throw limitStop('stringLength', live.machine.limits.stringLength)",
    replace: '',
    tests: LIMITS_TEST,
    pattern: 'stringLength',
  },
  {
    id: 'vm.arrayLength.added',
    file: 'src/vm/builtins/arrays/array-methods.ts',
    find: "if (items.length + count > arrayLength) throw limitStop('arrayLength', arrayLength)",
    replace: '',
    tests: LIMITS_TEST,
    pattern: 'arrayLength ends: .*unshift',
  },
  {
    id: 'vm.arrayLength.store',
    file: 'src/vm/value/set-member.ts',
    find: "if (length > live.machine.limits.arrayLength) throw limitStop('arrayLength', live.machine.limits.arrayLength)",
    replace: '',
    tests: LIMITS_TEST,
    pattern: String.raw`arrayLength ends: const a = \[\]; a\[5000\]`,
  },
  {
    id: 'vm.arrayLength.made',
    file: 'src/vm/meter/live.ts',
    find: "if (length > live.machine.limits.arrayLength) throw limitStop('arrayLength', live.machine.limits.arrayLength)",
    replace: '',
    tests: LIMITS_TEST,
    pattern: 'arrayLength ends: .*repeat',
  },
  {
    id: 'vm.outputBytes.result',
    file: 'src/vm/border/export.ts',
    find: "if ((this.#bytes += bytes) > this.#allowed) throw limitStop('outputBytes', this.#allowed)",
    replace: 'this.#bytes += bytes',
    tests: LIMITS_TEST,
    // Of those that do not fill the memory without it.
    pattern: 'outputBytes ends: .*repeat',
  },
  {
    id: 'vm.outputBytes.printed',
    file: 'src/vm/machine/machine.ts',
    find: "if (this.#printed > this.limits.outputBytes) throw limitStop('outputBytes', this.limits.outputBytes)",
    replace: '',
    tests: LIMITS_TEST,
    pattern: 'outputBytes',
  },
  {
    id: 'vm.traceEntries',
    file: 'src/vm/machine/trace-log.ts',
    find: 'if (this.entries.length >= this.#max) {',
    replace: 'if (this.entries.length >= 1e9) {',
    tests: ['src/vm/compile/program.test.ts'],
  },
  {
    id: 'vm.regexSteps',
    file: 'src/vm/builtins/text/regexp-engine.ts',
    find: 'if (this.#steps > regexSteps)',
    replace: 'if (false)',
    tests: LIMITS_TEST,
    pattern: 'regexSteps',
  },
  {
    id: 'vm.parallelCalls',
    file: 'src/vm/machine/request-dispatcher.ts',
    find: 'this.#inFlight < this.#parallel)',
    replace: 'this.#inFlight < 1e9)',
    tests: LIMITS_TEST,
    pattern: 'parallelCalls',
  },
  {
    id: 'vm.stop-is-not-caught',
    file: 'src/vm/machine/caught.ts',
    find: 'if (error instanceof Stop) throw error',
    replace: 'if (error instanceof Stop) return undefined',
    tests: LIMITS_TEST,
    pattern: 'sees a limit',
  },
]

const METERED = 'limit (fuel|memoryBytes) ends'

/** What is paid before work is done and memory taken, and what is looked at then. */
const METER: readonly Row[] = [
  {
    id: 'vm.abort',
    file: 'src/vm/machine/machine.ts',
    find: 'if (this.#aborted()) throw',
    replace: 'if (false) throw',
    tests: LIMITS_TEST,
    pattern: 'an abort is seen',
  },
  {
    id: 'vm.meter.list-memory',
    file: 'src/vm/meter/live.ts',
    find: 'if ((live.memory -= 48 + length * 16) < 0) outOfMemory()',
    replace: '',
    tests: LIMITS_TEST,
    pattern: METERED,
  },
  {
    id: 'vm.meter.list-fuel',
    file: 'src/vm/meter/live.ts',
    find: 'if ((live.fuel -= length << 4) < 0) live.machine.refuel()',
    replace: '',
    tests: LIMITS_TEST,
    pattern: METERED,
  },
]

/** What enters and leaves. */
const BORDER: readonly Row[] = [
  {
    id: 'vm.border.in.data-only',
    file: 'src/vm/border/import.ts',
    find: "if (typeof value !== 'object') throw refused(`a ${typeof value} is no data`)",
    replace: "if (typeof value !== 'object') return value as never",
    tests: BORDER_TEST,
  },
  {
    id: 'vm.border.in.depth',
    file: 'src/vm/border/import.ts',
    find: 'if (depth >= BORDER_DEPTH_MAX) throw',
    replace: 'if (depth >= 1e9) throw',
    tests: BORDER_TEST,
  },
  {
    id: 'vm.border.in.list-length',
    file: 'src/vm/border/import.ts',
    find: "if (length > live.machine.limits.arrayLength) throw limitStop('arrayLength', live.machine.limits.arrayLength)",
    replace: '',
    tests: BORDER_TEST,
  },
  {
    id: 'vm.border.in.plain-objects',
    file: 'src/vm/border/import.ts',
    find: 'if (prototype !== Object.prototype && prototype !== null && !isForeignPlain(prototype))',
    replace: 'if (false)',
    tests: BORDER_TEST,
  },
  {
    id: 'vm.border.in.getters',
    file: 'src/vm/border/import.ts',
    find: 'if (property?.writable === undefined)',
    replace: 'if (property === undefined)',
    tests: BORDER_TEST,
  },
  {
    id: 'vm.border.in.key-length',
    file: 'src/vm/border/import.ts',
    find: 'charge(key.length)\n    if (key.length > LONG_KEY)',
    replace: 'charge(key.length)\n    if (false)',
    tests: BORDER_TEST,
  },
  {
    id: 'vm.border.in.record-memory',
    file: 'src/vm/border/import.ts',
    find: 'if ((live.memory -= OBJECT_BYTES + length * PROPERTY_BYTES) < 0) outOfMemory()',
    replace: '',
    tests: BORDER_TEST,
  },
  {
    id: 'vm.border.in.list-memory',
    file: 'src/vm/border/import.ts',
    find: 'charge(48 + length * ITEM_BYTES)',
    replace: '',
    tests: BORDER_TEST,
  },
  {
    id: 'vm.border.in.text-memory',
    file: 'src/vm/border/import.ts',
    find: 'chargeString(value.length)',
    replace: '',
    tests: BORDER_TEST,
  },
  {
    id: 'vm.border.out.numbers',
    file: 'src/vm/border/export.ts',
    find: "if (this.#odd === 'refuse')\n",
    replace: 'if (false)\n',
    tests: ['src/vm/border/export.test.ts'],
  },
  {
    id: 'vm.border.out.proto',
    file: 'src/vm/border/export.ts',
    find: "if (key === '__proto__')",
    replace: 'if (false)',
    tests: BORDER_TEST,
  },
  {
    id: 'vm.border.out.data-only',
    file: 'src/vm/border/export.ts',
    find: 'if (!isList && !(value instanceof GuestObject)) {',
    replace: 'if (false) {',
    tests: BORDER_TEST,
  },
  {
    id: 'vm.border.out.cycles',
    file: 'src/vm/border/export.ts',
    find: 'if (this.#open.includes(value))',
    replace: 'if (false)',
    tests: BORDER_TEST,
  },
  {
    id: 'vm.border.out.depth',
    file: 'src/vm/border/export.ts',
    find: 'if (this.#open.length >= BORDER_DEPTH_MAX)',
    replace: 'if (false)',
    tests: BORDER_TEST,
  },
]

const TRAPS_TEST = ['test/flow/interference.test.ts']

/** Objects of the platform: what they cost, and that what shares contents shares labels. */
const PLATFORM: readonly Row[] = [
  {
    id: 'vm.platform.url-length',
    file: 'src/vm/value/native/guest-url.ts',
    find: 'if (length > URL_LENGTH_MAX)',
    replace: 'if (false)',
    tests: ['src/vm/builtins/platform/platform.test.ts'],
  },
  {
    id: 'vm.platform.buffer-memory',
    file: 'src/vm/value/native/guest-bytes.ts',
    find: 'charge(VIEW_BYTES + byteLength)',
    replace: '',
    tests: ['src/vm/builtins/platform/platform.test.ts'],
    pattern: String.raw`memory is charged before it is taken: (new Uint8Array|new ArrayBuffer)`,
  },
  {
    id: 'vm.platform.shared-label',
    file: 'src/vm/value/native/guest-native.ts',
    find: 'if (this.labelled === undefined) this.#label = bits',
    replace: 'if (true) this.#label = bits',
    tests: TRAPS_TEST,
    pattern: 'a query that changes the URL|another view of the same bytes',
  },
  {
    id: 'vm.platform.whole-label',
    file: 'src/vm/labels/heap.ts',
    find: 'if (holder instanceof GuestNative) return raiseLabel(holder, bits)',
    replace: '',
    tests: TRAPS_TEST,
    pattern: 'a part of a URL that shows in another part',
  },
]

export const VM_MUTATIONS: readonly Mutation[] = [...VERSIONS, ...LIMITS, ...METER, ...BORDER, ...PLATFORM].map(
  (row) => ({
    ...row,
    room: 'vm',
  }),
)
